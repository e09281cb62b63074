package blame_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
)

// TestBounds cuts explorations of random pipelines off at all budgets: what is
// said to be certain is true, and in the end all is known.
func TestBounds(t *testing.T) {
	cut, told, tops, whole := 0, 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawTables(t, shape{steps: 6, levels: 3, noisy: true})
		mode := rapid.SampledFrom([]blame.Mode{blame.Recorded, blame.Posterior, blame.Prior}).Draw(t, "mode")
		c, ok := p.failing(5)
		if !ok {
			t.Skip("nothing fails")
		}
		var games []game.Table
		for _, w := range p.worlds(t, c, mode, 2) {
			games = append(games, p.game(c, w))
		}
		want := shapleyOf(mean(games...))
		o := blame.Options{Mode: mode, Worlds: 2, Seed: 5, Method: blame.Exact}
		full, err := blame.Case(t.Context(), p.pipeline(), c, o)
		if err != nil || full.Undefined != "" {
			t.Fatalf("%s, %v", brief(full), err)
		}
		for range 4 {
			share := float64(rapid.IntRange(1, 24).Draw(t, "share of the cost")) / 20
			o.Budget = max(0.1, share*full.Cost)
			o.Nodes = rapid.SampledFrom([]int{0, 5}).Draw(t, "nodes")
			r, err := blame.Case(t.Context(), p.pipeline(), c, o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Undefined == "" {
				whole++
				near(t, "blame", valuesOfSteps(p, r.Shapley), want, 1e-12)
				if r.Bounds != nil || r.CertainTop != "" || r.Coverage != 0 {
					t.Fatalf("nothing was cut off: %s", brief(r))
				}
				continue
			}
			if cut++; share >= 1 && o.Nodes == 0 {
				t.Fatalf("with a budget of %v of %v: %s", o.Budget, full.Cost, r.Undefined)
			}
			if len(r.Bounds) != len(want) || r.Coverage < 0 || r.Coverage >= 1 || r.Shapley != nil {
				t.Fatalf("cut off: %s", brief(r))
			}
			for i, b := range r.Bounds {
				low, high := b.Value.Low, b.Value.High
				if low < -1 || high > 1 || want[i] < low-1e-9 || want[i] > high+1e-9 {
					t.Fatalf("the value of %s is %v, its bounds are [%v, %v]", b.Player, want[i], low, high)
				}
				if high-low < 1 {
					told++
				}
			}
			if r.CertainTop != "" {
				tops++
				top := slices.IndexFunc(r.Bounds, func(b blame.PlayerValue[blame.Bounds]) bool { return b.Player == r.CertainTop })
				for i, v := range want {
					if i != top && v > want[top]-1e-9 {
						t.Fatalf("%s is said to be the top of %v", r.CertainTop, want)
					}
				}
			}
		}
	})
	if cut < 50 || told < 50 || whole < 20 {
		t.Errorf("%d cases were cut off, %d bounds said much, %d tops were certain, %d cases were whole", cut, told, tops, whole)
	}
}

// TestCertainTop knows who is to blame before all is known: a repairs nearly all,
// b and c little.
func TestCertainTop(t *testing.T) {
	p := chain(5, func(_ pipeline.Case, fixed int) float64 {
		if fixed&1 > 0 && (fixed&8 > 0 || fixed&16 == 0 || fixed&6 == 6) {
			return 1
		}
		return 0
	})
	full := one(t, p, question(), blame.Options{})
	early := 0
	for budget := 0.5; budget < full.Cost; budget++ {
		r, err := blame.Case(t.Context(), p, question(), blame.Options{Budget: budget, Concurrency: 1})
		if err != nil {
			t.Fatal(err)
		}
		switch r.CertainTop {
		case "a":
			early++
		case "":
		default:
			t.Errorf("with a budget of %v of %v, %s is said to be the top of %v", budget, full.Cost, r.CertainTop, full.Shapley)
		}
	}
	if early == 0 {
		t.Error("nothing was certain early")
	}
}

