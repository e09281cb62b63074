package game

import (
	"fmt"
	"math"
)

// Ordered returns the same values as the reduced ordered decision diagram of
// an order of the players: on every path players are asked in that order, a
// node whose edges lead to the same place is left out, equal nodes are one.
// It is unique: two diagrams of one game give identical results for one order,
// to the last bit of every number computed from them, in whatever orders their
// own paths ask. Players not listed come last, ascending. Costs are dropped
// (0), since they belong to paths. Unknown leaves stay apart.
//
// The size depends on the order, see Order; in the worst case it is
// exponential. It panics if the order lists a player twice or one who is not
// of the game.
//
// Bryant, Graph-based algorithms for Boolean function manipulation, 1986.
func (d *Diagram) Ordered(order []int) *Diagram {
	order = complete(order, d.players)
	leaves, to := distinct(d.leaves)
	c := newCompiler(d, order, int32(len(leaves)))
	root := c.compile(d, to)
	return c.extract(d.players, leaves, root)
}

// Order returns the asked players in an order that the diagram's own paths
// follow, if there is one; else one that is against them as little as a greedy
// choice finds. Ties are broken by number. With this order, Ordered does not
// make an already ordered diagram larger.
func (d *Diagram) Order() []int {
	if d.players == 0 {
		return nil
	}
	after := make([]Coalition, d.players)
	for k, below := range d.below() {
		n := d.nodes[k]
		after[n.player] = after[n.player].Union(below.Without(int(n.player)))
	}
	order := make([]int, 0, d.asked.Len())
	for left := d.asked; !left.IsEmpty(); {
		best, fewest := -1, MaxPlayers+1
		for i := range left.Players() {
			waiting := 0
			for j := range left.Players() {
				if after[j].Has(i) {
					waiting++
				}
			}
			if waiting < fewest {
				best, fewest = i, waiting
			}
		}
		order = append(order, best)
		left = left.Without(best)
	}
	return order
}

// below returns, for every node, the players asked from it on, itself included.
func (d *Diagram) below() []Coalition {
	below := make([]Coalition, len(d.leaves)+len(d.nodes))
	for k, n := range d.nodes {
		below[len(d.leaves)+k] = below[n.lo].Union(below[n.hi]).With(int(n.player))
	}
	return below[len(d.leaves):]
}

// complete checks an order and appends the players it leaves out.
func complete(order []int, players int) []int {
	full := make([]int, 0, players)
	var seen Coalition
	for _, p := range order {
		if p < 0 || p >= players || seen.Has(p) {
			panic(fmt.Sprintf("game: order %v of %d players lists %d twice or wrongly", order, players, p))
		}
		seen = seen.With(p)
		full = append(full, p)
	}
	for p := range Full(players).Minus(seen).Players() {
		full = append(full, p)
	}
	return full
}

// distinct returns the different leaves and where each one went. Unknown
// leaves are different from each other.
func distinct(values []float64) (leaves []float64, to []int32) {
	to = make([]int32, len(values))
	seen := make(map[float64]int32, len(values))
	for k, v := range values {
		at, ok := seen[v] // NaN is never found
		if !ok {
			at = int32(len(leaves))
			leaves = append(leaves, v)
			seen[v] = at
		}
		to[k] = at
	}
	return leaves, to
}

// A compiler turns diagrams into ordered ones. Targets below terminals are
// terminals, target terminals+k is nodes[k].
type compiler struct {
	order     []int
	level     []int32 // by player
	terminals int32
	nodes     []triple
	unique    memo
	chosen    memo
}

// A triple is a node of an ordered diagram, or the operands of an operation.
type triple struct {
	level, lo, hi int32
}

func newCompiler(d *Diagram, order []int, terminals int32) *compiler {
	c := &compiler{
		order:     order,
		level:     make([]int32, d.players),
		terminals: terminals,
	}
	for l, p := range order {
		c.level[p] = int32(l)
	}
	return c
}

// compile returns the ordered form of d, leaf k being terminal leaf[k].
func (c *compiler) compile(d *Diagram, leaf []int32) int32 {
	to := make([]int32, len(d.leaves)+len(d.nodes))
	copy(to, leaf)
	for k, n := range d.nodes {
		to[len(d.leaves)+k] = c.choose(c.level[n.player], to[n.lo], to[n.hi])
	}
	return to[d.root]
}

// choose returns the function that is hi with the player of the level and lo
// without, neither of which depends on that player.
func (c *compiler) choose(level, lo, hi int32) int32 {
	top := min(c.top(lo), c.top(hi))
	if lo == hi || level < top {
		return c.node(level, lo, hi)
	}
	key := triple{level, lo, hi}
	if at, ok := c.chosen.get(key); ok {
		return at
	}
	lo0, lo1 := c.split(lo, top)
	hi0, hi1 := c.split(hi, top)
	at := c.node(top, c.choose(level, lo0, hi0), c.choose(level, lo1, hi1))
	c.chosen.put(key, at)
	return at
}

// top is the level at which f asks first, beyond all levels for terminals.
func (c *compiler) top(f int32) int32 {
	if f < c.terminals {
		return math.MaxInt32
	}
	return c.nodes[f-c.terminals].level
}

// split returns f without and with the player of a level not below its top.
func (c *compiler) split(f, level int32) (lo, hi int32) {
	if c.top(f) != level {
		return f, f
	}
	n := c.nodes[f-c.terminals]
	return n.lo, n.hi
}

// node returns the one node with these contents.
func (c *compiler) node(level, lo, hi int32) int32 {
	if lo == hi {
		return lo
	}
	key := triple{level, lo, hi}
	at, ok := c.unique.get(key)
	if !ok {
		at = c.terminals + int32(len(c.nodes))
		c.nodes = append(c.nodes, key)
		c.unique.put(key, at)
	}
	return at
}

// extract builds the diagram of f. It numbers nodes by depth first search, so
// that the result doesn't depend on the way the compiler got there.
func (c *compiler) extract(players int, leaves []float64, f int32) *Diagram {
	b := NewBuilder(players)
	built := make([]Ref, int(c.terminals)+len(c.nodes))
	const none = math.MinInt32
	for k := range built {
		built[k] = none
	}
	var visit func(f int32) Ref
	visit = func(f int32) Ref {
		if built[f] != none {
			return built[f]
		}
		if f >= c.terminals {
			n := c.nodes[f-c.terminals]
			lo := visit(n.lo)
			built[f] = b.Node(c.order[n.level], Edge{To: lo}, Edge{To: visit(n.hi)})
		} else if v := leaves[f]; math.IsNaN(v) {
			built[f] = b.Unknown()
		} else {
			built[f] = b.Leaf(v)
		}
		return built[f]
	}
	d, err := b.Build(Edge{To: visit(f)})
	if err != nil {
		panic(fmt.Sprintf("game: ordered diagram is not a diagram: %v", err)) // a fault of this file
	}
	return d
}
