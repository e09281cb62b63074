package demo

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"io"
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

// What is printed and the result depend on nothing but the options: neither a
// second run nor the number of processors changes a byte.
func TestDemos(t *testing.T) {
	for name, cases := range map[string]int{"refund": 1, "rag": 200, "eight": 400} {
		t.Run(name, func(t *testing.T) {
			before := runtime.GOMAXPROCS(1 + runtime.GOMAXPROCS(0))
			defer runtime.GOMAXPROCS(before)
			text, r := show(t, name, small())
			if r.Pipeline.Name != name || r.Settings.Mode != "recorded" || r.Summary.Cases != cases || len(r.Cases) != cases {
				t.Errorf("the result is of %s, %s, %d cases", r.Pipeline.Name, r.Settings.Mode, len(r.Cases))
			}
			if name != "refund" {
				golden(t, name, text)
				narrow(t, text)
			}
			if name == "eight" {
				return // takes long, and the golden file was made on other processors
			}
			runtime.GOMAXPROCS(1)
			again, same := show(t, name, small())
			if again != text || encoded(t, same) != encoded(t, r) {
				t.Error("another output on one processor")
			}
		})
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
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
		t.Errorf("printed (-want +got):\n%s", diff)
	}
}

// narrow checks that a terminal of 80 columns shows it.
func narrow(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
}

func encoded(t *testing.T, r *blame.Result) string {
	t.Helper()
	var out strings.Builder
	if err := report.JSON(&out, r); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestRunErrors(t *testing.T) {
	for want, o := range map[string]Options{
		"at least 2":       {Replicates: 1},
		"replicates is -3": {Replicates: -3},
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
	if _, err := Run(t.Context(), "rag", failing{full}, small()); !errors.Is(err, full) {
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

// A demo that is ended returns what it knows by then.
func TestInterrupted(t *testing.T) {
	for _, name := range Names() {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		r, err := Run(ctx, name, io.Discard, small())
		if !errors.Is(err, context.Canceled) || r == nil || !r.Summary.Partial || r.Pipeline.Name != name {
			t.Errorf("%s: error %v, a result %v", name, err, r != nil)
		}
	}
	// Later, the batch that the demo shows is known.
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := Run(ctx, "rag", cancelling{cancel}, small())
	if !errors.Is(err, context.Canceled) || r == nil || r.Summary.Partial || r.Summary.Cases != 200 {
		t.Errorf("rag: error %v, a result %v", err, r != nil)
	}
}

// cancelling ends a context when something is written.
type cancelling struct{ cancel func() }

func (c cancelling) Write(p []byte) (int, error) {
	c.cancel()
	return len(p), nil
}
