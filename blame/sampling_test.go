package blame_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
)

func drawTables(t *rapid.T, s shape) *tables {
	s.function, s.shy = rapid.Bool().Draw(t, "function"), rapid.Bool().Draw(t, "shy")
	s.steps = rapid.IntRange(min(2, s.steps), s.steps).Draw(t, "steps")
	return randomTables(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)), s)
}

// failing returns the first of many cases that fails; ok is false if none does.
func (p *tables) failing(seed uint64) (c pipeline.Case, ok bool) {
	for _, c := range p.cases(50) {
		if p.score(c, factual(c, seed), make([]int, len(p.steps)), nil) < 1 {
			return c, true
		}
	}
	return pipeline.Case{}, false
}

// TestSampledSum: whatever is sampled, the values add up to what all fixes gain,
// and exact values agree with them within the intervals.
func TestSampledSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTables(t, shape{steps: 6, levels: 3, noisy: true})
		o := blame.Options{
			Method: blame.Permutation, Permutations: 8 * rapid.IntRange(1, 6).Draw(t, "orders"), Antithetic: rapid.Bool().Draw(t, "antithetic"),
			Mode: rapid.SampledFrom([]blame.Mode{blame.Recorded, blame.Posterior, blame.Prior}).Draw(t, "mode"), Worlds: 4,
		}
		c, ok := p.failing(0)
		if !ok {
			t.Skip("nothing fails")
		}
		r, err := blame.Case(t.Context(), p.pipeline(), c, o)
		if err != nil || r.Undefined != "" {
			t.Fatalf("%s, %v", brief(r), err)
		}
		o.Method = blame.Exact
		exact, err := blame.Case(t.Context(), p.pipeline(), c, o)
		if err != nil || exact.Undefined != "" {
			t.Fatalf("%s, %v", brief(exact), err)
		}
		if len(p.players()) == 0 {
			return
		}
		total := 0.0
		for _, v := range r.Shapley {
			total += v.Value
		}
		// Each world has as many orders as any other.
		near(t, "sum", []float64{total}, []float64{gain(*exact)}, 1e-9)
		if r.Method != "permutation" || r.Permutations != o.Permutations || r.Stopped != "max permutations" || r.MinimalRepairs != nil || r.FixAlone != nil {
			t.Fatalf("sampled: %s", brief(r))
		}
	})
}

// TestIntervalsCover samples the same cases with many seeds: how often intervals
// miss an exact value, of any player, keeps to delta.
func TestIntervalsCover(t *testing.T) {
	const seeds, delta = 40, 0.1
	games := rounds(8)
	for name, o := range map[string]blame.Options{
		"plain":           {},
		"antithetic":      {Antithetic: true},
		"stopped early":   {Stop: "top1"},
		"hoeffding":       {SampleRule: "hoeffding"},
		"worlds":          {Mode: blame.Prior, Worlds: 4},
		"stopped, plugin": {Stop: "top1", SampleRule: "plugin"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(3, 3))
			misses, narrow, runs := 0, 0, 0
			for runs < games*seeds {
				p := randomTables(rng, shape{steps: 4, levels: 3, sure: true, noisy: o.Mode == blame.Prior})
				c, ok := p.failing(0)
				if !ok {
					continue
				}
				o.Delta, o.Permutations = delta, 100
				world := uint64(7)
				c.Seed = &world
				for i := range seeds {
					// Without noise the case's seed draws the orders alone.
					if seed := uint64(i); o.Mode != blame.Prior {
						c.Seed = &seed
					}
					o.Method = blame.Exact
					exact := one(t, p.pipeline(), c, o)
					if exact.Passed {
						break
					}
					o.Method = blame.Permutation
					r := one(t, p.pipeline(), c, o)
					missed := false
					for k, v := range exact.Shapley {
						i := r.Intervals[k].Value
						missed = missed || v.Value < i.Low-1e-12 || v.Value > i.High+1e-12
						if i.High-i.Low < 1.9 {
							narrow++
						}
					}
					if runs++; missed {
						misses++
					}
					if o.Mode == blame.Prior {
						break // the orders would be the same
					}
				}
			}
			if most := mostMisses(delta, runs); misses > most {
				t.Errorf("%d of %d runs miss, more than %d", misses, runs, most)
			}
			if narrow < runs {
				t.Errorf("only %d of %d intervals say anything", narrow, runs*4)
			}
		})
	}
}

