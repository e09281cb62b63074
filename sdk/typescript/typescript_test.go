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

	"github.com/agentblame/agentblame/internal/needs"
)

// The package's own tests, with everything that they need: the npm packages, the
// compiler's output and the agentblame command, all made anew.
func TestTypeScript(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	needs.Modules(t, dir, "the TypeScript SDK")
	bin := needs.Command(t)
	needs.Read(t, 50, []string{".ts", ".js", ".mjs", ".json", ".jsonl", ".go"}, dir, "../../noise/testdata", "../../docs/result.schema.json", "../../cmd/agentblame")
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
