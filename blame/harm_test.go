package blame_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// TestHarmInOrder ends the budget while harm is measured. The fix is free and the
// step after it is not: where the fix changes nothing, and so breaks nothing, there
// is nothing to pay. Such cases must not be all that is counted of what comes after.
func TestHarmInOrder(t *testing.T) {
	first := pipeline.NewStep("first", same, pipeline.Cost(0)).
		Variant("even", func(_ context.Context, n int) (int, error) { return n + n%2, nil })
	second := pipeline.NewStep("second", same)
	p := pipeline.New("p", func(ctx context.Context, n int) (int, error) {
		n, err := first.Do(ctx, n)
		if err != nil {
			return 0, err
		}
		return second.Do(ctx, n)
	}, equals, first, second)
	cases := []pipeline.Case{numbered(1, 2)}
	var even []bool // of the passing cases, in the order of analysis
	for n := range 40 {
		c := numbered(n, n)
		c.ID = fmt.Sprint("pass", n)
		cases = append(cases, c)
	}
	o := blame.Options{Concurrency: 8, Each: func(c blame.CaseResult) {
		if c.Passed {
			var n int
			if _, err := fmt.Sscanf(c.ID, "pass%d", &n); err != nil {
				t.Error(err)
			}
			even = append(even, n%2 == 0)
		}
	}}
	whole := batchOf(t, p, cases, o)
	if b := whole.Steps[0].Breaks; b.Count != 20 || b.Of != 40 || whole.Harm.Cut {
		t.Fatalf("without a budget %d of %d break", b.Count, b.Of)
	}
	o.Each = nil
	for paid := range 20 {
		o.Budget = float64(1 + paid) // a case costs one, and so does each that breaks
		broken, of := 0, 0
		for _, free := range even {
			if !free && broken == paid {
				break
			}
			if of++; !free {
				broken++
			}
		}
		r := batchOf(t, p, cases, o)
		if b := r.Steps[0].Breaks; of > 0 && (b.Count != broken || b.Of != of) || r.Harm.Cases != of || !r.Harm.Cut {
			t.Errorf("budget %v: %+v of %+v, want %d of %d", o.Budget, b, r.Harm, broken, of)
		}
	}
}

// TestPlaceboCut ends an analysis while failing cases are run again for luck: it
// says that it is partial.
func TestPlaceboCut(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failing := 0
	run := func(ctx context.Context, n int) (int, error) {
		x := noise.From(ctx).Float64("x")
		world, _, _ := noise.From(ctx).Address()
		if world.Index > 1<<32 && n == 1 { // another world than the analysis'
			failing++
			cancel()
		}
		return n + int(x), nil
	}
	step := pipeline.NewStep("s", run).Variant("fix", func(_ context.Context, _ int) (int, error) { return 2, nil })
	p := pipeline.New("p", step.Do, equals, step)
	cases := []pipeline.Case{numbered(2, 2)}
	for k := range 5 {
		c := numbered(1, 2)
		c.ID = fmt.Sprint("fail", k)
		cases = append(cases, c)
	}
	r, err := blame.Batch(ctx, p, cases, blame.Options{Concurrency: 1})
	if err == nil || !r.Summary.Partial || !r.Harm.Cut {
		t.Errorf("error %v, partial %v, harm %+v", err, r.Summary.Partial, r.Harm)
	}
	if failing != 1 {
		t.Errorf("%d cases were run again", failing)
	}
}

// TestNetUnknown has failures of which it isn't known what single fixes do: then
// nobody can say what these do on the whole.
func TestNetUnknown(t *testing.T) {
	step := pipeline.NewStep("s", same).Variant("fix", func(context.Context, int) (int, error) { return 2, nil })
	p := pipeline.New("p", step.Do, equals, step)
	other := numbered(3, 3) // passes, and the fix breaks it
	other.ID = "other"
	cases := []pipeline.Case{numbered(1, 2), other}
	for _, test := range []struct {
		method blame.Method
		cases  []pipeline.Case
		want   float64 // 2: unknown
	}{
		{blame.Exact, cases, 0},
		{blame.Exact, cases[1:], -1},
		{blame.Permutation, cases, 2},
		{blame.Permutation, cases[1:], -1},
	} {
		r := batchOf(t, p, test.cases, blame.Options{Method: test.method})
		s := r.Steps[0]
		if s.Breaks == nil || s.Breaks.Count != 1 || s.Breaks.Of != 1 {
			t.Fatalf("%s: breaks %+v", test.method, s.Breaks)
		}
		if got := s.Net; (got == nil) != (test.want == 2) || got != nil && *got != test.want {
			t.Errorf("%s, %d cases: net %v, want %v", test.method, len(test.cases), got, test.want)
		}
	}
}

// TestNetOfCalls has a step that is called twice. What it resolves is told of single
// calls, what it breaks of all at once: the two don't make a net.
func TestNetOfCalls(t *testing.T) {
	once := pipeline.NewStep("once", same).Variant("fix", same)
	twice := pipeline.NewStep("twice", same).Variant("fix", func(_ context.Context, n int) (int, error) { return n + 1, nil })
	p := pipeline.New("p", func(ctx context.Context, n int) (int, error) {
		for _, s := range []*pipeline.Step[int, int]{once, twice, twice} {
			var err error
			if n, err = s.Do(ctx, n); err != nil {
				return 0, err
			}
		}
		return n, nil
	}, equals, once, twice)
	passing := numbered(1, 1)
	passing.ID = "passing"
	r := batchOf(t, p, []pipeline.Case{numbered(1, 2), passing}, blame.Options{Calls: true})
	if s := r.Steps[0]; s.Net == nil || *s.Net != 0 || s.Breaks == nil {
		t.Errorf("%+v", s)
	}
	if s := r.Steps[1]; s.Net != nil || s.Resolves != 1 || s.Breaks == nil || s.Breaks.Count != 1 {
		t.Errorf("%+v", s)
	}
}
