package blame_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// TestModes works the values of noisy pipelines out by hand, in every world, and
// compares the means.
func TestModes(t *testing.T) {
	for _, mode := range []blame.Mode{blame.Recorded, blame.Posterior, blame.Prior} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			failures := 0
			rapid.Check(t, func(t *rapid.T) {
				rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				p := randomTables(rng, shape{
					steps: rapid.IntRange(1, 5).Draw(t, "steps"), levels: rapid.IntRange(2, 4).Draw(t, "levels"), noisy: true,
					function: rapid.Bool().Draw(t, "function"), blocking: rapid.Bool().Draw(t, "blocking"), shy: rapid.Bool().Draw(t, "shy"),
				})
				worlds := rapid.IntRange(1, 4).Draw(t, "worlds")
				for _, c := range p.cases(3) {
					r, err := blame.Case(t.Context(), p.pipeline(), c, blame.Options{Mode: mode, Worlds: worlds, Seed: 5})
					if err != nil || r.Undefined != "" {
						t.Fatalf("%s, %v", brief(r), err)
					}
					asRun := p.score(c, factual(c, 5), make([]int, len(p.steps)), nil)
					if *r.Score != asRun || r.Passed != (asRun == 1) {
						t.Fatalf("score %v, passed %v; want %v", *r.Score, r.Passed, asRun)
					}
					if r.Passed {
						continue
					}
					failures++
					checkWorlds(t, p, r, c, asRun, mode, p.worlds(t, c, mode, worlds))
				}
			})
			if failures < 50 {
				t.Errorf("only %d failures were analysed", failures)
			}
		})
	}
}

// worlds are those that a failing case is replayed in.
func (p *tables) worlds(t fataler, c pipeline.Case, mode blame.Mode, n int) []noise.World {
	if mode == blame.Recorded {
		return []noise.World{factual(c, 5)}
	}
	var observed []noise.Observed
	p.score(c, factual(c, 5), make([]int, len(p.steps)), func(step string, draws []noise.Draw) {
		for _, d := range draws {
			observed = append(observed, noise.Observed{Step: step, Call: "1", Draw: d})
		}
	})
	posterior, err := noise.NewPosterior(observed...)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var out []noise.World
	for k := range n {
		w := factual(c, 5)
		w.Index = uint64(k + 1)
		if mode == blame.Posterior {
			w = w.Given(posterior)
		}
		out = append(out, w)
	}
	return out
}

// checkWorlds compares a case's result with what its worlds come to.
func checkWorlds(t *rapid.T, p *tables, r *blame.CaseResult, c pipeline.Case, asRun float64, mode blame.Mode, worlds []noise.World) {
	var games []game.Table
	repairs := map[string]float64{}
	for _, w := range worlds {
		g := p.game(c, w)
		if mode == blame.Posterior && g[0] != asRun {
			t.Fatalf("a posterior world gives %v without any fix, and the run gave %v", g[0], asRun)
		}
		games = append(games, g)
		for _, mask := range minimalRepairs(g, 1) {
			repairs[fmt.Sprint(p.namesOf(mask))] += 1 / float64(len(worlds))
		}
	}
	v := mean(games...)
	n := v.Players()
	near(t, "blame", valuesOfSteps(p, r.Shapley), shapleyOf(v), 1e-12)
	alone, rest := make([]float64, n), make([]float64, n)
	for i := range n {
		alone[i], rest[i] = v[1<<i]-v[0], v[len(v)-1]-v[len(v)-1-1<<i]
	}
	near(t, "fix-alone gains", valuesOfSteps(p, r.FixAlone), alone, 1e-12)
	near(t, "leave-one-out", valuesOfSteps(p, r.LeaveOneOut), rest, 1e-12)
	near(t, "score with every fix", []float64{*r.ScoreFixed}, []float64{v[len(v)-1]}, 1e-12)
	if len(worlds) > 1 {
		near(t, "mean score as run", []float64{*r.ScoreAsRun}, []float64{v[0]}, 1e-12)
	}
	if len(r.MinimalRepairs) != len(repairs) {
		t.Fatalf("repairs %v, want %v", r.MinimalRepairs, repairs)
	}
	for i, names := range r.MinimalRepairs {
		share := 1.0
		if len(worlds) > 1 {
			share = r.MinimalRepairsFrequency[i]
		}
		near(t, fmt.Sprint("frequency of ", names), []float64{share}, []float64{repairs[fmt.Sprint(names)]}, 1e-12)
	}
}

// namesOf are the names of the players in a coalition.
func (p *tables) namesOf(mask uint64) []string {
	out := []string{}
	for k, step := range p.players() {
		if mask>>k&1 == 1 {
			out = append(out, p.steps[step].name)
		}
	}
	return out
}

