package blame_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// TestForeseen holds what batches run and pay against what was told before.
func TestForeseen(t *testing.T) {
	near, harmed := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawTables(t, shape{steps: 5, variants: 3, levels: 3, noisy: true})
		o := blame.Options{
			Mode: rapid.SampledFrom([]blame.Mode{blame.Recorded, blame.Posterior, blame.Prior}).Draw(t, "mode"), Worlds: 2,
			Pass: 0.5, Harm: rapid.SampledFrom([]int{0, 3, -1}).Draw(t, "harm"), Calls: rapid.Bool().Draw(t, "calls"),
		}
		cases := p.cases(10)
		plan, err := blame.PlanBatch(p.pipeline(), cases, o)
		if err != nil {
			t.Fatal(err)
		}
		if times, _ := p.runs.take(); len(times) > 0 {
			t.Fatalf("planning ran %d step runs", len(times))
		}
		r := batchOf(t, p.pipeline(), cases, o)
		times, cost := p.runs.take()
		runs := 0.0
		for _, n := range times {
			runs += float64(n)
		}
		failures := float64(r.Summary.Failures)
		if most := plan.FactualRuns + failures*plan.MaxRuns + plan.HarmRuns; runs > most {
			t.Fatalf("%v step runs, foreseen were %v + %v × %v + %v", runs, plan.FactualRuns, failures, plan.MaxRuns, plan.HarmRuns)
		} else if runs > 0.8*most {
			near++
		}
		if most := plan.FactualCost + failures*plan.MaxCost + plan.HarmCost; cost > most*(1+1e-9) {
			t.Fatalf("cost %v, foreseen were %v + %v × %v + %v", cost, plan.FactualCost, failures, plan.MaxCost, plan.HarmCost)
		}
		if r.Harm == nil {
			return
		}
		harmed++
		if r.Harm.Cost > plan.HarmCost*(1+1e-9) || r.Harm.Cases > plan.HarmCases {
			t.Fatalf("harm on %d cases cost %v, foreseen were %d and %v", r.Harm.Cases, r.Harm.Cost, plan.HarmCases, plan.HarmCost)
		}
	})
	if near < 3 || harmed < 20 {
		t.Errorf("%d batches came near what was foreseen, %d measured harm", near, harmed)
	}
}

// TestForeseenHarm knows to the run what harm comes to.
func TestForeseenHarm(t *testing.T) {
	draw := func(add int) func(context.Context, int) (int, error) {
		return func(ctx context.Context, n int) (int, error) { return n + add + 0*noise.From(ctx).IntN("k", 2), nil }
	}
	a := pipeline.NewStep("a", draw(0), pipeline.Cost(2)).Variant("fix", draw(1), pipeline.Cost(3)).Variant("other", draw(2), pipeline.Cost(5))
	b := pipeline.NewStep("b", draw(0), pipeline.Cost(7)).Variant("fix", draw(10))
	p := pipeline.New("two", func(ctx context.Context, n int) (int, error) {
		n, err := a.Do(ctx, n)
		if err != nil {
			return 0, err
		}
		return b.Do(ctx, n)
	}, func(_ context.Context, c pipeline.Case, n int) (float64, error) {
		if n >= c.Expected.(int) {
			return 1, nil
		}
		return 0, nil
	}, a, b)
	cases := []pipeline.Case{numbered(0, 0), numbered(0, 11)} // the second needs both fixes
	cases[1].ID = "fails"
	plan, err := blame.PlanBatch(p, cases, blame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	// A passing case: a's variants alone and b after each, b's fix alone, both fixes,
	// and again as it was. More than both of them can't pass.
	const runs, cost, again = 2 + 2 + 1 + 2 + 2, 3 + 5 + 7 + 7 + 7 + 3 + 7 + 9, 9
	got := []float64{float64(plan.HarmCases), plan.HarmRuns, plan.HarmCost}
	if diff := cmp.Diff([]float64{2, 2 * runs, 2 * cost}, got); diff != "" {
		t.Errorf("foreseen harm (-want +got):\n%s", diff)
	}
	// One passes, and a's fix has run before it runs with b's.
	r := batchOf(t, p, cases, blame.Options{})
	if want := float64(cost - 3 + again); r.Harm == nil || math.Abs(r.Harm.Cost-want) > 1e-9 {
		t.Errorf("harm cost %v, want %v", r.Harm, want)
	}
	if r := batchOf(t, p, cases[1:], blame.Options{}); r.Harm != nil {
		t.Error("harm was measured where nothing passes")
	}
}
