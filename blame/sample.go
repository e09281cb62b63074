package blame

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/replay"
)

// sampled estimates a failing case's values from random orders of its players.
// It shares the cache with whatever ran before. Each order is replayed in one
// world, so that the marginals of its players are told apart by their fixes and
// not by luck.
func (a *analysis) sampled(ctx context.Context, r *CaseResult, v *coalitionValues, permutations int) error {
	n := len(v.names)
	rule, err := a.sampleRule(n)
	if err != nil {
		return err
	}
	sampler := game.Sampler{Players: n, Seed: v.seed, Antithetic: a.options.Antithetic}
	var sums game.Moments
	ahead := a.ahead(n)
	for k := range permutations {
		if ahead > 0 && k%ahead == 0 {
			v.replayOrders(ctx, sampler, k, min(k+ahead, permutations))
		}
		world := v.worlds[k%len(v.worlds)]
		marginals, err := sampler.Marginals(ctx, k, v.in(world), nil)
		if errors.Is(err, replay.ErrBudget) {
			rule.Close(confseq.ReasonBudget)
			break
		}
		if err != nil {
			return err
		}
		sums.Add(marginals)
		if err := rule.Add(marginals); err != nil {
			return fmt.Errorf("sampling: %w", err)
		}
		if _, stopped := rule.Stopped(); stopped {
			break
		}
	}
	rule.Close("max permutations")
	if sums.Count() == 0 {
		return fmt.Errorf("%w before one order of the players was replayed", replay.ErrBudget)
	}
	a.sampledResult(r, rule, &sums, v)
	return nil
}

// ahead is how many orders are replayed at once. Under a budget no two replays
// go on at once, so that it ends at the same place always. Where the rule may
// stop, it is asked after each order, so that what is run depends on nothing else.
func (a *analysis) ahead(players int) int {
	switch {
	case a.options.Budget > 0 || a.options.Independent || !a.engine.Waits():
		return 0
	case a.sampleGoal() != confseq.Budget:
		return 1
	}
	return 1 + a.options.Concurrency/max(1, players)
}

// sampleGoal is what the sampling of a case is watched for. In a batch it goes on
// to its end: an estimate that stopped for what it showed would be biased, and
// conclusions over cases rest on unbiased ones.
func (a *analysis) sampleGoal() confseq.Goal {
	if a.options.Stop == "" || a.inBatch {
		return confseq.Budget
	}
	return a.options.Stop
}

// sampleRule watches the marginals of one case's permutations, which lie in
// [−1, 1] and differ by at most 2.
func (a *analysis) sampleRule(players int) (confseq.Rule, error) {
	name := a.options.SampleRule
	if name == "" {
		name = "bernstein"
	}
	return confseq.New(name, confseq.Options{
		Players: players, Delta: a.options.Delta, Goal: a.sampleGoal(), Width: a.options.Width, TopK: a.options.TopK,
	})
}

func (a *analysis) sampledResult(r *CaseResult, rule confseq.Rule, sums *game.Moments, v *coalitionValues) {
	mean := make([]float64, len(v.names))
	for i := range mean {
		mean[i] = sums.Mean(i)
	}
	r.Method = string(Permutation)
	r.Permutations = sums.Count()
	r.Coalitions = float64(len(v.known))
	r.Shapley = byPlayer(v.names, mean)
	r.Stopped, _ = rule.Stopped()
	if len(v.worlds) > 1 {
		r.Worlds = len(v.worlds)
	}
	if intervals := rule.Intervals(); intervals != nil {
		var bounds []Bounds
		for _, i := range intervals {
			i = i.Clip(-1, 1)
			bounds = append(bounds, Bounds{Low: i.Low, High: i.High})
		}
		r.Intervals = byPlayer(v.names, bounds)
		r.IntervalsCover = coverPermutations(len(v.worlds) > 1)
	}
}

func coverPermutations(worlds bool) string {
	if worlds {
		return "permutations, given the worlds that were drawn"
	}
	return "permutations"
}
