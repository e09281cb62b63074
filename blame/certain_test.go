package blame_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/pipeline"
)

// TestStopsWhenCertain has single cases end as soon as it is certain who is most
// to blame: what is said then is true, costs no more than exploring all, runs
// nothing twice and doesn't depend on the concurrency.
func TestStopsWhenCertain(t *testing.T) {
	early, whole := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawTables(t, shape{steps: 6, levels: 3, noisy: true, sure: true})
		c, ok := p.failing(5)
		if !ok {
			t.Skip("nothing fails")
		}
		o := blame.Options{
			Seed: 5, Mode: rapid.SampledFrom([]blame.Mode{blame.Recorded, blame.Posterior, blame.Prior}).Draw(t, "mode"), Worlds: 2,
		}
		want, err := blame.Case(t.Context(), p.pipeline(), c, o)
		if err != nil || want.Undefined != "" {
			t.Fatalf("%v, undefined: %s", err, want.Undefined)
		}
		o.Stop = confseq.Top1
		var first *blame.CaseResult
		for _, o.Concurrency = range []int{1, 8} {
			p.blocking = o.Concurrency > 1
			p.runs.take()
			r, err := blame.Case(t.Context(), p.pipeline(), c, o)
			if err != nil || r.Undefined != "" {
				t.Fatalf("%v, undefined: %s", err, r.Undefined)
			}
			times, _ := p.runs.take()
			for run, n := range times {
				if n > 1 {
					t.Fatalf("%s ran %d times", run, n)
				}
			}
			if first == nil {
				first = r
			} else if diff := cmp.Diff(first, r, cmpopts.IgnoreUnexported(blame.CaseResult{})); diff != "" {
				t.Fatalf("concurrency %d differs (-1 +this):\n%s", o.Concurrency, diff)
			}
		}
		if first.Method == "exact" {
			whole++
			if diff := cmp.Diff(want, first, cmpopts.IgnoreUnexported(blame.CaseResult{})); diff != "" {
				t.Fatalf("nothing was certain early (-without a goal +with):\n%s", diff)
			}
			return
		}
		early++
		checkCertain(t, first, want)
	})
	if early < 8 || whole < 8 {
		t.Errorf("%d cases ended early, %d were explored whole", early, whole)
	}
}

// TestCertainSaves has states that never merge, where the end saves the most: the
// first step alone repairs all, the last one does, or the first with any other.
func TestCertainSaves(t *testing.T) {
	const n = 7
	for name, score := range map[string]func(_ pipeline.Case, fixed int) float64{
		"a": func(_ pipeline.Case, fixed int) float64 { return float64(fixed & 1) },
		"g": func(_ pipeline.Case, fixed int) float64 { return float64(fixed >> (n - 1)) },
		"a with another": func(_ pipeline.Case, fixed int) float64 {
			if fixed&1 > 0 && fixed > 1 {
				return 1
			}
			return 0
		},
	} {
		whole := one(t, chain(n, score), question(), blame.Options{})
		r := one(t, chain(n, score), question(), blame.Options{Stop: confseq.Top1})
		if r.CertainTop != name[:1] || r.Cost > 0.7*whole.Cost {
			t.Errorf("%s: %s is certain, for %v of %v", name, r.CertainTop, r.Cost, whole.Cost)
		}
	}
}

// checkCertain holds what is certain of a case against its exact values.
func checkCertain(t *rapid.T, r, exact *blame.CaseResult) {
	t.Helper()
	if r.Method != "bounds" || r.Stopped != "separated (top1)" || !strings.Contains(r.Reason, "certain who is most to blame") {
		t.Fatalf("method %s, stopped by %q, since %q", r.Method, r.Stopped, r.Reason)
	}
	if r.Shapley != nil || r.FixAlone != nil || r.MinimalRepairs != nil || !(r.Coverage > 0 && r.Coverage < 1) || r.Coalitions >= exact.Coalitions {
		t.Fatalf("of %v coalitions %v are known, and there are values: %v", exact.Coalitions, r.Coalitions, r.Shapley != nil)
	}
	if *r.ScoreFixed != *exact.ScoreFixed || r.LastTouch != exact.LastTouch || r.Cost > exact.Cost+1e-9 {
		t.Fatalf("score with every fix %v, last touch %s, cost %v; want %v, %s, at most %v", *r.ScoreFixed, r.LastTouch, r.Cost, *exact.ScoreFixed, exact.LastTouch, exact.Cost)
	}
	top := exact.Shapley.Get(r.CertainTop)
	for i, v := range exact.Shapley {
		b := r.Bounds[i].Value
		if v.Value < b.Low-1e-9 || v.Value > b.High+1e-9 {
			t.Fatalf("the value of %s is %v, its bounds are %v", v.Player, v.Value, b)
		}
		if v.Player != r.CertainTop && v.Value >= top {
			t.Fatalf("%s is said to be the top of %v", r.CertainTop, exact.Shapley)
		}
	}
}

