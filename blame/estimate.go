package blame

import (
	"context"
	"errors"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/game/estimate"
	"github.com/agentblame/agentblame/replay"
)

// estimated estimates a case's values from few coalitions, in two ways. Random
// orders give an unbiased estimate with intervals, which conclusions over cases
// rest on. A model of the game gives the better guess at this case's values, but
// promises nothing.
func (a *analysis) estimated(ctx context.Context, r *CaseResult, v *coalitionValues, why string) error {
	n := len(v.names)
	evaluations := a.options.Evaluations
	if evaluations == 0 {
		evaluations = 100 * n
	}
	orders := max(1, evaluations/2/max(1, n))
	if err := a.sampled(ctx, r, v, min(orders, a.options.Permutations)); err != nil {
		return err
	}
	ends, err := v.means(ctx, []game.Coalition{{}, game.Full(n)})
	if err != nil {
		return skipBudget(err)
	}
	g := estimate.Game{Players: n, Empty: ends[0], Full: ends[1], Values: v.means}
	e, err := estimate.Auto(ctx, g, evaluations, v.seed)
	if err != nil {
		return skipBudget(err)
	}
	r.Unbiased = r.Shapley
	r.Shapley = byPlayer(v.names, e.Values)
	r.Method = e.Method
	r.Reason = why
	if e.Reason != "" {
		r.Reason += "; " + e.Reason
	}
	r.Coalitions = float64(len(v.known))
	return nil
}

// skipBudget lets the unbiased estimate stand where the budget ends before there
// is another.
func skipBudget(err error) error {
	if errors.Is(err, replay.ErrBudget) {
		return nil
	}
	return err
}
