package blame_test

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/confseq"
)

// TestNothingRunsTwice counts the step runs of whole batches: factual runs,
// coalitions, further variants, the plan's sets on passing cases and placebos.
// None is made twice, and what they cost is what the result says.
func TestNothingRunsTwice(t *testing.T) {
	harmed, stopped := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawTables(t, shape{steps: 5, variants: 3, levels: 3, noisy: true})
		p.blocking = rapid.Bool().Draw(t, "blocking")
		o := blame.Options{
			Mode:   rapid.SampledFrom([]blame.Mode{blame.Recorded, blame.Posterior, blame.Prior}).Draw(t, "mode"),
			Method: rapid.SampledFrom([]blame.Method{blame.Auto, blame.Exact, blame.Permutation}).Draw(t, "method"),
			Claim:  rapid.SampledFrom([]blame.Claim{blame.Traffic, blame.ThisBatch}).Draw(t, "claim"),
			Stop:   rapid.SampledFrom([]confseq.Goal{"", confseq.Top1, confseq.Top1, confseq.Top1}).Draw(t, "stop"),
			Nodes:  rapid.SampledFrom([]int{0, 4}).Draw(t, "nodes"), Evaluations: 30,
			Worlds: 2, Permutations: 6, Pass: 0.5, Delta: 0.3, CheckKeys: 2,
			Calls: rapid.Bool().Draw(t, "calls"), Concurrency: rapid.IntRange(1, 8).Draw(t, "concurrency"),
		}
		if o.Calls || len(p.players()) < 2 {
			o.Stop = ""
		}
		cases := 10
		if o.Stop != "" {
			cases = 80 // room to be sure before the last
		}
		r := batchOf(t, p.pipeline(), p.cases(cases), o)
		times, cost := p.runs.take()
		for run, n := range times {
			if n > 1 {
				t.Fatalf("%s ran %d times", run, n)
			}
		}
		said := r.Summary.CostFactual + r.Summary.Cost
		if r.Summary.Cases < cases {
			stopped++ // and other cases may have been begun
			if said > cost+1e-9 {
				t.Fatalf("the result says a cost of %v, the runs cost %v", said, cost)
			}
		} else {
			near(t, "cost", []float64{said}, []float64{cost}, 1e-9)
		}
		if r.Harm != nil {
			harmed++
		}
	})
	if harmed < 20 || stopped < 1 {
		t.Errorf("%d batches measured harm, %d stopped early", harmed, stopped)
	}
}

// TestInterruptedCase ends single cases at random step runs: what was paid by then
// still tells where the values lie.
func TestInterruptedCase(t *testing.T) {
	cut, told := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawTables(t, shape{steps: 6, levels: 3, noisy: true, sure: true})
		p.blocking = rapid.Bool().Draw(t, "blocking")
		c, ok := p.failing(5)
		if !ok {
			t.Skip("nothing fails")
		}
		o := blame.Options{
			Seed: 5, Concurrency: rapid.IntRange(1, 8).Draw(t, "concurrency"),
			Stop: rapid.SampledFrom([]confseq.Goal{"", confseq.Top1}).Draw(t, "stop"),
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		why := errors.New("that will do")
		at := rapid.IntRange(len(p.steps)+1, 60).Draw(t, "run")
		r, err := blame.Case(ctx, after(p.pipeline(), at, func() { cancel(why) }), c, o)
		if err != nil && !errors.Is(err, why) {
			t.Fatal(err)
		}
		_, cost := p.runs.take()
		if r == nil || r.Score == nil || r.Cost > cost-r.CostFactual+1e-9 {
			t.Fatalf("error %v, a result %v", err, r != nil)
		}
		if r.Undefined == "" {
			return
		}
		if cut++; r.Shapley != nil || err == nil {
			t.Fatalf("undefined, since %s; error %v", r.Undefined, err)
		}
		want := shapleyOf(p.game(c, factual(c, 5)))
		for i, b := range r.Bounds {
			if want[i] < b.Value.Low-1e-9 || want[i] > b.Value.High+1e-9 {
				t.Fatalf("the value of %s is %v, its bounds are %v", b.Player, want[i], b.Value)
			}
			if b.Value.High-b.Value.Low < 1.9 {
				told++
			}
		}
	})
	if cut < 10 || told == 0 {
		t.Errorf("%d cases were cut off, %d bounds said something", cut, told)
	}
}
