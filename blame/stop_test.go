package blame_test

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/pipeline"
)

// culprits is a pipeline of three steps of which one is to blame in each case:
// the step a in six of ten cases, b in three, c in one.
func culprits() *pipeline.Pipeline {
	return chain(3, func(c pipeline.Case, fixed int) float64 {
		return float64(fixed >> c.Expected.(int) & 1)
	})
}

// culpritCases are n cases of it; whom they blame is drawn.
func culpritCases(n int, seed uint64) []pipeline.Case {
	rng := rand.New(rand.NewPCG(seed, 1))
	var out []pipeline.Case
	for range n {
		c := question()
		c.ID = "c" + strings.Repeat("I", len(out))
		switch x := rng.IntN(10); {
		case x < 6:
			c.Expected = 0
		case x < 9:
			c.Expected = 1
		default:
			c.Expected = 2
		}
		out = append(out, c)
	}
	return out
}

// TestStopRules ends batches by all rules and for all goals: what is declared is
// right, and nothing depends on the concurrency.
func TestStopRules(t *testing.T) {
	tests := []struct {
		o       blame.Options
		rule    string // as the result names it
		leaders []string
	}{
		{blame.Options{Stop: confseq.Top1}, "elimination", []string{"a"}},
		{blame.Options{Stop: confseq.Top1, Claim: blame.ThisBatch}, "elimination", []string{"a"}},
		{blame.Options{Stop: confseq.Top1, Rule: "bernstein"}, "bernstein", nil}, // it would need more
		{blame.Options{Stop: confseq.Top1, Rule: "normal"}, "normal", []string{"a"}},
		{blame.Options{Stop: confseq.Top1, Rule: "pairs"}, "pairs", []string{"a"}},
		{blame.Options{Stop: confseq.Top1, Rule: "hedged"}, "hedged", []string{"a"}},
		{blame.Options{Stop: confseq.Top1, Rule: "plugin"}, "plugin", []string{"a"}},
		{blame.Options{Stop: confseq.Ranking}, "pairs", []string{"a", "b", "c"}},
		{blame.Options{Stop: confseq.TopK, TopK: 2}, "elimination", []string{"a", "b"}},
		{blame.Options{Stop: confseq.Width, Width: 0.2}, "hedged", nil},
		{blame.Options{Stop: confseq.Top1, Method: blame.Permutation, Permutations: 4}, "elimination", []string{"a"}},
		{blame.Options{Stop: confseq.Top1, Mode: blame.Prior, Worlds: 2}, "elimination", []string{"a"}},
	}
	cases := culpritCases(600, 4)
	for _, test := range tests {
		name := string(test.o.Stop) + " by " + test.rule + ", " + string(test.o.Claim) + string(test.o.Method) + string(test.o.Mode)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, want := test.o, ""
			o.Harm, o.KeepCases, o.Delta = -1, 3, 0.1
			for _, concurrency := range []int{1, 8} {
				o.Concurrency = concurrency
				told := 0
				o.Each = func(blame.CaseResult) { told++ }
				r := batchOf(t, culprits(), cases, o)
				sep := r.Summary.Separation
				if sep.Rule != test.rule || r.Settings.Rule != test.rule || sep.Goal != string(o.Stop) || sep.Text == "" {
					t.Fatalf("separation %+v", sep)
				}
				if stopped := r.Summary.Cases < 600; stopped != sep.Reached || stopped != (r.Summary.Stopped != "all cases") {
					t.Fatalf("%d cases, stopped by %s, reached %v", r.Summary.Cases, r.Summary.Stopped, sep.Reached)
				}
				if told != r.Summary.Cases || sep.Cases != r.Summary.Analyzed || r.Summary.Partial {
					t.Fatalf("told of %d cases, %+v", told, r.Summary)
				}
				if sep.Reached != (test.rule != "bernstein") || !slices.Equal(sep.Leaders, test.leaders) {
					t.Fatalf("after %d cases: %+v", sep.Cases, sep)
				}
				text, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				if want == "" {
					want = string(text)
				}
				if diff := cmp.Diff(want, string(text)); diff != "" {
					t.Fatalf("concurrency %d differs: %s", concurrency, diff)
				}
			}
		})
	}
}

