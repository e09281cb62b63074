package typescript

import (
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
)

// The package's own tests, with everything that they need: the npm packages, the
// compiler's output and the agentblame command, all made anew.
func TestTypeScript(t *testing.T) {
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("NOTHING OF THE TYPESCRIPT SDK IS TESTED: there is no %s", program)
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(t.TempDir(), "agentblame")
	build := exec.Command("go", "build", "-o", bin, "./cmd/agentblame")
	build.Dir = filepath.Join(dir, "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building agentblame: %v\n%s", err, out)
	}
	readAll(t, dir)
	install(t, dir)
	run(t, dir, nil, "npx", "--no-install", "tsc")
	tests, err := filepath.Glob(filepath.Join(dir, "test", "*.test.ts"))
	if err != nil || len(tests) == 0 {
		t.Fatalf("there are no tests: %v", err)
	}
	for i, source := range tests {
		tests[i] = filepath.Join(dir, "dist", "test", strings.TrimSuffix(filepath.Base(source), ".ts")+".js")
	}
	run(t, dir, []string{"AGENTBLAME_BIN=" + bin}, "node", append([]string{"--test", "--test-reporter=spec"}, tests...)...)
}

// install brings the locked npm packages, unless they are there.
func install(t *testing.T, dir string) {
	t.Helper()
	locked := filepath.Join(dir, "package-lock.json")
	mark := filepath.Join(dir, "node_modules", ".package-lock.json")
	if newer(mark, locked) {
		return
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return
	}
	for _, sign := range []string{"ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ETIMEDOUT", "ENETUNREACH", "ENOTCACHED"} {
		if strings.Contains(string(out), sign) {
			t.Skipf("NOTHING OF THE TYPESCRIPT SDK IS TESTED: npm can't be reached:\n%s", out)
		}
	}
	t.Fatalf("npm ci: %v\n%s", err, out)
}

// readAll reads the package's sources: go test's cache knows only what the test
// itself has read, and must not answer when they have changed.
func readAll(t *testing.T, dir string) {
	t.Helper()
	for _, pattern := range []string{"*.json", "src/*.ts", "src/*/*.ts", "test/*.ts", "test/*/*.ts", "examples/*", "../../noise/testdata/*.json", "../../docs/result.schema.json", "../../cmd/agentblame/*.go"} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("there is no %s: %v", pattern, err)
		}
		for _, file := range files {
			if _, err := os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// newer says whether a file is there and at least as new as another.
func newer(file, other string) bool {
	a, errA := os.Stat(file)
	b, errB := os.Stat(other)
	return errA == nil && errB == nil && !a.ModTime().Before(b.ModTime())
}

func run(t *testing.T, dir string, env []string, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args[:min(len(args), 2)], " "), err, out)
	}
	if name == "node" {
		t.Logf("%s", out)
	}
}