// twoKinds is a pipeline whose cases are of two kinds. In even ones the step a is
// to blame and no other makes a difference. In odd ones b is, and so many states
// come before it that few can be explored.
func twoKinds(t *testing.T, before int) *pipeline.Pipeline {
	t.Helper()
	type state struct{ Case, Seen, Repaired int }
	var steps []*pipeline.Step[state, state]
	var given []pipeline.AnyStep
	for i := range before + 2 {
		name := fmt.Sprint("s", i)
		repairs := -1 // the kind of cases
		switch i {
		case 0:
			name, repairs = "a", 0
		case before + 1:
			name, repairs = "b", 1
		}
		s := pipeline.NewStep(name, func(_ context.Context, in state) (state, error) { return in, nil }).
			Variant("fix", func(_ context.Context, in state) (state, error) {
				if in.Case%2 == 1 {
					in.Seen = in.Seen*2 + 1
				}
				if in.Case%2 == repairs {
					in.Repaired = 1
				}
				return in, nil
			})
		steps, given = append(steps, s), append(given, s)
	}
	return pipeline.New("two kinds", func(ctx context.Context, n int) (int, error) {
		at := state{Case: n}
		for i, s := range steps {
			at.Seen += i << 20
			var err error
			if at, err = s.Do(ctx, at); err != nil {
				return 0, err
			}
		}
		return at.Repaired, nil
	}, func(_ context.Context, _ pipeline.Case, repaired int) (float64, error) { return float64(repaired), nil }, given...)
}

// kinds are cases of it: many odd ones and few even ones.
func kinds(odd, even int) []pipeline.Case {
	var out []pipeline.Case
	for i := range odd + even {
		n := 2 * i
		if i < odd {
			n++
		}
		out = append(out, pipeline.Case{ID: fmt.Sprint("c", i), Inputs: map[string]any{"n": n}})
	}
	return out
}

// TestCutCasesEnter: cases that were cut off are not left out of what is
// concluded, whatever the rule. Those that can be explored all blame a, the
// others, which are more, b.
func TestCutCasesEnter(t *testing.T) {
	for _, rule := range confseq.Names() {
		// Of more than 4096 states no bounds are computed.
		for _, size := range []struct{ before, nodes, even int }{{4, 10, 15}, {13, 4100, 2}} {
			before := size.before
			if size.even == 2 && (rule != "bernstein" || raceDetector) {
				continue
			}
			r := batchOf(t, twoKinds(t, before), kinds(2*size.even, size.even), blame.Options{
				Method: blame.Exact, Nodes: size.nodes, Stop: confseq.Top1, Rule: rule, Delta: 0.3, Harm: -1,
			})
			if r.Summary.Undefined == 0 || r.Summary.Analyzed == 0 {
				t.Fatalf("%d cases were cut off, %d not", r.Summary.Undefined, r.Summary.Analyzed)
			}
			if r.Summary.Separation.Reached && r.Summary.Separation.Leaders[0] == "a" {
				t.Errorf("%s, %d before: a is declared after %d cases, of which %d were cut off", rule, before, r.Summary.Cases, r.Summary.Undefined)
			}
			for i, mean := range map[int]float64{0: 1. / 3, before + 1: 2. / 3} {
				e := r.Steps[i].Shapley
				if e.Low == nil || *e.Low > mean || *e.High < mean {
					t.Errorf("%s, %d before: the mean blame of %s is %v, its interval [%v, %v]", rule, before, r.Steps[i].Name, mean, *e.Low, *e.High)
				}
				for _, other := range e.Others {
					if other.Low > mean || other.High < mean {
						t.Errorf("%s, %d before: the mean blame of %s is %v, its %s interval %v", rule, before, r.Steps[i].Name, mean, other.Rule, other.Bounds)
					}
				}
			}
		}
	}
}

// TestCutCasesBracket: with some cases cut off, intervals of random batches still
// hold the true means of all cases.
func TestCutCasesBracket(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 21))
	const delta = 0.2
	batches, misses, cut := 0, 0, 0
	for batches < rounds(40) {
		p := randomTables(rng, shape{steps: 5, levels: 3, sure: true, function: true, noisy: true})
		cases := p.cases(15)
		o := blame.Options{Method: blame.Exact, Claim: blame.ThisBatch, Delta: delta, Harm: -1}
		exact := batchOf(t, p.pipeline(), cases, o)
		o.Nodes = 9
		r := batchOf(t, p.pipeline(), cases, o)
		if r.Summary.Failures < 5 || r.Summary.Undefined == 0 || r.Summary.Analyzed < 2 {
			continue
		}
		batches++
		cut += r.Summary.Undefined
		missed := false
		for i, s := range r.Steps {
			mean := exact.Steps[i].Shapley.Mean
			missed = missed || mean < *s.Shapley.Low-1e-9 || mean > *s.Shapley.High+1e-9
		}
		if missed {
			misses++
		}
	}
	if misses > mostMisses(delta, batches) {
		t.Errorf("%d of %d batches miss (%d cases were cut off)", misses, batches, cut)
	}
}
