package estimate

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/agentblame/agentblame/game"
)

// Pairs are values of complementary pairs (S, N∖S), of which an odd function
//
//	f(S) = ½·(v(S) − v(N∖S))
//
// is all that Shapley values depend on. Pair 0 is (N, ∅), the next are
// ({j}, N∖j) as far as the budget went, then sampled ones.
type pairs struct {
	n       int
	players int // of single players
	sets    []game.Coalition
	rows    [][]uint64 // the sets as bits
	size    []int
	y       []float64 // f(S)
}

// fitPairs spends the budget on pairs and fits the model to them. The model is
// nil, and the estimate made, if the pairs tell nothing.
func (r *run) fitPairs(e *Estimate) (*model, error) {
	if r.budget < 2 {
		split(r, e, "the budget is below one pair")
		return nil, nil
	}
	p := r.plan()
	sets := r.pairDesign(p)
	if err := r.ask(p.order); err != nil {
		return nil, err
	}
	m := newModel(r, r.pairsOf(sets))
	if err := r.ctx.Err(); err != nil {
		return nil, err
	}
	if m == nil {
		split(r, e, "all pairs have equal values")
	}
	return m, nil
}

// pairsOf collects the values of pairs that have been asked.
func (r *run) pairsOf(sets []game.Coalition) *pairs {
	d := &pairs{n: r.n}
	for k, c := range append([]game.Coalition{game.Full(r.n)}, sets...) {
		row := make([]uint64, (r.n+63)/64)
		for i := range c.Players() {
			row[i/64] |= 1 << (i % 64)
		}
		d.sets = append(d.sets, c)
		d.rows = append(d.rows, row)
		d.size = append(d.size, c.Len())
		d.y = append(d.y, (r.value(c)-r.value(r.complement(c)))/2)
		if k > 0 && (c.Len() == 1 || c.Len() == r.n-1) && d.players == k-1 {
			d.players++
		}
	}
	return d
}

// pairDesign draws the pairs to ask: those of single players in random order,
// then sizes 1 … n−1 alike, and all coalitions of a size alike, no pair twice.
// When more than half of all pairs fit, the others are listed and taken in the
// order of such draws (Efraimidis and Spirakis, 2006).
func (r *run) pairDesign(p *plan) []game.Coalition {
	var sets []game.Coalition
	want := p.left / 2
	add := func(c game.Coalition) {
		if !p.in[c] && p.add(c, r.complement(c)) {
			sets = append(sets, c)
		}
	}
	for _, j := range r.rng.Perm(r.n) {
		if len(sets) < want {
			add(game.Of(j))
		}
	}
	all := math.Ldexp(1, r.n-1) - 1
	if float64(want) <= all/2 {
		for len(sets) < want {
			add(r.subset(1 + r.rng.IntN(r.n-1)))
		}
		return sets
	}
	type keyed struct {
		set game.Coalition
		key float64
	}
	var rest []keyed
	for mask := uint64(1); mask < 1<<(r.n-1); mask++ {
		c := game.FromMask(mask)
		if !p.in[c] {
			// The last of ln(u)·C(n,s), descending: an exponential race.
			rest = append(rest, keyed{c, r.rng.ExpFloat64() * choose(r.n, bits.OnesCount64(mask))})
		}
	}
	slices.SortFunc(rest, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	for _, k := range rest {
		if len(sets) == want {
			break
		}
		add(k.set)
	}
	return sets
}

// shuffled returns the pairs with the sampled ones in random order.
func (r *run) shuffled(d *pairs) *pairs {
	out := d.slice(0, 1+d.players)
	for _, k := range r.rng.Perm(len(d.y) - 1 - d.players) {
		k += 1 + d.players
		out.sets = append(out.sets, d.sets[k])
		out.rows = append(out.rows, d.rows[k])
		out.size = append(out.size, d.size[k])
		out.y = append(out.y, d.y[k])
	}
	return out
}

// slice returns pairs from … to−1.
func (d *pairs) slice(from, to int) *pairs {
	return &pairs{
		n: d.n, players: max(0, min(d.players, to-1)-max(0, from-1)),
		sets: d.sets[from:to:to], rows: d.rows[from:to:to], size: d.size[from:to:to], y: d.y[from:to:to],
	}
}

// class returns the size of the smaller side of pair k.
func (d *pairs) class(k int) int { return min(d.size[k], d.n-d.size[k]) }

// sign returns χᵢ of pair k: −1 if i ∈ S, else 1.
func (d *pairs) sign(k, i int) float64 {
	return 1 - 2*float64(d.rows[k][i/64]>>(i%64)&1)
}

// has reports whether player i is in the set of pair k.
func (d *pairs) has(k, i int) bool { return d.rows[k][i/64]>>(i%64)&1 == 1 }
