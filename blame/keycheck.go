package blame

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
)

// A KeyCheck is what came of replaying coalitions with outputs taken as they are:
// a declared key that leaves out something that matters shows as a disagreement.
type KeyCheck struct {
	Replays       int `json:"replays"`
	Disagreements int `json:"disagreements"`
}

// checkKeys replays some coalitions of a case with and without keys.
func (a *analysis) checkKeys(ctx context.Context, s *replay.Session, r *CaseResult, worlds []int, seed uint64) error {
	declared := slices.ContainsFunc(a.engine.Pipeline().Steps, func(s *pipeline.Spec) bool { return s.Key != nil })
	if a.options.CheckKeys <= 0 || !declared {
		return nil
	}
	random := rand.New(rand.NewPCG(seed, 0x6b657973))
	r.KeyCheck = &KeyCheck{}
	n := len(s.Players())
	for range a.options.CheckKeys {
		var c game.Coalition
		for i := range n {
			if random.IntN(2) == 1 {
				c = c.With(i)
			}
		}
		world := worlds[random.IntN(len(worlds))]
		with, err := s.Value(ctx, world, c)
		if err != nil {
			return err
		}
		without, err := s.ValueWithoutKeys(ctx, world, c)
		if err != nil {
			return err
		}
		r.KeyCheck.Replays++
		if with != without {
			r.KeyCheck.Disagreements++
		}
	}
	return nil
}
