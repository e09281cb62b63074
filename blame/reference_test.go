package blame_test

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
)

// chain is a pipeline of n steps of which no two states merge: what its fixes
// give together is given. A step that is fixed sets its bit of the answer.
func chain(n int, score func(c pipeline.Case, fixed int) float64) *pipeline.Pipeline {
	type state struct{ Step, Fixed int }
	var steps []*pipeline.Step[state, state]
	var given []pipeline.AnyStep
	for i := range n {
		run := func(bit int) func(context.Context, state) (state, error) {
			return func(_ context.Context, in state) (state, error) { return state{i + 1, in.Fixed | bit}, nil }
		}
		s := pipeline.NewStep(string(rune('a'+i)), run(0)).Variant("fix", run(1<<i))
		steps, given = append(steps, s), append(given, s)
	}
	return pipeline.New("chain", func(ctx context.Context, _ string) (int, error) {
		var at state
		for _, s := range steps {
			var err error
			if at, err = s.Do(ctx, at); err != nil {
				return 0, err
			}
		}
		return at.Fixed, nil
	}, func(_ context.Context, c pipeline.Case, fixed int) (float64, error) { return score(c, fixed), nil }, given...)
}

// The definitions of values, summed over all coalitions or orders. They are slow
// and plain, to hold what the package says against.

// shapleyOf is Σ |S|!(n−|S|−1)!/n! · (v(S∪i) − v(S)).
func shapleyOf(v game.Table) []float64 {
	n := v.Players()
	out := make([]float64, n)
	for i := range n {
		for s := range v {
			if s>>i&1 == 0 {
				out[i] += (v[s|1<<i] - v[s]) / (float64(n) * choose(n-1, bits.OnesCount(uint(s))))
			}
		}
	}
	return out
}

func choose(n, k int) float64 {
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return math.Round(c)
}

// mean averages games.
func mean(games ...game.Table) game.Table {
	out := make(game.Table, len(games[0]))
	for _, g := range games {
		for s, v := range g {
			out[s] += v / float64(len(games))
		}
	}
	return out
}

// minimalRepairs are the masks of the inclusion-minimal coalitions that pass.
func minimalRepairs(v game.Table, pass float64) []uint64 {
	var out []uint64
	for s := range uint64(len(v)) {
		if v[s] < pass {
			continue
		}
		minimal := true
		for t := (s - 1) & s; s != 0; t = (t - 1) & s {
			minimal = minimal && v[t] < pass
			if t == 0 {
				break
			}
		}
		if minimal {
			out = append(out, s)
		}
	}
	return out
}

func near(t fataler, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	for i := range want {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Fatalf("%s: %v, want %v", what, got, want)
		}
	}
}

// mostMisses is how many of n runs may miss a claim that holds with probability
// 1−delta, for a simulation not to speak against it.
func mostMisses(delta float64, n int) int {
	return int(float64(n) * (delta + 2.33*math.Sqrt(delta*(1-delta)/float64(n))))
}

func TestReference(t *testing.T) {
	// Either of the first two repairs, and the third never does.
	either := game.Table{0, 1, 1, 1, 0, 1, 1, 1}
	near(t, "values", shapleyOf(either), []float64{0.5, 0.5, 0}, 1e-15)
	if got := minimalRepairs(either, 1); !slices.Equal(got, []uint64{1, 2}) {
		t.Errorf("repairs %v", got)
	}
}
