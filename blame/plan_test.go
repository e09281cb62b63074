package blame_test

import (
	"cmp"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
)

// TestPlan searches the best sets of fixes of random pipelines by running all of
// them, and what these break on every passing case.
func TestPlan(t *testing.T) {
	planned := 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawTables(t, shape{steps: 5, levels: 3, noisy: true})
		o := blame.Options{
			Mode: rapid.SampledFrom([]blame.Mode{blame.Recorded, blame.Posterior, blame.Prior}).Draw(t, "mode"), Worlds: 2,
			Pass: rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "pass"), Seed: 5,
		}
		pass := cmp.Or(o.Pass, 1)
		cases := p.cases(8)
		r := batchOf(t, p.pipeline(), cases, o)
		players := p.players()
		n := len(players)
		impls := func(mask int) []int {
			out := make([]int, len(p.steps))
			for k, step := range players {
				out[step] = mask >> k & 1
			}
			return out
		}
		resolved, cost, broken := make([]float64, 1<<n), make([]float64, 1<<n), make([]float64, 1<<n)
		failing, passing := 0.0, 0.0
		for _, c := range cases {
			if p.score(c, factual(c, 5), impls(0), nil) >= pass {
				passing++
				for mask := range broken {
					if p.score(c, factual(c, 5), impls(mask), nil) < pass {
						broken[mask]++
					}
				}
				continue
			}
			failing++
			worlds := p.worlds(t, c, o.Mode, 2)
			for _, w := range worlds {
				for mask, v := range p.game(c, w) {
					if v >= pass {
						resolved[mask] += 1 / float64(len(worlds))
					}
				}
			}
			for mask := range cost {
				cost[mask] += p.cost(impls(mask))
			}
		}
		most := slices.Max(append([]float64{0}, resolved[1:]...))
		if most == 0 {
			if r.Plan != nil {
				t.Fatalf("nothing resolves anything, and the plan is %+v", r.Plan)
			}
			return
		}
		planned++
		for k, set := range r.Plan.Sets {
			mask := p.maskOf(set.Fixes)
			best, cheapest := -1.0, 0.0
			for other := range resolved {
				if bits.OnesCount(uint(other)) != k+1 {
					continue
				}
				if resolved[other] > best || resolved[other] == best && cost[other] < cheapest {
					best, cheapest = resolved[other], cost[other]
				}
			}
			near(t, "what set resolves, best, and costs", []float64{set.Resolves * failing, set.Cost * failing}, []float64{best, cheapest}, 1e-9)
			near(t, "what it does", []float64{resolved[mask], cost[mask]}, []float64{best, cheapest}, 1e-9)
			if last := k == len(r.Plan.Sets)-1; last != (best == most) || set.Gap != 0 || !r.Plan.Exact {
				t.Fatalf("set %d of %+v, where the best resolves %v of %v", k, r.Plan, best, most)
			}
			if passing == 0 {
				continue
			}
			all := failing + passing
			near(t, "what it breaks, and the net", []float64{set.Breaks.Rate, *set.Net}, []float64{broken[mask] / passing, (best - broken[mask]) / all}, 1e-9)
			if set.Breaks.Count != int(broken[mask]) || set.Breaks.Of != int(passing) {
				t.Fatalf("breaks %+v, want %v of %v", set.Breaks, broken[mask], passing)
			}
		}
	})
	if planned < 20 { // about half of the draws have a failure that something repairs
		t.Errorf("of 100 draws only %d have a plan", planned)
	}
}

// maskOf is a coalition of steps by name.
func (p *tables) maskOf(fixes []string) int {
	mask := 0
	for k, step := range p.players() {
		if slices.Contains(fixes, p.steps[step].name) {
			mask |= 1 << k
		}
	}
	return mask
}

// TestGreedyPlan has more steps than are compared in all sets: one fix after
// another, with a gap that says how much better others might be.
func TestGreedyPlan(t *testing.T) {
	// Two kinds of cases: one needs a and b, the other c. The greedy plan begins
	// with c; the best pair for the first kind isn't found before three.
	p := chain(18, func(c pipeline.Case, fixed int) float64 {
		if c.Expected == "pair" && fixed&3 == 3 || c.Expected == "c" && fixed&4 > 0 {
			return 1
		}
		return 0
	})
	var cases []pipeline.Case
	for i, kind := range []string{"pair", "pair", "c"} {
		c := question()
		c.ID, c.Expected = string(rune('0'+i)), kind
		cases = append(cases, c)
	}
	r := batchOf(t, merging(p), cases, blame.Options{Harm: -1})
	if r.Plan.Exact || len(r.Plan.Sets) != 3 {
		t.Fatalf("plan %+v", r.Plan)
	}
	for k, want := range []blame.PlanSet{
		{Fixes: []string{"c"}, Resolves: 1. / 3, Gap: 0},
		{Fixes: []string{"a", "c"}, Resolves: 1. / 3, Gap: 2. / 3}, // a and b would resolve two
		{Fixes: []string{"a", "b", "c"}, Resolves: 1, Gap: 0},
	} {
		got := r.Plan.Sets[k]
		near(t, "resolves and gap", []float64{got.Resolves, got.Gap}, []float64{want.Resolves, want.Gap}, 1e-12)
		if !slices.Equal(got.Fixes, want.Fixes) {
			t.Errorf("set %d is %v, want %v", k, got.Fixes, want.Fixes)
		}
	}
}

// merging makes fixes beyond the third do what the as-run implementations do, so
// that states merge.
func merging(p *pipeline.Pipeline) *pipeline.Pipeline {
	for i, s := range p.Steps {
		if i > 2 {
			s.Impls[1].Run = s.Impls[0].Run
		}
	}
	return p
}

// cost works out what running a case with some implementations costs.
func (p *tables) cost(impls []int) float64 {
	sum := 0.0
	for i, t := range p.steps {
		sum += t.costs[impls[i]]
	}
	return sum
}