// TestCertainOnlyAlone: in a batch, and where exact values are asked for, no case
// ends for what its own values show.
func TestCertainOnlyAlone(t *testing.T) {
	p := formula(func(s map[string]bool) bool { return s["a"] && (s["b"] || s["c"] || s["d"]) }, "a", "b", "c", "d")
	o := blame.Options{Stop: confseq.Top1}
	if r := one(t, p, question(), o); r.Method != "bounds" || r.CertainTop != "a" {
		t.Errorf("on its own: %s, top %q", r.Method, r.CertainTop)
	}
	if r := batchOf(t, p, []pipeline.Case{question()}, o).Cases[0]; r.Method != "exact" || r.CertainTop != "" {
		t.Errorf("in a batch: %s, top %q", r.Method, r.CertainTop)
	}
	for name, change := range map[string]func(*blame.Options){
		"exact":     func(o *blame.Options) { o.Method = blame.Exact },
		"calls":     func(o *blame.Options) { o.Calls = true },
		"no goal":   func(o *blame.Options) { o.Stop = "" },
		"a ranking": func(o *blame.Options) { o.Stop = confseq.Ranking },
	} {
		o := o
		change(&o)
		if r := one(t, p, question(), o); r.Method != "exact" || r.CertainTop != "" || r.Bounds != nil {
			t.Errorf("%s: %s, top %q", name, r.Method, r.CertainTop)
		}
	}
}

// TestCertainErrors lists the step runs that failed in what was replayed.
func TestCertainErrors(t *testing.T) {
	p := formula(func(s map[string]bool) bool { return s["a"] && (s["b"] || s["c"] || s["d"]) }, "a", "b", "c", "d")
	fail(p, "d")
	want := one(t, p, question(), blame.Options{})
	r := one(t, p, question(), blame.Options{Stop: confseq.Top1})
	if r.Method != "bounds" || len(want.Errors) == 0 {
		t.Fatalf("method %s, %d errors", r.Method, len(want.Errors))
	}
	// Which set of fixes is named depends on what was replayed.
	if diff := cmp.Diff(want.Errors, r.Errors, cmpopts.IgnoreFields(blame.CaseError{}, "Coalition")); diff != "" {
		t.Errorf("errors (-explored +until certain):\n%s", diff)
	}
}

// TestReason says why a method was chosen, where that wasn't asked for.
func TestReason(t *testing.T) {
	p := chain(4, func(_ pipeline.Case, fixed int) float64 { return float64(fixed & 1) })
	for want, o := range map[string]blame.Options{
		"exact: there are no more than 32768 states to explore":     {},
		"exact: there are no more than 15 states to explore":        {Nodes: 15},
		"exact: every coalition is replayed, with noise of its own": {Independent: true},
		"exact: ":       {Method: blame.Exact},
		"permutation: ": {Method: blame.Permutation},
		"model: there are more than 2 states to explore; weights by leave-one-out residuals: ":                              {Nodes: 2, Evaluations: 5},
		"permutation: there are more than 2 states to explore; the budget ended before a model of the game could be fitted": {Nodes: 2, Evaluations: 5, Budget: 16},
	} {
		r := one(t, p, question(), o)
		if got := r.Method + ": " + r.Reason; got != want && !(r.Method == "model" && strings.HasPrefix(got, want)) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestModelOfLess: where the budget ends before all coalitions of a model are
// replayed, one is fitted to those that are.
func TestModelOfLess(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 14))
	less, none := 0, 0
	for range rounds(30) {
		p := randomTables(rng, shape{steps: 6, levels: 3, sure: true, noisy: true, function: true})
		c, ok := p.failing(0)
		if !ok {
			continue
		}
		o := blame.Options{Nodes: 3, Evaluations: 40, Permutations: 2}
		full := one(t, p.pipeline(), c, o)
		for share := 0.3; share < 1 && full.Method == "model"; share += 0.1 {
			o.Budget = full.Cost * share
			r, err := blame.Case(t.Context(), p.pipeline(), c, o)
			if err != nil || r.Cost > o.Budget*(1+1e-9) {
				t.Fatalf("cost %v of %v, error %v", r.Cost, o.Budget, err)
			}
			switch {
			case r.Undefined != "":
			case r.Method == "permutation":
				none++
				if r.Unbiased != nil || !strings.HasSuffix(r.Reason, "the budget ended before a model of the game could be fitted") {
					t.Fatalf("method %s, since %s", r.Method, r.Reason)
				}
			default:
				less++
				sum := 0.0
				for _, v := range r.Shapley {
					sum += v.Value
				}
				near(t, "sum", []float64{sum}, []float64{gain(*one(t, p.pipeline(), c, blame.Options{}))}, 1e-9)
				if r.Unbiased == nil || r.Method != "model" {
					t.Fatalf("method %s, unbiased %v", r.Method, r.Unbiased)
				}
			}
		}
	}
	if less < rounds(20) || none < rounds(10) {
		t.Errorf("%d models of fewer coalitions, %d times none", less, none)
	}
}

// fail makes a step's fix fail.
func fail(p *pipeline.Pipeline, step string) {
	i := slices.Index(p.StepNames(), step)
	p.Steps[i].Impls[1].Run = func(context.Context, pipeline.Args) (any, error) { return nil, errors.New("out of order") }
}
