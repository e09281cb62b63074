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
	e, err := model(ctx, v, evaluations)
	if err != nil {
		return err
	}
	r.Coalitions = float64(len(v.known))
	if e == nil {
		r.Reason = why + "; the budget ended before a model of the game could be fitted"
		return nil
	}
	r.Unbiased = r.Shapley
	r.Shapley = byPlayer(v.names, e.Values)
	if r.Method = e.Method; r.Method == string(Auto) {
		r.Method = methodModel
	}
	r.Reason = why
	if e.Reason != "" {
		r.Reason += "; " + e.Reason
	}
	return nil
}

// model fits a model to as many coalitions as were asked for, or to those that
// came before the budget ended: an estimate of fewer coalitions asks for the
// first of them, and what has run is known. It is nil where that is less than the
// coalitions of one player and of all but one.
func model(ctx context.Context, v *coalitionValues, evaluations int) (*estimate.Estimate, error) {
	n := len(v.names)
	ends, err := v.means(ctx, []game.Coalition{{}, game.Full(n)})
	if errors.Is(err, replay.ErrBudget) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	answered := 0
	g := estimate.Game{Players: n, Empty: ends[0], Full: ends[1]}
	g.Values = func(ctx context.Context, c []game.Coalition) ([]float64, error) {
		values, err := v.means(ctx, c)
		var cut *unansweredError
		if errors.As(err, &cut) {
			answered += cut.first
		} else {
			answered += len(c)
		}
		return values, err
	}
	for {
		answered = 0
		e, err := estimate.Auto(ctx, g, evaluations, v.seed)
		switch {
		case err == nil:
			return e, nil
		case !errors.Is(err, replay.ErrBudget):
			return nil, err
		case min(answered, evaluations-1) < 2*n:
			return nil, nil
		}
		evaluations = min(answered, evaluations-1)
	}
}
