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
