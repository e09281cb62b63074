//go:build unix

package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/google/go-cmp/cmp"
)

// python opens a host that is a script of testdata.
func python(t testing.TB, workers int, args ...string) (*Host, *lines) {
	t.Helper()
	out, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Skip("THERE IS NO python3: hosts written in Python are not tested")
	}
	log := &lines{}
	h, err := Open(t.Context(), Options{
		Name: "py", Command: append([]string{strings.TrimSpace(string(out)), "-u"}, args...), Dir: "testdata", Workers: workers, Log: log.add,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h, log
}

type lookIn struct {
	N    int   `json:"n"`
	Have []int `json:"have"`
}

type shardIn struct {
	Items []int `json:"items"`
}

type reportIn struct {
	Sums   []int `json:"sums"`
	Rounds int   `json:"rounds"`
}

type reportOut struct {
	Total  int `json:"total"`
	Rounds int `json:"rounds"`
}

// agent is the program of testdata/program.py in Go.
func agent() *pipeline.Pipeline {
	look := func(fixed bool) func(context.Context, lookIn) ([]int, error) {
		return func(_ context.Context, in lookIn) ([]int, error) {
			if in.N == 1 && !fixed {
				return nil, errors.New("nothing there")
			}
			if fixed {
				return []int{in.N, in.N}, nil
			}
			return []int{in.N}, nil
		}
	}
	shard := func(more int) func(context.Context, shardIn) (int, error) {
		return func(_ context.Context, in shardIn) (int, error) {
			for _, i := range in.Items {
				more += i
			}
			return more, nil
		}
	}
	looks := pipeline.NewStep("look", look(false)).Variant("wide", look(true))
	shards := pipeline.NewStep("shard", func(ctx context.Context, in shardIn) (int, error) { return shard(100)(ctx, in) }).
		Variant("careful", func(ctx context.Context, in shardIn) (int, error) { return shard(0)(ctx, in) }, pipeline.Cost(3))
	reports := pipeline.NewStep("report", func(_ context.Context, in reportIn) (reportOut, error) {
		out := reportOut{Rounds: in.Rounds}
		for _, s := range in.Sums {
			out.Total += s
		}
		return out, nil
	})
	run := func(ctx context.Context, in struct {
		Goal int `json:"goal"`
	}) (reportOut, error) {
		found, n := []int{}, 0
		for ; len(found) < in.Goal && n < 5; n++ {
			if more, err := looks.Do(ctx, lookIn{n, found}); err == nil {
				found = append(found, more...)
			}
		}
		sums := make([]int, 2)
		errs := make([]error, 2)
		var both sync.WaitGroup
		for i := range 2 {
			items := []int{}
			for j := i; j < len(found); j += 2 {
				items = append(items, found[j])
			}
			both.Go(func() { sums[i], errs[i] = shards.At(fmt.Sprintf("s%d", i)).Do(ctx, shardIn{items}) })
		}
		both.Wait()
		if err := errors.Join(errs...); err != nil {
			return reportOut{}, err
		}
		return reports.Do(ctx, reportIn{sums, n})
	}
	score := func(_ context.Context, c pipeline.Case, out reportOut) (float64, error) {
		var want reportOut
		if err := c.DecodeExpected(&want); err != nil || out != want {
			return 0, err
		}
		return 1, nil
	}
	return pipeline.New("agent", run, score, looks, shards, reports)
}

func agentCases(n int) []pipeline.Case {
	var cases []pipeline.Case
	for i := range n {
		goal := 2 + i%3
		expected := map[string]any{"total": []int{2, 2, 2}[goal-2], "rounds": 2}
		if goal == 2 {
			expected = map[string]any{"total": 202, "rounds": 3}
		}
		cases = append(cases, pipeline.Case{ID: fmt.Sprint(i), Inputs: map[string]any{"goal": goal}, Expected: expected})
	}
	return cases
}

// A program with a loop and calls at once is analysed as the same Go function is.
func TestProgram(t *testing.T) {
	for _, calls := range []bool{false, true} {
		t.Run(fmt.Sprintf("calls %v", calls), func(t *testing.T) {
			h, _ := python(t, 1, "program.py")
			o := blame.Options{Calls: calls, Concurrency: 4, NoStories: true}
			got := analyse(t, h, agentCases(6), o)
			want, err := blame.Batch(t.Context(), agent(), agentCases(6), o)
			if err != nil {
				t.Fatal(err)
			}
			if want.Summary.Repairable != 4 || want.Summary.Passed != 2 {
				t.Fatalf("the test tests nothing: %+v", want.Summary)
			}
			if diff := cmp.Diff(text(t, want), text(t, got)); diff != "" {
				t.Errorf("another result (-Go +Python):\n%s", diff)
			}
		})
	}
}

// A program's process that is killed changes no number either.
func TestProgramKilled(t *testing.T) {
	want, err := blame.Batch(t.Context(), agent(), agentCases(25), blame.Options{NoStories: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []string{"10", "60"} {
		h, _ := python(t, 2, "program.py", "killed", at, t.TempDir()+"/once")
		got := analyse(t, h, agentCases(25), blame.Options{Concurrency: 8, NoStories: true})
		if diff := cmp.Diff(text(t, want), text(t, got)); diff != "" {
			t.Errorf("another result (-Go +Python):\n%s", diff)
		}
		if s := h.Stats(); s.Restarts != 1 || len(s.Retried) == 0 {
			t.Errorf("nothing was noticed: %+v", s)
		}
	}
}

// What a program does wrong is told, and is no score.
func TestWrongPrograms(t *testing.T) {
	for _, test := range []struct{ odd, want string }{
		{"unknown step", `step lok was called, but it is not in the manifest of host py; did you mean "look"? (there are: look, shard, report)`},
		{"at once", "step look was called twice at once: name such calls with at, as the order they come in isn't fixed"},
		{"name twice", "the call shard#s was made twice in a run: names given to at must differ"},
		{"number", `step shard: at("7"): a call's name must not be a number, as unnamed calls have numbers`},
		{"left open", "the program of host py ended while a call of step shard#x was in progress: it must wait for the calls that it makes"},
		{"random", "the pipeline function is not deterministic given its steps' outputs"},
	} {
		t.Run(test.odd, func(t *testing.T) {
			h, _ := python(t, 1, "program.py", test.odd)
			r := analyse(t, h, agentCases(2), blame.Options{})
			if r.Summary.Undefined == 0 {
				t.Error("no case is undefined")
			}
			for _, c := range r.Cases {
				if !c.Passed && !strings.Contains(c.Undefined, test.want) {
					b, _ := json.Marshal(c)
					t.Errorf("got  %s\nwant %s", b, test.want)
				}
			}
		})
	}
}

func TestFailingProgram(t *testing.T) {
	h, _ := python(t, 1, "program.py", "fails")
	r := analyse(t, h, agentCases(2), blame.Options{})
	if r.Summary.Failures != 2 || len(r.Cases[0].Errors) == 0 || r.Cases[0].Errors[0].Message != "no way" {
		t.Errorf("%s", text(t, r))
	}
}
