package estimate

import (
	"context"
	"github.com/agentblame/agentblame/game"
)

// Permutation estimates by random orders of the players: each is credited what
// v gains when it joins those before it. Unbiased, and sums to v(N) − v(∅).
// Estimate.Draws has the credits of each order.
//
// Castro, Gómez and Tejada, Polynomial calculation of the Shapley value based
// on sampling, 2009.
func Permutation(ctx context.Context, g Game, budget int, seed uint64) (*Estimate, error) {
	return permutations(false).make(ctx, namePermutation, g, budget, seed)
}

// Antithetic is [Permutation] with every order taken forwards and backwards, a
// draw being the mean of both. It is exact for games without interactions above
// pairs, as soon as one draw fits the budget: 2(n−1) coalitions at most.
//
// Mitchell, Cooper, Frank and Holmes, Sampling permutations for Shapley value
// estimation, 2022.
func Antithetic(ctx context.Context, g Game, budget int, seed uint64) (*Estimate, error) {
	return permutations(true).make(ctx, nameAntithetic, g, budget, seed)
}

// maxDraws limits the orders drawn for each coalition of the budget. When most
// coalitions are known, nearly all orders are free.
const maxDraws = 16

// permutations draws orders until the next one doesn't fit the budget.
//
// Where to stop depends on which coalitions coincide, but not on their values.
// Renaming all players in all orders leaves the coincidences as they are, so
// given those, every single order is still uniform, and the mean unbiased.
func permutations(antithetic bool) method {
	return func(r *run, e *Estimate) error {
		p := r.plan()
		var orders [][]int
		for len(orders) < maxDraws*r.budget {
			order := r.rng.Perm(r.n)
			path := prefixes(order)
			if antithetic {
				for _, c := range prefixes(order) {
					path = append(path, r.complement(c))
				}
			}
			if !p.add(path...) {
				break
			}
			orders = append(orders, order)
		}
		if len(orders) == 0 {
			split(r, e, "the budget is below one draw")
			return nil
		}
		if err := r.ask(p.order); err != nil {
			return err
		}
		var m game.Moments
		for _, order := range orders {
			draw := make([]float64, r.n)
			share := 1.0
			if antithetic {
				share = 0.5
				r.credit(draw, order, share, r.complement)
			}
			r.credit(draw, order, share, func(c game.Coalition) game.Coalition { return c })
			e.Draws = append(e.Draws, draw)
			m.Add(draw)
		}
		e.Values, e.Unbiased = make([]float64, r.n), true
		for i := range e.Values {
			e.Values[i] = m.Mean(i)
		}
		if len(orders) > 1 {
			e.StdErr = make([]float64, r.n)
			for i := range e.StdErr {
				e.StdErr[i] = m.StdErr(i)
			}
		}
		return nil
	}
}

// prefixes returns the coalitions met on the way from ∅ to N, without these.
func prefixes(order []int) []game.Coalition {
	c := game.Coalition{}
	path := make([]game.Coalition, 0, 2*len(order))
	for _, player := range order[:len(order)-1] {
		c = c.With(player)
		path = append(path, c)
	}
	return path
}

// credit adds share times each player's gain along an order. Seen through the
// complement, a player leaves at its place in the order, which is joining in
// the reverse order.
func (r *run) credit(draw []float64, order []int, share float64, seen func(game.Coalition) game.Coalition) {
	c := game.Coalition{}
	before := r.value(seen(c))
	sign := share
	if !seen(c).IsEmpty() {
		sign = -share
	}
	for _, player := range order {
		c = c.With(player)
		after := r.value(seen(c))
		draw[player] += sign * (after - before)
		before = after
	}
}
