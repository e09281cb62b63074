package estimate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/agentblame/agentblame/game"
)

// A run is one estimate in the making: it draws, asks, and remembers answers.
type run struct {
	ctx    context.Context
	g      Game
	n      int
	budget int
	rng    *rand.Rand
	asked  int
	known  map[game.Coalition]float64
}

// stream tells this package's random numbers from those that others may draw
// from the same seed.
const stream = 0x657374696d617465 // "estimate"

func newRun(ctx context.Context, g Game, budget int, seed uint64) (*run, error) {
	switch {
	case g.Players < 0 || g.Players > game.MaxPlayers:
		return nil, fmt.Errorf("%d players, want 0 to %d", g.Players, game.MaxPlayers)
	case budget < 0:
		return nil, fmt.Errorf("budget %d is negative", budget)
	case g.Values == nil:
		return nil, errors.New("game has no values")
	case !finite(g.Empty) || !finite(g.Full):
		return nil, fmt.Errorf("v(∅) = %v, v(N) = %v: not finite", g.Empty, g.Full)
	}
	return &run{
		ctx: ctx, g: g, n: g.Players, budget: budget,
		rng: rand.New(rand.NewPCG(seed, stream)),
		known: map[game.Coalition]float64{
			{}:                   g.Empty,
			game.Full(g.Players): g.Full,
		},
	}, nil
}

// total is what the players share.
func (r *run) total() float64 { return r.g.Full - r.g.Empty }

// ask finds out the values of those coalitions that are not known yet, all in
// one batch. The caller keeps to the budget.
func (r *run) ask(c []game.Coalition) error {
	if err := r.ctx.Err(); err != nil {
		return err
	}
	fresh := make([]game.Coalition, 0, len(c))
	for _, c := range c {
		if _, ok := r.known[c]; !ok {
			r.known[c] = 0 // holds the place, should c come again
			fresh = append(fresh, c)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	r.asked += len(fresh)
	values, err := r.g.Values(r.ctx, fresh)
	if err != nil {
		return fmt.Errorf("asking %d coalitions: %w", len(fresh), err)
	}
	if len(values) != len(fresh) {
		return fmt.Errorf("asking %d coalitions: got %d values", len(fresh), len(values))
	}
	for i, v := range values {
		if !finite(v) {
			return fmt.Errorf("value of %v is %v", fresh[i], v)
		}
		r.known[fresh[i]] = v
	}
	return nil
}

// value returns v(c), which must have been asked.
func (r *run) value(c game.Coalition) float64 { return r.known[c] }

// complement returns the players not in c.
func (r *run) complement(c game.Coalition) game.Coalition {
	return game.Full(r.n).Minus(c)
}

// subset draws a coalition of a size, all being equally likely (Floyd).
func (r *run) subset(size int) game.Coalition {
	var c game.Coalition
	for top := r.n - size; top < r.n; top++ {
		if p := r.rng.IntN(top + 1); c.Has(p) {
			c = c.With(top)
		} else {
			c = c.With(p)
		}
	}
	return c
}

// A plan collects distinct coalitions to ask, as many as the budget allows.
type plan struct {
	in    map[game.Coalition]bool
	order []game.Coalition
	left  int
}

// plan starts a plan for what remains of the budget.
func (r *run) plan() *plan {
	p := &plan{in: map[game.Coalition]bool{}, left: r.budget - r.asked}
	for c := range r.known {
		p.in[c] = true
	}
	return p
}

// add takes all of the coalitions in, or none if they don't fit; those already
// in cost nothing. Several equal new ones count as one.
func (p *plan) add(c ...game.Coalition) bool {
	start := len(p.order)
	for _, c := range c {
		if p.in[c] {
			continue
		}
		if p.left == 0 {
			for _, c := range p.order[start:] {
				delete(p.in, c)
			}
			p.left += len(p.order) - start
			p.order = p.order[:start]
			return false
		}
		p.in[c] = true
		p.order = append(p.order, c)
		p.left--
	}
	return true
}
