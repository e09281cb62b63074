package demo

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/replay"
)

func eightBatch(t *testing.T, seed uint64) *blame.Result {
	t.Helper()
	r, err := blame.BatchOf(t.Context(), Eight(), EightCases{eightCases, seed}, blame.Options{Method: blame.Exact})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestEightFirstCase(t *testing.T) {
	r, err := blame.Case(t.Context(), Eight(), EightCases{1, eightSeed}.At(0), blame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, v := range r.ShapleyExact {
		got[v.Player] = v.Value
	}
	want := map[string]string{
		"intake": "7/60", "router": "7/60", "planner": "7/60", "search": "7/60",
		"extractor": "0", "calculator": "0", "drafter": "8/15", "guardrail": "0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
	repairs := [][]string{
		{"intake", "planner", "drafter"}, {"intake", "search", "drafter"},
		{"router", "planner", "drafter"}, {"router", "search", "drafter"},
	}
	if diff := cmp.Diff(repairs, r.MinimalRepairs); diff != "" {
		t.Errorf("repairs (-want +got):\n%s", diff)
	}
	if r.Coalitions != 256 || r.Cost != 126 || r.CostUncached != 6528 {
		t.Errorf("%v coalitions, cost %v, uncached %v", r.Coalitions, r.Cost, r.CostUncached)
	}
}

// The first case passes with the fixes of the drafter, of intake or router, and
// of planner or search: every coalition is replayed on its own.
func TestEightFirstCaseLaw(t *testing.T) {
	e, err := replay.New(Eight(), replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := EightCases{1, eightSeed}.At(0)
	for mask := range uint64(256) {
		s, err := e.Case(&c, 0)
		if err != nil {
			t.Fatal(err)
		}
		fixed := game.FromMask(mask)
		want := 0.0
		if fixed.Has(6) && (fixed.Has(0) || fixed.Has(1)) && (fixed.Has(2) || fixed.Has(3)) {
			want = 1
		}
		if got, err := s.Value(t.Context(), 0, fixed); err != nil || got != want {
			t.Errorf("coalition %v: %v, not %v (%v)", fixed, got, want, err)
		}
	}
}

func TestEightBatch(t *testing.T) {
	for _, seed := range []uint64{eightSeed, 1} {
		r := eightBatch(t, seed)
		if seed == eightSeed {
			checkHarm(t, r)
		}
		s := r.Summary
		if s.Failures != 400 || s.Analyzed != 400 || s.WithErrors != 0 {
			t.Errorf("seed %d: %+v", seed, s)
		}
		within(t, "not fixable", float64(s.Unfixable), 24, 64)
		for _, step := range r.Steps {
			low, high := 0.04, 0.12
			if step.Name == "drafter" {
				low, high = 0.25, 0.32
			}
			within(t, step.Name+"'s Shapley value", step.Shapley.Mean, low, high)
			if step.Resolves != 0 || step.FixAlone != 0 {
				t.Errorf("seed %d: the fix of %s alone resolves %v", seed, step.Name, step.Resolves)
			}
			if last := step.LastTouch; last != 0 && last != 400 || (last == 400) != (step.Name == "guardrail") {
				t.Errorf("seed %d: last touch blames %s for %d", seed, step.Name, last)
			}
		}
		within(t, "drafter's share", *r.Steps[6].Share, 0.3, 0.37)
	}
}

// checkHarm checks that in some cases the router's fix does harm: it breaks what
// other fixes repair.
func checkHarm(t *testing.T, r *blame.Result) {
	t.Helper()
	e, err := replay.New(Eight(), replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	harmed := 0
	for i, c := range r.Cases {
		if c.Shapley.Get("router") >= 0 {
			continue
		}
		harmed++
		pc := EightCases{eightCases, eightSeed}.At(i)
		s, err := e.Case(&pc, 0)
		if err != nil {
			t.Fatal(err)
		}
		breaks := false
		for mask := range uint64(256) {
			without, err := s.Value(t.Context(), 0, game.FromMask(mask).Without(1))
			if err != nil {
				t.Fatal(err)
			}
			with, err := s.Value(t.Context(), 0, game.FromMask(mask).With(1))
			if err != nil {
				t.Fatal(err)
			}
			breaks = breaks || with < without
		}
		if !breaks {
			t.Errorf("case %s: the router's value is %v, but its fix breaks nothing", c.ID, c.Shapley.Get("router"))
		}
	}
	within(t, "cases with harm", float64(harmed), 5, 40)
}

func TestEstimates(t *testing.T) {
	c := EightCases{1, eightSeed}.At(0)
	exact, err := blame.Case(t.Context(), Eight(), c, blame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	es, err := estimate(t.Context(), c, exact.Shapley)
	if err != nil {
		t.Fatal(err)
	}
	type row struct {
		Permutations int
		Stopped      string
	}
	var got []row
	for _, e := range es {
		got = append(got, row{e.result.Permutations, e.result.Stopped})
		if !e.covered {
			t.Errorf("%s, %d orders: an interval misses its exact value", e.name, e.result.Permutations)
		}
		if e.result.Cost > 126 {
			t.Errorf("%s: cost %v, more than exact values", e.name, e.result.Cost)
		}
	}
	want := []row{
		{16, "max permutations"}, {64, "max permutations"}, {256, "max permutations"}, {1024, "max permutations"},
		{692, confseq.ReasonTop1}, {692, confseq.ReasonTop1}, {5, confseq.ReasonBudget},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("estimates (-want +got):\n%s", diff)
	}
	if es[3].err > es[0].err/4 || es[3].radius > es[1].radius/4 {
		t.Errorf("errors %v and radii %v, %v don't shrink as 1/√orders", []float64{es[0].err, es[3].err}, es[1].radius, es[3].radius)
	}
	if cost := es[6].result.Cost; cost > 100 {
		t.Errorf("a budget of 100 was overspent: %v", cost)
	}
}

// That rule bernstein takes 1038 failures is in the golden file.
func TestEightAdaptive(t *testing.T) {
	for rule, failures := range map[string]int{"normal": 61, "elimination": 35} {
		r, err := adaptiveBatch(t.Context(), rule)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"drafter"}, r.Summary.Separation.Leaders); diff != "" || r.Summary.Analyzed != failures {
			t.Errorf("%s: %d failures (-want +got):\n%s", rule, r.Summary.Analyzed, diff)
		}
	}
}

// TestEightShipped counts by hand what fixes resolve and break on top of those
// that are shipped: the router's, which carries blame and repairs failures, breaks
// more than it repairs.
func TestEightShipped(t *testing.T) {
	ships := []string{"intake", "planner", "extractor", "drafter"}
	if plan := eightBatch(t, eightSeed).Plan.Sets[eightShips-1].Fixes; !slices.Equal(plan, ships) {
		t.Fatalf("the plan's set is %v", plan)
	}
	r, err := shippedBatch(t.Context(), ships)
	if err != nil {
		t.Fatal(err)
	}
	e, err := replay.New(Eight(), replay.Options{})
	if err != nil {
		t.Fatal(err)
	}
	base, passed := game.FromMask(1<<0|1<<2|1<<4|1<<6), 0
	resolves, breaks := map[string]int{}, map[string]int{}
	for i := range eightCases {
		pc := EightCases{eightCases, eightSeed}.At(i)
		s, err := e.Case(&pc, 0)
		if err != nil {
			t.Fatal(err)
		}
		before, err := s.Value(t.Context(), 0, base)
		if err != nil {
			t.Fatal(err)
		}
		passed += int(before)
		for k, name := range map[int]string{1: "router", 3: "search", 5: "calculator", 7: "guardrail"} {
			after, err := s.Value(t.Context(), 0, base.With(k))
			if err != nil {
				t.Fatal(err)
			}
			if after > before {
				resolves[name]++
			} else if after < before {
				breaks[name]++
			}
		}
	}
	if r.Summary.Passed != passed || r.Harm.Cases != passed || len(r.Steps) != 4 {
		t.Errorf("%d pass, tried on %d, %d players; by hand %d pass", r.Summary.Passed, r.Harm.Cases, len(r.Steps), passed)
	}
	for _, s := range r.Steps {
		if s.Breaks.Count != breaks[s.Name] || math.Round(s.Resolves*float64(r.Summary.Failures)) != float64(resolves[s.Name]) {
			t.Errorf("%s resolves %v and breaks %+v, by hand %d and %d", s.Name, s.Resolves, *s.Breaks, resolves[s.Name], breaks[s.Name])
		}
		if net := float64(resolves[s.Name]-breaks[s.Name]) / eightCases; math.Abs(*s.Net-net) > 1e-12 || (net < 0) != (s.Name == "router") {
			t.Errorf("%s: net %v, by hand %v", s.Name, *s.Net, net)
		}
		if s.Shapley.Mean < 0.1 {
			t.Errorf("%s: blame %v", s.Name, s.Shapley.Mean)
		}
	}
}
