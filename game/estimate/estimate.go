package estimate

import (
	"context"
	"fmt"
	"math"

	"github.com/agentblame/agentblame/game"
)

// A Game is known only by asking for values of coalitions.
type Game struct {
	// Players is the number of players, 0 … game.MaxPlayers.
	Players int
	// Empty and Full are v(∅) and v(N), known beforehand: the run as it was and
	// the run with every fix.
	Empty, Full float64
	// Values returns v(c) for each of the coalitions, in their order. It gets
	// many at once, so that they can be replayed at the same time; within one
	// estimate none twice, and neither ∅ nor N.
	Values func(ctx context.Context, c []game.Coalition) ([]float64, error)
}

// FromTable returns the game of a table, for tests and comparisons.
func FromTable(t game.Table) Game {
	values := func(_ context.Context, c []game.Coalition) ([]float64, error) {
		v := make([]float64, len(c))
		for i := range c {
			v[i] = t.Value(c[i])
		}
		return v, nil
	}
	return Game{Players: t.Players(), Empty: t[0], Full: t[len(t)-1], Values: values}
}

// An Estimate of the Shapley values of a game.
type Estimate struct {
	// Values are the estimates, one a player.
	Values []float64
	// StdErr are the standard errors of Values. Nil if they are unknown: the
	// method is biased, or too little was drawn to tell. Zero if exact.
	StdErr []float64
	// Draws are independent unbiased estimates, each with the sum v(N) − v(∅),
	// whose mean is Values. Only permutation methods have them. They may be fed
	// to confidence rules that ask for such vectors.
	Draws [][]float64
	// Unbiased says that the expectation of Values over seeds is the Shapley
	// value, so that means over many games have no error that stays.
	Unbiased bool
	// Exact says that every coalition was asked.
	Exact bool
	// Evaluations is the number of coalitions asked, ∅ and N not counted.
	Evaluations int
	// Method is the name of the estimator that made the values, and Reason says
	// why it was this one, or what it lacked.
	Method, Reason string
}

// An Estimator asks at most budget coalitions of the game, and estimates its
// Shapley values from them. Equal seeds give equal estimates. When the budget
// covers all 2ⁿ−2 coalitions besides ∅ and N, every estimate is exact.
//
// It fails if the game is out of range, the budget negative, the context done,
// or a value is not finite.
type Estimator func(ctx context.Context, g Game, budget int, seed uint64) (*Estimate, error)

// method is one way of estimating: it spends the run's budget and fills in e.
type method func(r *run, e *Estimate) error

// make runs a method: it checks the game, takes the exact way where the budget
// allows it, and counts.
func (m method) make(ctx context.Context, name string, g Game, budget int, seed uint64) (*Estimate, error) {
	r, err := newRun(ctx, g, budget, seed)
	if err != nil {
		return nil, fmt.Errorf("%s estimate: %w", name, err)
	}
	e := &Estimate{Method: name}
	switch {
	case r.coversAll():
		e.Method = nameExact
		err = exact(r, e)
	case budget < 1:
		split(r, e, "nothing could be asked")
	default:
		err = m(r, e)
	}
	if err != nil {
		return nil, fmt.Errorf("%s estimate: %w", name, err)
	}
	e.Evaluations = r.asked
	return e, nil
}

// split gives every player the same share.
func split(r *run, e *Estimate, reason string) {
	e.Values = make([]float64, r.n)
	project(e.Values, r.total())
	e.Reason = reason
}

// project adds the same to all values so that they sum to total.
func project(values []float64, total float64) {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	share := (total - sum) / float64(len(values))
	for i := range values {
		values[i] += share
	}
}

// coversAll reports whether the budget allows to ask every coalition.
func (r *run) coversAll() bool {
	return r.n <= game.MaxTablePlayers && r.budget >= 1<<r.n-2
}

// exact asks every coalition.
func exact(r *run, e *Estimate) error {
	t := make(game.Table, 1<<r.n)
	all := make([]game.Coalition, 0, len(t))
	for mask := 1; mask < len(t)-1; mask++ {
		all = append(all, game.FromMask(uint64(mask)))
	}
	if err := r.ask(all); err != nil {
		return err
	}
	t[0], t[len(t)-1] = r.g.Empty, r.g.Full
	for mask := 1; mask < len(t)-1; mask++ {
		t[mask] = r.value(all[mask-1])
	}
	e.Values = t.Shapley(nil)
	e.StdErr = make([]float64, r.n)
	e.Unbiased, e.Exact = true, true
	e.Reason = "the budget covers all coalitions"
	return nil
}

// finite reports whether x is neither infinite nor NaN.
func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
