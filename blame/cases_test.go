package blame_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/demo"
	"github.com/agentblame/agentblame/pipeline"
)

// same passes its input on.
func same(_ context.Context, n int) (int, error) { return n, nil }

// equals scores a number against the case's expected one.
func equals(_ context.Context, c pipeline.Case, n int) (float64, error) {
	var want int
	if err := c.DecodeExpected(&want); err != nil {
		return 0, err
	}
	if n == want {
		return 1, nil
	}
	return 0, nil
}

func numbered(n, expected int) pipeline.Case {
	return pipeline.Case{ID: "c", Inputs: map[string]any{"n": n}, Expected: expected}
}

// TestUndefined analyses cases that can't be: each says why.
func TestUndefined(t *testing.T) {
	gold := func(ctx context.Context, _ int) (int, error) {
		var n int
		err := pipeline.CaseOf(ctx).DecodeGold("s", &n)
		return n, err
	}
	step := pipeline.NewStep("s", same).Variant("oracle", gold)
	stranger := pipeline.NewStep("stranger", same)
	p := func(run func(context.Context, int) (int, error), score func(context.Context, pipeline.Case, int) (float64, error)) *pipeline.Pipeline {
		return pipeline.New("p", run, score, step)
	}
	fails := func(context.Context, pipeline.Case, int) (float64, error) { return 0, errors.New("no judge") }
	onlyAsRun := func(_ context.Context, _ pipeline.Case, n int) (float64, error) {
		if n > 5 {
			return 0, errors.New("no judge")
		}
		return 0, nil
	}
	broken := numbered(1, 2)
	broken.Gold = map[string]any{"s": 7}
	far := numbered(1, 99)
	far.Gold = broken.Gold
	recorded := numbered(1, 2)
	recorded.Recording = map[string]pipeline.Recorded{"S": {Output: 1}}
	calls := 0
	tests := []struct {
		name  string
		p     *pipeline.Pipeline
		c     pipeline.Case
		want  string
		score bool // the run as it was has one
	}{
		{"missing gold", p(step.Do, equals), numbered(1, 2), "case c has no gold for s", true},
		{"no score", p(step.Do, fails), numbered(1, 2), "the run as it was has no score: score: no judge", false},
		{"no score with a fix", p(step.Do, onlyAsRun), broken, "score: no judge", true},
		{"expected of another type", p(step.Do, equals), pipeline.Case{ID: "c", Inputs: map[string]any{"n": 1}, Expected: "two"}, "decoding expected", false},
		{"input of another type", p(step.Do, equals), pipeline.Case{ID: "c", Inputs: map[string]any{"n": "one"}}, "decoding input n of case c", false},
		{"no input", p(step.Do, equals), pipeline.Case{ID: "c"}, "the pipeline takes a single int", false},
		{"wrong recording", p(step.Do, equals), recorded, `recording of case c: "S": there is no step "S"`, false},
		{"a step that wasn't given", p(stranger.Do, equals), numbered(1, 2), "step stranger was called, but it is not among the steps given to New", false},
		{"not deterministic", p(func(ctx context.Context, n int) (int, error) {
			calls++
			return step.Do(ctx, n+calls)
		}, equals), far, "the pipeline function is not deterministic", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := blame.Case(t.Context(), test.p, test.c, blame.Options{Concurrency: 1})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(r.Undefined, test.want) {
				t.Errorf("undefined: %q, want %q", r.Undefined, test.want)
			}
			if (r.Score != nil) != test.score || r.Shapley != nil || r.MinimalRepairs != nil || r.Passed {
				t.Errorf("an undefined case has values: %s", brief(r))
			}
		})
	}
}