// TestStopIsRight: over many batches of which a leads, the rules that promise so
// declare another step in at most delta of them.
func TestStopIsRight(t *testing.T) {
	const delta = 0.1
	streams := rounds(60)
	for _, claim := range []blame.Claim{blame.Traffic, blame.ThisBatch} {
		wrong, declared, cases := 0, 0, 0
		for i := range streams {
			batch := culpritCases(60, uint64(i))
			r := batchOf(t, culprits(), batch, blame.Options{
				Seed: uint64(i), Stop: confseq.Top1, Delta: delta, Claim: claim, Harm: -1, KeepCases: -1,
			})
			sep := r.Summary.Separation
			if !sep.Reached {
				continue
			}
			declared++
			cases += sep.Cases
			counts := make([]int, 3)
			for _, c := range batch {
				counts[c.Expected.(int)]++
			}
			best := "a"
			if claim == blame.ThisBatch { // the claim is about these 60
				best = ""
				for k, n := range counts {
					if n == slices.Max(counts) {
						best += string(rune('a' + k))
					}
				}
			}
			if !strings.Contains(best, sep.Leaders[0]) {
				wrong++
			}
		}
		if wrong > mostMisses(delta, streams) || declared < streams/4 {
			t.Errorf("%s: of %d batches %d declared, %d wrongly", claim, streams, declared, wrong)
		}
	}
}

// TestBatchClaim draws without replacement: at the end, what is said of this
// batch is certain, and it is declared sooner than what is said of traffic.
func TestBatchClaim(t *testing.T) {
	cases := culpritCases(40, 8)
	sooner := 0
	for seed := range uint64(30) {
		o := blame.Options{Seed: seed, Stop: confseq.Top1, Harm: -1, KeepCases: -1}
		traffic := batchOf(t, culprits(), cases, o)
		o.Claim = blame.ThisBatch
		batch := batchOf(t, culprits(), cases, o)
		if !batch.Summary.Separation.Reached {
			t.Fatalf("a leads in this batch, and isn't declared after all of it: %+v", batch.Summary)
		}
		if !strings.Contains(batch.Summary.Separation.Over, "this batch of 40") || strings.Contains(traffic.Summary.Separation.Over, "this batch") {
			t.Fatalf("claims are about %q and %q", batch.Summary.Separation.Over, traffic.Summary.Separation.Over)
		}
		if batch.Summary.CostFactual != traffic.Summary.CostFactual && batch.Summary.Cases == traffic.Summary.Cases {
			t.Fatalf("factual runs of as many cases cost %v and %v", batch.Summary.CostFactual, traffic.Summary.CostFactual)
		}
		if batch.Summary.Separation.Cases < traffic.Summary.Separation.Cases {
			sooner++
		}
	}
	if sooner < 20 {
		t.Errorf("of 30 orders, in %d the claim about the batch came sooner", sooner)
	}
	whole := batchOf(t, culprits(), cases, blame.Options{Claim: blame.ThisBatch, Harm: -1, KeepCases: -1})
	for _, s := range whole.Steps {
		if e := s.Shapley; *e.High-*e.Low > 1e-6 || *e.Low > e.Mean+1e-9 || *e.High < e.Mean-1e-9 {
			t.Errorf("after all of the batch the blame of %s is %v in [%v, %v]", s.Name, e.Mean, *e.Low, *e.High)
		}
	}
}

// TestStopWrongly is refused before anything runs.
func TestStopWrongly(t *testing.T) {
	for want, o := range map[string]blame.Options{
		"unknown goal":                        {Stop: "first"},
		"unknown rule":                        {Stop: confseq.Top1, Rule: "guess"},
		"topk needs to know of how many":      {Stop: confseq.TopK},
		"at least 1, and top-k is -1":         {Stop: confseq.TopK, TopK: -1},
		"topk is 3":                           {Stop: confseq.TopK, TopK: 3},
		"the goal width needs":                {Stop: confseq.Width},
		"there is no mode":                    {Mode: "posteriori"},
		"there is no method":                  {Method: "perm"},
		"there is no claim":                   {Claim: "world"},
		"-1 permutations":                     {Permutations: -1},
		"can't be used with calls as players": {Stop: confseq.Top1, Calls: true},
	} {
		r, err := blame.Batch(t.Context(), culprits(), culpritCases(3, 1), o)
		if err == nil || !strings.Contains(err.Error(), want) || r != nil {
			t.Errorf("want %q: error %v, a result %v", want, err, r != nil)
		}
	}
	_, err := blame.Case(t.Context(), culprits(), culpritCases(1, 1)[0], blame.Options{Stop: confseq.TopK})
	if err == nil || !strings.Contains(err.Error(), "topk needs to know") {
		t.Errorf("case: error %v", err)
	}
}
