// Package python holds no Go code: its test runs those of the Python SDK.
package python

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	// What the command is made of: the result isn't taken from go test's cache
	// when any of it has changed.
	_ "github.com/agentblame/agentblame/demo"
	_ "github.com/agentblame/agentblame/host"
	_ "github.com/agentblame/agentblame/report"
	_ "github.com/agentblame/agentblame/spec"

	"github.com/agentblame/agentblame/internal/needs"
)

const what = "the Python SDK"

// The package's own tests, with everything that they need: pytest in a virtual
// environment, and the agentblame command made anew.
func TestPython(t *testing.T) {
	system := findPython(t)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	bin := needs.Command(t)
	needs.Read(t, 50, []string{".py", ".toml", ".md", ".txt", ".json", ".go"}, dir, "../../noise/testdata", "../../docs/result.schema.json", "../../cmd/agentblame")
	python := environment(t, system, filepath.Join(dir, "tests", "requirements.txt"))
	installed(t, python, dir)

	tests := exec.Command(python, "-m", "pytest", "-q", "-p", "no:cacheprovider")
	tests.Dir = dir
	tests.Env = append(os.Environ(), "AGENTBLAME_BIN="+bin, "PYTHONDONTWRITEBYTECODE=1", "AGENTBLAME_RECORD=", "PATH="+filepath.Dir(python)+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := tests.CombinedOutput()
	if err != nil {
		t.Fatalf("pytest: %v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// findPython returns a Python that the package supports.
func findPython(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"python3", "python3.13", "python3.12", "python3.11", "python3.10", "python"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		if exec.Command(path, "-c", "import sys, venv; sys.exit(sys.version_info < (3, 10))").Run() == nil {
			return path
		}
	}
	needs.Missing(t, what, "there is no Python 3.10 or later with venv")
	return ""
}

// environment returns the Python of a virtual environment with the required
// packages, made when it isn't there.
func environment(t *testing.T, system, requirements string) string {
	t.Helper()
	text, err := os.ReadFile(requirements)
	if err != nil {
		t.Fatal(err)
	}
	version, err := exec.Command(system, "-c", "import sys; print(sys.version, sys.executable)").Output()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(append(version, text...))
	venv := needs.Cache("python-" + hex.EncodeToString(sum[:6]))
	python, ready := filepath.Join(venv, "bin", "python"), filepath.Join(venv, "ready")
	if _, err := os.Stat(ready); err == nil {
		return python
	}
	if out, err := exec.Command(system, "-m", "venv", "--clear", venv).CombinedOutput(); err != nil {
		t.Fatalf("making a virtual environment: %v\n%s", err, out)
	}
	out, err := needs.Fetch("", python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", requirements)
	switch {
	case err != nil && needs.Unreachable(out):
		needs.Missing(t, what, "the package registry can't be reached:\n%s", out)
	case err != nil:
		t.Fatalf("pip install: %v\n%s", err, out)
	}
	if err := os.WriteFile(ready, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return python
}

// installed checks that pip can install the package, with its types.
func installed(t *testing.T, python, dir string) {
	t.Helper()
	target := t.TempDir()
	out, err := exec.Command(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation", "--target", target, dir).CombinedOutput()
	if err != nil {
		t.Fatalf("pip install: %v\n%s", err, out)
	}
	use := exec.Command(python, "-c", "import agentblame, agentblame.noise; print(agentblame.__file__)")
	use.Dir = target
	if out, err := use.CombinedOutput(); err != nil || !strings.Contains(string(out), filepath.Base(target)) {
		t.Fatalf("the installed package: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(target, "agentblame", "py.typed")); err != nil {
		t.Fatal(err)
	}
}
