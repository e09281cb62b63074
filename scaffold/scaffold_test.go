package scaffold_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentblame/agentblame/scaffold"
	"github.com/google/go-cmp/cmp"
)

// write writes a project into a folder of its own.
func write(t *testing.T, k scaffold.Kind) string {
	t.Helper()
	files, err := scaffold.Project(k)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// in runs a command in a folder.
func in(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// The project in Go, in a module of its own, as its README says.
func TestGo(t *testing.T) {
	dir := write(t, scaffold.Go)
	in(t, dir, "go", "mod", "edit", "-replace", "github.com/agentblame/agentblame="+root(t))
	in(t, dir, "go", "mod", "tidy")
	in(t, dir, "go", "run", ".")
	check(t, filepath.Join(dir, "result.json"))
}

func TestPython(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("THE PYTHON PROJECT ISN'T TESTED: there is no python3")
	}
	dir := write(t, scaffold.Python)
	t.Setenv("PYTHONPATH", filepath.Join(root(t), "sdk", "python", "src"))
	in(t, dir, command(t), "blame", "--host", python+" -m agentblame app", "--cases", "cases.jsonl", "-o", "result.json")
	check(t, filepath.Join(dir, "result.json"))
}

func TestTypeScript(t *testing.T) {
	sdk := filepath.Join(root(t), "sdk", "typescript")
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("THE TYPESCRIPT PROJECT ISN'T TESTED: there is no node")
	}
	if _, err := os.Stat(filepath.Join(sdk, "node_modules", "typescript")); err != nil {
		if out, err := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", sdk).CombinedOutput(); err != nil {
			t.Skipf("THE TYPESCRIPT PROJECT ISN'T TESTED: npm ci: %v\n%s", err, out)
		}
	}
	dir := write(t, scaffold.TypeScript)
	// What npm install would bring: the SDK, and what the project's package.json names.
	for name, at := range map[string]string{"agentblame": sdk, "typescript": filepath.Join(sdk, "node_modules", "typescript"), "@types": filepath.Join(sdk, "node_modules", "@types")} {
		to := filepath.Join(dir, "node_modules", name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(at, to); err != nil {
			t.Fatal(err)
		}
	}
	tsc := filepath.Join(sdk, "node_modules", "typescript", "bin", "tsc")
	in(t, sdk, "node", tsc)
	in(t, dir, "node", tsc)
	in(t, dir, command(t), "blame", "--host", "node dist/app.js", "--cases", "cases.jsonl", "-o", "result.json")
	check(t, filepath.Join(dir, "result.json"))
}

// command builds the command.
func command(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "agentblame")
	in(t, root(t), "go", "build", "-o", bin, "./cmd/agentblame")
	return bin
}

// check holds a project's result to what all three languages give.
func check(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Summary struct{ Failures, Unfixable int }
		Steps   []struct {
			Name    string
			Shapley struct{ Mean float64 }
		}
		Cases []struct {
			ID             string
			MinimalRepairs [][]string `json:"minimal_repairs"`
		}
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	repairs := map[string]string{}
	for _, c := range r.Cases {
		for _, m := range c.MinimalRepairs {
			repairs[c.ID] += "{" + strings.Join(m, ", ") + "}"
		}
	}
	want := map[string]string{
		"transfer": "{search}", "arrival": "{search}", "return": "{search}",
		"invoice": "{search, answer}", "free-delivery": "{search, answer}",
		"money-back": "{classify, search}", "label": "{classify, search, answer}",
	}
	if d := cmp.Diff(want, repairs); d != "" {
		t.Errorf("minimal repairs (-want +got):\n%s", d)
	}
	means := map[string]float64{}
	for _, s := range r.Steps {
		means[s.Name] = s.Shapley.Mean
	}
	// Of 8 failures, in sixths: search 3·6+2·3+3+2, answer 2·3+2, classify 3+2.
	if d := cmp.Diff(map[string]float64{"classify": 5. / 48, "search": 29. / 48, "answer": 8. / 48}, means, cmp.Comparer(near)); d != "" {
		t.Errorf("blame (-want +got):\n%s", d)
	}
	if r.Summary.Failures != 8 || r.Summary.Unfixable != 1 {
		t.Errorf("%d failures, %d unfixable; want 8 and 1", r.Summary.Failures, r.Summary.Unfixable)
	}
}

func near(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 }

func TestNoProject(t *testing.T) {
	if _, err := scaffold.Project("cobol"); err == nil {
		t.Error("there is a project in cobol")
	}
}
