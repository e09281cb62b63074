package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agentblame/agentblame/internal/needs"
)

// cmdSDK copies an SDK of the repository, ready for projects: sdk python DIR for
// PYTHONPATH, sdk typescript DIR compiled and with the compiler in its node_modules.
func cmdSDK(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: sdk python|typescript dir")
	}
	source, dir := filepath.Join(ts.Getenv("REPO"), "sdk", args[0]), ts.MkAbs(args[1])
	switch args[0] {
	case "python":
		copyFiles(ts, filepath.Join(source, "src"), dir, ".py")
	case "typescript":
		tools, err := typeScriptTools()
		ts.Check(err)
		copyFiles(ts, filepath.Join(source, "src"), filepath.Join(dir, "src"), ".ts")
		for _, name := range []string{"package.json", "tsconfig.json"} {
			text, err := os.ReadFile(filepath.Join(source, name))
			ts.Check(err)
			ts.Check(os.WriteFile(filepath.Join(dir, name), text, 0o666))
		}
		ts.Check(os.Symlink(filepath.Join(tools, "node_modules"), filepath.Join(dir, "node_modules")))
		// Not its adapters, which want the packages that they adapt to.
		project := `{"extends": "./tsconfig.json", "include": [], "files": ["src/index.ts"]}`
		ts.Check(os.WriteFile(filepath.Join(dir, "index.json"), []byte(project), 0o666))
		ts.Check(ts.Exec("node", filepath.Join(tools, "node_modules", "typescript", "bin", "tsc"), "-p", filepath.Join(dir, "index.json")))
	default:
		ts.Fatalf("there is no SDK for %s", args[0])
	}
}

// copyFiles copies a tree's files of one ending. That this program reads them tells
// go test what a result depends on.
func copyFiles(ts *testscript.TestScript, from, to, ending string) {
	copied := 0
	ts.Check(filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ending {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, strings.TrimPrefix(path, from))
		copied++
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o666)
	}))
	if copied < 10 {
		ts.Fatalf("only %d files end in %s in %s", copied, ending, from)
	}
}

// typeScriptTools returns a folder whose node_modules have the compiler and the
// types of Node that the SDK is locked to, or "" if there is no npm or it can't be
// reached.
var typeScriptTools = sync.OnceValues(func() (string, error) {
	if !needs.HaveNode() {
		return "", nil
	}
	wanted, err := lockedVersions("../../sdk/typescript/package-lock.json", "typescript", "@types/node")
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(strings.Join(wanted, " ")))
	dir := needs.Cache("typescript-" + hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return "", err
	}
	// Other test programs may be at it as well: whole, or not at all.
	making, err := os.MkdirTemp(filepath.Dir(dir), "typescript-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(making)
	out, err := needs.Fetch("", "npm", append([]string{"install", "--prefix", making, "--ignore-scripts", "--no-audit", "--no-fund"}, wanted...)...)
	switch {
	case err != nil && needs.Unreachable(out):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("npm install: %w\n%s", err, out)
	}
	if err := os.Rename(making, dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			return "", err
		}
	}
	return dir, nil
})

// lockedVersions returns packages as a lock file has them, as name@version.
func lockedVersions(lock string, names ...string) ([]string, error) {
	text, err := os.ReadFile(lock)
	if err != nil {
		return nil, err
	}
	var locked struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(text, &locked); err != nil {
		return nil, fmt.Errorf("reading %s: %w", lock, err)
	}
	var out []string
	for _, name := range names {
		version := locked.Packages["node_modules/"+name].Version
		if version == "" {
			return nil, fmt.Errorf("%s has no %s", lock, name)
		}
		out = append(out, name+"@"+version)
	}
	return out, nil
}

// cmdGoEnv lets a script's go commands find what has been downloaded and built; the
// network it isn't to ask.
func cmdGoEnv(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: goenv")
	}
	names := []string{"GOMODCACHE", "GOCACHE", "GOFLAGS"}
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	ts.Check(err)
	for i, value := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		ts.Setenv(names[i], value)
	}
	ts.Setenv("GOPROXY", "off")
}
