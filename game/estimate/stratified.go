package estimate

import (
	"context"
	"math"

	"github.com/agentblame/agentblame/game"
)

// Stratified is Stratified SVARM: with every size of coalition its own stratum,
//
//	φᵢ = 1/n · Σₛ (mean of v(S) over S∋i, |S| = s+1) − (mean over S∌i, |S| = s),
//
// and a coalition's value counts for every player, with i or without. Sizes 0,
// 1, n−1 and n are asked in full, others by random coalitions, none twice, each
// size in turn. What only depends on the size is thus exact. Estimates don't
// sum to v(N) − v(∅).
//
// It is unbiased once every player has been in and out of a coalition of every
// size, which takes about 2n·(1+ln n) coalitions; Estimate.Unbiased says so.
//
// Kolpaczki, Bengs, Muschalik and Hüllermeier, Approximating the Shapley value
// without marginal contributions, 2024; theirs draws with replacement.
func Stratified(ctx context.Context, g Game, budget int, seed uint64) (*Estimate, error) {
	return method(stratified).make(ctx, nameStratified, g, budget, seed)
}

func stratified(r *run, e *Estimate) error {
	p := r.plan()
	drawn := make([][]game.Coalition, r.n+1) // by size
	add := func(size int, c game.Coalition) bool {
		before := len(p.order)
		if !p.add(c) {
			return false
		}
		if len(p.order) > before {
			drawn[size] = append(drawn[size], c)
		}
		return true
	}
	drawn[0] = []game.Coalition{{}}
	drawn[r.n] = []game.Coalition{game.Full(r.n)}
	for _, i := range r.rng.Perm(r.n) {
		c := game.Of(i)
		if !add(1, c) || !add(r.n-1, r.complement(c)) {
			break
		}
	}
	r.warmUp(add)
	r.fill(p, drawn, add)
	if err := r.ask(p.order); err != nil {
		return err
	}
	e.Values = make([]float64, r.n)
	e.StdErr = make([]float64, r.n)
	e.Unbiased = true
	for i := range e.Values {
		s := r.strata(i, drawn)
		e.Values[i] = s.value
		e.StdErr[i] = math.Sqrt(s.variance)
		e.Unbiased = e.Unbiased && s.complete
	}
	if !e.Unbiased {
		project(e.Values, r.total())
		e.StdErr = nil
		e.Reason = "the budget does not reach every player in and out of every size"
		return nil
	}
	for _, se := range e.StdErr {
		if math.IsNaN(se) { // some stratum has one sample, which has no variance
			e.StdErr = nil
			break
		}
	}
	return nil
}

// warmUp makes every player be in and out of some coalition of every size: all
// are dealt into hands of the smaller of the sizes s and n−s, the last filled
// up with others.
func (r *run) warmUp(add func(int, game.Coalition) bool) {
	for size := 2; size <= r.n-2; size++ {
		hand := min(size, r.n-size)
		order := r.rng.Perm(r.n)
		for at := 0; at < r.n; at += hand {
			c := game.Coalition{}
			for k := range hand {
				c = c.With(order[(at+k)%r.n])
			}
			if hand != size {
				c = r.complement(c)
			}
			if !add(size, c) {
				return
			}
		}
	}
}

// fill spends what is left of the budget on the sizes 2 … n−2 in turn, until
// they are exhausted.
func (r *run) fill(p *plan, drawn [][]game.Coalition, add func(int, game.Coalition) bool) {
	var open []*pool
	for size := 2; size <= r.n-2; size++ {
		open = append(open, &pool{size: size})
	}
	for len(open) > 0 && p.left > 0 {
		r.rng.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
		kept := open[:0]
		for _, o := range open {
			c, ok := o.next(r, p.in, len(drawn[o.size]))
			if !ok {
				continue
			}
			kept = append(kept, o)
			if !add(o.size, c) {
				return
			}
		}
		open = kept
	}
}

// A pool gives out the coalitions of one size in random order, none twice.
type pool struct {
	size int
	rest []game.Coalition // listed once more than half are taken
	all  bool             // listed
}

// next returns one that is not in taken, of which there are count of the size.
func (o *pool) next(r *run, taken map[game.Coalition]bool, count int) (game.Coalition, bool) {
	if !o.all && 2*float64(count) < choose(r.n, o.size) {
		for {
			if c := r.subset(o.size); !taken[c] {
				return c, true
			}
		}
	}
	if !o.all {
		o.all = true
		for c := range ofSize(r.n, o.size) {
			if !taken[c] {
				o.rest = append(o.rest, c)
			}
		}
		r.rng.Shuffle(len(o.rest), func(i, j int) { o.rest[i], o.rest[j] = o.rest[j], o.rest[i] })
	}
	for len(o.rest) > 0 {
		c := o.rest[len(o.rest)-1]
		o.rest = o.rest[:len(o.rest)-1]
		if !taken[c] {
			return c, true
		}
	}
	return game.Coalition{}, false
}

// stratum sums are what strata returns for one player.
type stratum struct {
	value, variance float64
	complete        bool // no stratum is empty
}

// strata combines the means of player i's strata. Empty ones are left out.
func (r *run) strata(i int, drawn [][]game.Coalition) stratum {
	out := stratum{complete: true}
	var sum [2]float64 // of means without and with i
	var seen [2]int
	for size, c := range drawn {
		var m [2]game.Moments
		for _, c := range c {
			m[index(c.Has(i))].Add([]float64{r.value(c)})
		}
		for side := range m {
			// Coalitions of the size with (side 1) or without i.
			all := choose(r.n-1, size-side)
			if all == 0 {
				continue
			}
			count := m[side].Count()
			if count == 0 {
				out.complete = false
				continue
			}
			sum[side] += m[side].Mean(0)
			seen[side]++
			if float64(count) < all {
				out.variance += m[side].Variance(0) / float64(count) * (1 - float64(count)/all)
			}
		}
	}
	for side, sign := range [2]float64{-1, 1} {
		if seen[side] > 0 {
			out.value += sign * sum[side] / float64(seen[side])
		}
	}
	out.variance /= float64(r.n) * float64(r.n)
	return out
}

func index(b bool) int {
	if b {
		return 1
	}
	return 0
}