// TestUnseenNoise has a step whose randomness isn't seen: it is named, and the
// factual run is reproduced all the same where that is promised.
func TestUnseenNoise(t *testing.T) {
	var clock atomic.Int64
	tick := func(_ context.Context, args pipeline.Args) (any, error) { return clock.Add(1), nil }
	g := pipeline.Graph{
		Name: "unseen", Inputs: []pipeline.Input{{Name: "n"}},
		Steps: []*pipeline.Spec{
			{Name: "pure", Needs: []string{"n"}, Impls: []pipeline.Impl{{Run: plus(0)}, {Name: "fix", Run: plus(1)}}},
			{Name: "model", Needs: []string{"pure"}, Impls: []pipeline.Impl{{Run: tick, Opaque: true}}},
			{Name: "fixed", Needs: []string{"model"}, Impls: []pipeline.Impl{{Run: plus(0)}, {Name: "fix", Run: tick, Opaque: true}}},
		},
		Score: pipeline.Score{Needs: []string{"fixed", "pure"}, Impl: pipeline.Impl{Run: func(_ context.Context, args pipeline.Args) (any, error) {
			if in := ints(args); in[1] > 0 {
				return 1, nil // the first fix repairs it
			} else {
				return 0.5 / float64(in[0]), nil // tells every run of the model apart
			}
		}}},
	}
	for _, mode := range []blame.Mode{blame.Recorded, blame.Posterior, blame.Prior} {
		clock.Store(0)
		r := batchOf(t, g.Pipeline(), []pipeline.Case{numbered(0, 0)}, blame.Options{Mode: mode, Worlds: 3, Concurrency: 1})
		var unseen []string
		for _, s := range r.Pipeline.Steps {
			if s.UnseenNoise {
				unseen = append(unseen, s.Name)
			}
		}
		if diff := cmp.Diff([]string{"model", "fixed"}, unseen); diff != "" {
			t.Errorf("%s: unseen noise (-want +got):\n%s", mode, diff)
		}
		c := r.Cases[0]
		if c.Undefined != "" {
			t.Fatalf("%s: %s", mode, c.Undefined)
		}
		reproduced := c.ScoreAsRun == nil || *c.ScoreAsRun == *c.Score
		if want := mode != blame.Prior; reproduced != want {
			t.Errorf("%s: the run as it was scored %v, and without any fix %v", mode, *c.Score, *c.ScoreAsRun)
		}
	}
}

// plus adds to the only input.
func plus(add int) func(context.Context, pipeline.Args) (any, error) {
	return func(_ context.Context, args pipeline.Args) (any, error) { return ints(args)[0] + add, nil }
}

// TestIndependent is labelled for what it is, splits what it found exactly, and
// is the same as shared noise where there is none.
func TestIndependent(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	differ := 0
	for range 40 {
		p := randomTables(rng, shape{steps: 4, noisy: rng.IntN(2) == 0, sure: true, function: rng.IntN(2) == 0})
		for _, mode := range []blame.Mode{blame.Recorded, blame.Prior} {
			o := blame.Options{Mode: mode, Worlds: 2, Harm: -1}
			shared := batchOf(t, p.pipeline(), p.cases(6), o)
			o.Independent = true
			r := batchOf(t, p.pipeline(), p.cases(6), o)
			if !r.Settings.Independent || !strings.HasSuffix(r.Settings.Estimand, "for comparison only.") || shared.Settings.Independent {
				t.Fatalf("it isn't labelled: %+v", r.Settings)
			}
			for i, c := range r.Cases {
				if c.Passed {
					continue
				}
				total := 0.0
				for _, v := range c.Shapley {
					total += v.Value
				}
				if d := total - gain(c); d > 1e-12 || d < -1e-12 {
					t.Fatalf("the values add up to %v, and the fixes gain %v", total, gain(c))
				}
				same := slices.Equal(c.Shapley, shared.Cases[i].Shapley)
				if !p.noisy && !same {
					t.Fatalf("without noise, the values are %v, shared %v", c.Shapley, shared.Cases[i].Shapley)
				}
				if !same {
					differ++
				}
				if c.MinimalRepairs != nil || c.Responsibility != nil {
					t.Fatalf("luck repairs: %v, %v", c.MinimalRepairs, c.Responsibility)
				}
			}
			for _, s := range r.Steps {
				if s.Responsibility != nil || s.Necessity != nil {
					t.Fatalf("luck is to blame: %v, %v", s.Responsibility, s.Necessity)
				}
			}
		}
	}
	if differ == 0 {
		t.Error("noise of one's own never made a difference")
	}
}

// gain is what all fixes together gain in a case: v(N) − v(∅).
func gain(c blame.CaseResult) float64 {
	if c.ScoreAsRun != nil {
		return *c.ScoreFixed - *c.ScoreAsRun
	}
	return *c.ScoreFixed - *c.Score
}