// TestCaseStops ends sampling when a player is known to lead, and names it.
func TestCaseStops(t *testing.T) {
	p := formula(func(s map[string]bool) bool { return s["a"] && (s["b"] || s["c"] || s["d"]) }, "a", "b", "c", "d")
	wrong, stopped := 0, 0
	const runs = 200
	for i := range runs {
		seed, c := uint64(i), question()
		c.Seed = &seed
		r := one(t, p, c, blame.Options{Method: blame.Permutation, Stop: "top1", Delta: 0.1})
		if r.Stopped != "separated (top1)" {
			continue
		}
		if stopped++; r.Permutations == 1024 {
			t.Fatalf("it didn't stop early: %s", brief(r))
		}
		best := r.Shapley[0]
		for _, v := range r.Shapley {
			if v.Value > best.Value {
				best = v
			}
		}
		if best.Player != "a" {
			wrong++
		}
	}
	if stopped < runs || wrong > mostMisses(0.1, runs) {
		t.Errorf("of %d runs %d stopped and %d were wrong", runs, stopped, wrong)
	}
}

// TestBatchSamplesToTheEnd: in a batch no case stops sampling for what it shows,
// which would bias what the batch's rule is told.
func TestBatchSamplesToTheEnd(t *testing.T) {
	p := formula(func(s map[string]bool) bool { return s["a"] }, "a", "b")
	r := batchOf(t, p, []pipeline.Case{question()}, blame.Options{Method: blame.Permutation, Permutations: 500, Stop: "top1"})
	if c := r.Cases[0]; c.Permutations != 500 || c.Stopped != "max permutations" {
		t.Errorf("sampling stopped after %d orders: %s", c.Permutations, c.Stopped)
	}
	c := one(t, p, question(), blame.Options{Method: blame.Permutation, Permutations: 500, Stop: "top1"})
	if c.Permutations == 500 || c.Stopped != "separated (top1)" {
		t.Errorf("on its own, the case stopped after %d orders: %s", c.Permutations, c.Stopped)
	}
}

// TestSampledBudget spends no more than it may, and says so.
func TestSampledBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTables(t, shape{steps: 6, levels: 3, noisy: true, sure: true})
		c, ok := p.failing(0)
		if !ok {
			t.Skip("nothing fails")
		}
		budget := float64(rapid.IntRange(1, 200).Draw(t, "budget")) / 4
		p.runs.take()
		r, err := blame.Case(t.Context(), p.pipeline(), c, blame.Options{
			Method: blame.Permutation, Budget: budget, Permutations: 200, Antithetic: rapid.Bool().Draw(t, "antithetic"),
			Mode: rapid.SampledFrom([]blame.Mode{blame.Recorded, blame.Prior}).Draw(t, "mode"), Worlds: 3,
		})
		if err != nil {
			t.Fatal(err)
		}
		times, spent := p.runs.take()
		for run, n := range times {
			if n > 1 {
				t.Fatalf("%s ran %d times", run, n)
			}
		}
		if r.Cost > budget || spent-r.CostFactual > budget {
			t.Fatalf("cost %v and runs for %v, of %v", r.Cost, spent-r.CostFactual, budget)
		}
		switch {
		case r.Undefined != "":
			if !strings.Contains(r.Undefined, "the budget is used up before one order of the players was replayed") || r.Shapley != nil {
				t.Fatalf("undefined: %q, blame %v", r.Undefined, r.Shapley)
			}
		case r.Stopped == "budget":
			if r.Permutations >= 200 || len(r.Intervals) != len(r.Shapley) {
				t.Fatalf("stopped by the budget after %d orders, intervals %v", r.Permutations, r.Intervals)
			}
		case r.Stopped != "max permutations":
			t.Fatalf("stopped: %s", r.Stopped)
		}
	})
}

