package examples_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/demo"
	"github.com/agentblame/agentblame/examples"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/spec"
)

// The Python pipeline is the refund demo: what is told of its case is the same.
func TestPythonExec(t *testing.T) {
	python, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Skip("SKIPPED: there is no python3")
	}
	// The real interpreter, where PATH has a slow script that looks for it.
	t.Setenv("PATH", filepath.Dir(strings.TrimSpace(string(python)))+string(os.PathListSeparator)+os.Getenv("PATH"))
	file, err := spec.Load("python-exec/agentblame.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := file.Cases()
	if err != nil {
		t.Fatal(err)
	}
	got := analyse(t, file.Pipeline, cases[0])
	want := analyse(t, demo.Refund("A"), demo.RefundCase())
	if diff := cmp.Diff(want, got, cmp.Exporter(func(reflect.Type) bool { return true })); diff != "" {
		t.Errorf("Python and Go differ (-Go +Python):\n%s", diff)
	}
	if got.Cost != 14 || got.ShapleyExact.Get("planner") != "5/12" {
		t.Errorf("cost %v, blame %v", got.Cost, got.ShapleyExact)
	}
}

func analyse(t *testing.T, p *pipeline.Pipeline, c pipeline.Case) *blame.CaseResult {
	t.Helper()
	r, err := blame.Batch(context.Background(), p, []pipeline.Case{c}, blame.Options{NoStories: true})
	if err != nil {
		t.Fatal(err)
	}
	return &r.Cases[0]
}

// What "agentblame init" writes is the example, whole.
func TestEmbeddedIsWhole(t *testing.T) {
	files, err := os.ReadDir("python-exec")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.IsDir() { // __pycache__
			continue
		}
		want, err := os.ReadFile(filepath.Join("python-exec", f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := examples.PythonExec.ReadFile("python-exec/" + f.Name())
		if err != nil || string(got) != string(want) {
			t.Errorf("%s isn't embedded: %v", f.Name(), err)
		}
	}
}
