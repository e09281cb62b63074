package game

import (
	"math"
	"math/big"
	"math/bits"
)

// Repairs are the minimal repair sets of a game: the coalitions that pass
// while no proper subset of theirs does. Fixes may also do harm, so a superset
// of a repair set need not pass. They are held as a zero-suppressed decision
// diagram, whose size has little to do with their number: a majority of 64
// players has 1.8·10¹⁸ of them in a thousand nodes.
type Repairs struct {
	players int
	order   []int    // players by level
	nodes   []triple // as in zdd, children before parents
	root    int32
}

// Repairs returns the minimal repair sets of the game: minimal among the
// coalitions with v ≥ pass. A coalition of unknown value counts as not passing.
func (d *Diagram) Repairs(pass float64) *Repairs {
	order := complete(d.Order(), d.players)
	c := newCompiler(d, order, 2)
	leaf := make([]int32, len(d.leaves))
	for k, v := range d.leaves {
		if v >= pass {
			leaf[k] = 1
		}
	}
	accept := c.compile(d, leaf)
	var z zdd
	root := z.trim(z.minimal(c, accept))
	return &Repairs{players: d.players, order: order, nodes: z.nodes, root: root}
}

// Count returns the number of minimal repair sets.
func (r *Repairs) Count() *big.Int {
	small := []uint64{0, 1}
	for _, n := range r.nodes {
		total, carry := bits.Add64(small[n.lo], small[n.hi], 0)
		if carry != 0 {
			return r.countBig()
		}
		small = append(small, total)
	}
	return new(big.Int).SetUint64(small[r.root])
}

func (r *Repairs) countBig() *big.Int {
	count := []*big.Int{new(big.Int), big.NewInt(1)}
	for _, n := range r.nodes {
		count = append(count, new(big.Int).Add(count[n.lo], count[n.hi]))
	}
	return count[r.root]
}

// Contains reports whether c is a minimal repair set.
func (r *Repairs) Contains(c Coalition) bool {
	f := r.root
	for f > emptySet {
		n := r.nodes[f-2]
		if player := r.order[n.level]; c.Has(player) {
			f, c = n.hi, c.Without(player)
		} else {
			f = n.lo
		}
	}
	return f == emptySet && c.IsEmpty()
}

// SmallestSize returns the number of players of the smallest repair set, −1 if
// there is none.
func (r *Repairs) SmallestSize() int {
	if least := r.least()[r.root]; least != never {
		return int(least)
	}
	return -1
}

// never is the size of a set that doesn't exist; a few may be added up.
const never = math.MaxInt32 / 4

// least returns the size of the smallest set of every family.
func (r *Repairs) least() []int32 {
	least := make([]int32, 2, len(r.nodes)+2)
	least[noSet] = never
	for _, n := range r.nodes {
		least = append(least, min(least[n.lo], least[n.hi]+1))
	}
	return least
}

// SmallestWith writes, for every player, the size of the smallest minimal
// repair set with that player into dst and returns it, grown if needed; 0 for
// players who are in none.
func (r *Repairs) SmallestWith(dst []int) []int {
	if cap(dst) < r.players {
		dst = make([]int, r.players)
	}
	dst = dst[:r.players]
	clear(dst)
	least := r.least()
	above := make([]int32, len(least)) // players taken on the way, at least
	for k := range above {
		above[k] = never
	}
	above[r.root] = 0
	for k := len(r.nodes) - 1; k >= 0; k-- {
		n, taken := r.nodes[k], above[k+2]
		above[n.lo] = min(above[n.lo], taken)
		above[n.hi] = min(above[n.hi], taken+1)
		player, size := r.order[n.level], int(taken+1+least[n.hi])
		if dst[player] == 0 || size < dst[player] {
			dst[player] = size
		}
	}
	return dst
}

// Responsibility writes every player's degree of responsibility into dst and
// returns it, grown if needed: one over the size of the smallest minimal repair
// set with that player, 0 for players who are in none.
//
// Chockler and Halpern, Responsibility and blame, 2004.
func (r *Repairs) Responsibility(dst []float64) []float64 {
	dst = zeros(dst, r.players)
	for i, size := range r.SmallestWith(nil) {
		if size > 0 {
			dst[i] = 1 / float64(size)
		}
	}
	return dst
}

// Cheapest returns the minimal repair set with the smallest sum of costs, one
// a player, and that sum; of equally cheap ones the first by Compare. It
// reports false if there is none. Costs may be negative, but then a set that
// isn't minimal may be cheaper.
func (r *Repairs) Cheapest(costs []float64) (c Coalition, cost float64, ok bool) {
	type choice struct {
		set  Coalition
		cost float64
		none bool
	}
	best := make([]choice, 2, len(r.nodes)+2)
	best[noSet].none = true
	for _, n := range r.nodes {
		lo, hi := best[n.lo], best[n.hi]
		player := r.order[n.level]
		hi.set, hi.cost = hi.set.With(player), hi.cost+costs[player]
		if lo.none || hi.cost < lo.cost || hi.cost == lo.cost && Compare(hi.set, lo.set) < 0 {
			lo = hi
		}
		best = append(best, lo)
	}
	found := best[r.root]
	if found.none {
		return Coalition{}, 0, false
	}
	for player := range found.set.Players() {
		cost += costs[player]
	}
	return found.set, cost, true
}