// TestNoPlayers has nothing that could be to blame, whatever the method.
func TestNoPlayers(t *testing.T) {
	step := pipeline.NewStep("s", same)
	p := pipeline.New("p", step.Do, equals, step)
	for _, method := range []blame.Method{blame.Auto, blame.Exact, blame.Permutation} {
		for _, calls := range []bool{false, true} {
			r, err := blame.Case(t.Context(), p, numbered(1, 2), blame.Options{Method: method, Calls: calls})
			if err != nil || r.Undefined != "" || len(r.Shapley) > 0 {
				t.Errorf("%s, calls %v: %s, error %v", method, calls, brief(r), err)
			}
			b, err := blame.Batch(t.Context(), p, []pipeline.Case{numbered(1, 2), numbered(1, 1)}, blame.Options{Method: method, Calls: calls, Stop: ""})
			if err != nil || b.Summary.Failures != 1 || b.Summary.Undefined != 0 || len(b.Steps) > 0 {
				t.Errorf("%s, calls %v: %d steps, error %v", method, calls, len(b.Steps), err)
			}
		}
	}
}

// TestEstimated has more states than may be explored. A model's estimate stands
// beside the unbiased one with its intervals and what is certain.
func TestEstimated(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	misses, runs, cut := 0, 0, 0
	const delta = 0.1
	for runs < rounds(150) {
		p := randomTables(rng, shape{steps: 6, levels: 3, sure: true, function: rng.IntN(2) == 0, noisy: true})
		c, ok := p.failing(0)
		if !ok {
			continue
		}
		o := blame.Options{Nodes: 3 + rng.IntN(6), Evaluations: 60, Delta: delta, Concurrency: 1 + rng.IntN(4)}
		r := one(t, p.pipeline(), c, o)
		o.Nodes = 0
		exact := one(t, p.pipeline(), c, o)
		if r.Method == "exact" {
			continue // its states merge
		}
		runs++
		if r.Unbiased == nil || len(r.Intervals) != 6 || len(r.Bounds) != 6 || !strings.HasPrefix(r.Reason, "there are more than") {
			t.Fatalf("estimated: %s", brief(r))
		}
		sums := make([]float64, 2)
		missed := false
		for k, v := range exact.Shapley {
			sums[0] += r.Shapley[k].Value
			sums[1] += r.Unbiased[k].Value
			b, i := r.Bounds[k].Value, r.Intervals[k].Value
			if v.Value < b.Low-1e-9 || v.Value > b.High+1e-9 {
				t.Fatalf("the value %v of %s lies outside %v", v.Value, v.Player, b)
			}
			if i.Low < b.Low || i.High > b.High {
				t.Fatalf("the interval %v leaves what is certain, %v", i, b)
			}
			missed = missed || v.Value < i.Low-1e-9 || v.Value > i.High+1e-9
			if b.High-b.Low < 1.9 {
				cut++
			}
		}
		near(t, "sums", sums, []float64{gain(*exact), gain(*exact)}, 1e-9)
		if missed {
			misses++
		}
	}
	if most := mostMisses(delta, runs); misses > most {
		t.Errorf("%d of %d runs miss, more than %d", misses, runs, most)
	}
	if cut == 0 {
		t.Error("bounds never said anything")
	}
}

// TestUnbiasedEnters: what a batch concludes rests on the unbiased estimates.
func TestUnbiasedEnters(t *testing.T) {
	p := randomTables(rand.New(rand.NewPCG(9, 10)), shape{steps: 7, sure: true, function: true})
	r := batchOf(t, p.pipeline(), p.cases(30), blame.Options{Nodes: 8, Evaluations: 20, Harm: -1})
	n, means, models := 0.0, make([]float64, 7), make([]float64, 7)
	for _, c := range r.Cases {
		if c.Passed {
			continue
		}
		n++
		for k := range c.Shapley {
			models[k] += c.Shapley[k].Value
			if c.Unbiased != nil {
				means[k] += c.Unbiased[k].Value
			} else {
				means[k] += c.Shapley[k].Value
			}
		}
	}
	var got []float64
	apart := 0.0
	for k, s := range r.Steps {
		got = append(got, n*s.Shapley.Mean)
		apart = max(apart, math.Abs(models[k]-means[k]))
	}
	near(t, "sums", got, means, 1e-9)
	if r.Summary.Sampled == 0 || apart < 1e-3 {
		t.Errorf("%d cases were sampled, and models differ by %v", r.Summary.Sampled, apart)
	}
	if r.Plan == nil {
		t.Error("no plan")
	}
}
