package blame_test

import (
	"math/rand/v2"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
)

// TestShareOfNothing has fixes that help and harm as much as each other: their
// blame adds up to 0, of which nobody has a share, whatever rounding leaves of it.
func TestShareOfNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	c := pipeline.Case{ID: "c", Inputs: map[string]any{"in": "x"}}
	for n := 2; n <= 6; n++ {
		for range 20 {
			v := make(game.Table, 1<<n)
			for s := 1; s < len(v)-1; s++ {
				v[s] = float64(rng.IntN(2))
			}
			score := func(_ pipeline.Case, fixed int) float64 { return v[fixed] }
			for _, s := range batchOf(t, chain(n, score), []pipeline.Case{c}, blame.Options{}).Steps {
				if s.Share != nil {
					t.Fatalf("%s has a share of %v in %v", s.Name, *s.Share, v)
				}
			}
			v[len(v)-1] = 1
			sum := 0.0
			for _, s := range batchOf(t, chain(n, score), []pipeline.Case{c}, blame.Options{}).Steps {
				if s.Share == nil {
					t.Fatalf("%s has no share in %v", s.Name, v)
				}
				sum += *s.Share
			}
			near(t, "sum of shares", []float64{sum}, []float64{1}, 1e-9)
		}
	}
}
