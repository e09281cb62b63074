package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets tests run this program as the command agentblame.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"agentblame": main})
}

// TestScripts runs the scripts of testdata/script, each in a folder of its own.
// UPDATE_SCRIPTS=1 writes what commands print into the scripts.
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	hosts, err := filepath.Abs("../../host/testdata")
	if err != nil {
		t.Fatal(err)
	}
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("EXAMPLES", examples)
			env.Setenv("HOSTS", hosts)
			env.Setenv("REPO", repo)
			if dir, err := pythonDir(); err == nil {
				env.Setenv("PATH", dir+string(os.PathListSeparator)+env.Getenv("PATH"))
			}
			return nil
		},
		Condition: func(name string) (bool, error) {
			switch name {
			case "python":
				_, err := pythonDir()
				return err == nil, nil
			case "typescript":
				dir, err := typeScriptTools()
				return dir != "", err
			case "race":
				return raceDetector, nil
			}
			return false, fmt.Errorf("there is no condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code":  cmdCode,
			"json":  cmdJSON,
			"near":  cmdNear,
			"valid": cmdValid,
			"lines": cmdLines,
			"serve": cmdServe,
			"sdk":   cmdSDK,
			"goenv": cmdGoEnv,
		},
	})
}

// pythonDir returns the folder of the real interpreter: what PATH has may be a
// slow script that looks for it.
var pythonDir = sync.OnceValues(func() (string, error) {
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	return filepath.Dir(strings.TrimSpace(string(out))), err
})