// TestErrors lists the step runs that failed, each with the smallest set of fixes
// under which it did.
func TestErrors(t *testing.T) {
	a := pipeline.NewStep("a", same).Variant("fix", func(_ context.Context, n int) (int, error) { return n + 1, nil })
	b := pipeline.NewStep("b", same).Variant("fix", func(_ context.Context, n int) (int, error) { return n + 10, nil })
	// Its fix panics when it is given what both of the others' fixes make, and
	// only then.
	c := pipeline.NewStep("c", func(_ context.Context, n int) (int, error) {
		if n == 0 {
			return 0, errors.New("nothing to do")
		}
		return n, nil
	}).Variant("fix", func(_ context.Context, n int) (int, error) {
		if n == 11 {
			panic("eleven")
		}
		return n, nil
	})
	p := pipeline.New("p", func(ctx context.Context, n int) (int, error) {
		for _, s := range []*pipeline.Step[int, int]{a, b, c} {
			var err error
			if n, err = s.Do(ctx, n); err != nil {
				return 0, fmt.Errorf("giving up: %w", err)
			}
		}
		return n, nil
	}, equals, a, b, c)
	for _, concurrency := range []int{1, 8} {
		r := one(t, p, numbered(0, 11), blame.Options{Concurrency: concurrency})
		if len(r.Errors) != 2 {
			t.Fatalf("errors %+v", r.Errors)
		}
		want := []blame.CaseError{
			{Step: "c", Coalition: []string{}, Message: "nothing to do"},
			{Step: "c", Variant: "fix", Coalition: []string{"a", "b", "c"}, Message: "the step panicked: eleven"},
		}
		for i := range want {
			got := r.Errors[i]
			got.Message, _, _ = strings.Cut(got.Message, " (in ")
			if diff := cmp.Diff(want[i], got); diff != "" {
				t.Errorf("error %d (-want +got):\n%s", i, diff)
			}
		}
		// v = a·b·(1 − c)
		if got := r.ShapleyExact; got.Get("a") != "1/6" || got.Get("b") != "1/6" || got.Get("c") != "-1/3" {
			t.Errorf("blame %v", got)
		}
	}
	// A pipeline function's own error has no step.
	own := pipeline.New("own", func(ctx context.Context, n int) (int, error) {
		if n, _ = a.Do(ctx, n); n == 0 {
			return 0, errors.New("it is zero")
		}
		return n, nil
	}, equals, a)
	r := one(t, own, numbered(0, 1), blame.Options{})
	if diff := cmp.Diff([]blame.CaseError{{Coalition: []string{}, Message: "it is zero"}}, r.Errors); diff != "" {
		t.Errorf("errors (-want +got):\n%s", diff)
	}
}

// TestPassed has nothing to blame.
func TestPassed(t *testing.T) {
	c := demo.RefundCase()
	c.Expected = 90
	r, err := blame.Case(t.Context(), demo.Refund("A"), c, blame.Options{})
	if err != nil || !r.Passed || *r.Score != 1 || r.Cost != 0 || r.CostFactual != 4 || r.Shapley != nil {
		t.Errorf("%s, %v", brief(r), err)
	}
}

// TestCallsShift names the steps that a fix calls more often.
func TestCallsShift(t *testing.T) {
	a := pipeline.NewStep("a", same).Variant("fix", func(_ context.Context, n int) (int, error) { return n + 2, nil })
	b := pipeline.NewStep("b", func(_ context.Context, n int) (int, error) { return n + 1, nil })
	named := pipeline.NewStep("named", same)
	p := pipeline.New("p", func(ctx context.Context, n int) (int, error) {
		n, err := a.Do(ctx, n)
		if err != nil {
			return 0, err
		}
		total := 0
		for i := range n {
			if total, err = b.Do(ctx, total); err != nil {
				return 0, err
			}
			if _, err = named.At(fmt.Sprint("1st and ", i)).Do(ctx, total); err != nil {
				return 0, err
			}
		}
		return total, nil
	}, equals, a, b, named)
	r := one(t, p, numbered(1, 3), blame.Options{})
	if diff := cmp.Diff([]string{"b"}, r.CallsShift); diff != "" {
		t.Errorf("shifted (-want +got):\n%s", diff)
	}
}

// TestWrongUse is an error, not a result.
func TestWrongUse(t *testing.T) {
	ok := demo.Refund("A")
	tests := []struct {
		name string
		p    *pipeline.Pipeline
		o    blame.Options
		want string
	}{
		{"pipeline", pipeline.New("p", same, nil), blame.Options{}, "pipeline p has 2 faults"},
		{"fix of no step", ok, blame.Options{Fix: map[string]string{"plannr": "date-constraint"}}, `fix plannr=date-constraint: there is no step "plannr"`},
		{"no such fix", ok, blame.Options{Fix: map[string]string{"planner": "x"}}, "fix planner=x: step planner has no such variant"},
		{"budget", ok, blame.Options{Budget: -1}, "the budget is -1"},
		{"endless budget", ok, blame.Options{Budget: math.Inf(1)}, "the budget is +Inf"},
		{"delta", ok, blame.Options{Delta: 1}, "delta is 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if r, err := blame.Case(t.Context(), test.p, demo.RefundCase(), test.o); err == nil || !strings.Contains(err.Error(), test.want) || r != nil {
				t.Errorf("case: %v, error %v", r, err)
			}
			if r, err := blame.Batch(t.Context(), test.p, []pipeline.Case{demo.RefundCase()}, test.o); err == nil || !strings.Contains(err.Error(), test.want) || r != nil {
				t.Errorf("batch: %v, error %v", r, err)
			}
		})
	}
}
