package demo

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

var update = flag.Bool("update", false, "write the golden files")

// small makes the study of variances short.
func small() Options { return Options{Replicates: 2, VarCases: 5} }

func show(t *testing.T, name string, o Options) (string, *blame.Result) {
	t.Helper()
	var out bytes.Buffer
	r, err := Run(t.Context(), name, &out, o)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), r
}

func TestGolden(t *testing.T) {
	for _, name := range []string{"rag", "eight"} {
		got, _ := show(t, name, small())
		file := filepath.Join("testdata", name+".txt")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("demo %s (-want +got):\n%s", name, diff)
		}
	}
}

func TestWidth(t *testing.T) {
	for _, name := range []string{"rag", "eight"} {
		out, _ := show(t, name, small())
		for line := range strings.Lines(out) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
				t.Errorf("demo %s: a line of %d columns: %s", name, n, line)
			}
		}
	}
}

// Neither a second run nor the number of processors changes a byte of what is
// printed or of the result.
func TestSameBytes(t *testing.T) {
	for _, name := range Names() {
		text, r := show(t, name, small())
		var want bytes.Buffer
		if err := report.JSON(&want, r); err != nil {
			t.Fatal(err)
		}
		for _, procs := range []int{1, 7} {
			before := runtime.GOMAXPROCS(procs)
			again, r := show(t, name, small())
			runtime.GOMAXPROCS(before)
			var got bytes.Buffer
			if err := report.JSON(&got, r); err != nil {
				t.Fatal(err)
			}
			if again != text || !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("demo %s: another output on %d processors", name, procs)
			}
		}
	}
}

func TestResults(t *testing.T) {
	for name, cases := range map[string]int{"refund": 1, "rag": 200, "eight": 400} {
		_, r := show(t, name, small())
		if r.Pipeline.Name != name || r.Settings.Mode != "recorded" || r.Summary.Cases != cases || len(r.Cases) != cases {
			t.Errorf("demo %s: the result is of %s, %s, %d cases", name, r.Pipeline.Name, r.Settings.Mode, len(r.Cases))
		}
	}
}

func TestRunErrors(t *testing.T) {
	for want, o := range map[string]Options{
		"at least 2":       {Replicates: 1},
		"-3 replicates":    {Replicates: -3},
		"must be at least": {VarCases: -1},
	} {
		if _, err := Run(t.Context(), "rag", &bytes.Buffer{}, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := Run(t.Context(), "nine", &bytes.Buffer{}, Options{}); err == nil || !strings.Contains(err.Error(), "refund, rag, eight") {
		t.Errorf("no such demo: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, name := range []string{"rag", "eight"} {
		if _, err := Run(ctx, name, &bytes.Buffer{}, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("demo %s, cancelled: %v", name, err)
		}
	}
	full := errors.New("disk full")
	if _, err := Run(t.Context(), "eight", failing{full}, Options{}); !errors.Is(err, full) {
		t.Errorf("a writer that fails: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func BenchmarkDemo(b *testing.B) {
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Run(b.Context(), name, &bytes.Buffer{}, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
