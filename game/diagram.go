package game

import (
	"context"
	"fmt"
	"math"
)

// A Ref names a leaf or a node of one Builder.
type Ref int32

// An Edge leads to a leaf or node. Its Cost is the declared cost of the step
// runs on the way there, in the caller's unit; it may be 0.
type Edge struct {
	To   Ref
	Cost float64
}

// A Diagram is a game v: coalitions → values, held as a decision diagram. An
// inner node asks for one player; its lo edge is taken when the player runs
// as it did (is not in the coalition), its hi edge when it runs its fix.
// A leaf holds the value of every coalition that leads there, or is unknown.
//
// Different paths may ask players in different orders and leave players out,
// but a path asks no player twice. A player left out on a path makes no
// difference there. Diagrams are made by a Builder, never change, and may be
// read by many goroutines at once.
type Diagram struct {
	players int
	// values holds the leaves' values, NaN where unknown. Indices of targets
	// count leaves first and nodes after them, so that one slice of numbers
	// by index serves both and passes need no case distinction.
	leaves []float64
	// nodes stand in the order of their construction: children before
	// parents, the root last.
	nodes    []node
	root     int32
	rootCost float64
	asked    Coalition
	depth    int
	unknown  int
}

type node struct {
	player, lo, hi int32
	loCost, hiCost float64
}

// Players returns the number of players of the game, asked for or not.
func (d *Diagram) Players() int { return d.players }

// Nodes returns the number of inner nodes.
func (d *Diagram) Nodes() int { return len(d.nodes) }

// Leaves returns the number of leaves, known and unknown.
func (d *Diagram) Leaves() int { return len(d.leaves) }

// Asked returns the players that some node asks for. All others have no
// influence.
func (d *Diagram) Asked() Coalition { return d.asked }

// Depth returns the largest number of players on whom the value depends along
// one path. It bounds the degree of the game's multilinear extension.
func (d *Diagram) Depth() int { return d.depth }

// Known reports whether no leaf is unknown.
func (d *Diagram) Known() bool { return d.unknown == 0 }

// Coverage returns the share of all 2ⁿ coalitions whose value is known.
func (d *Diagram) Coverage() float64 {
	if d.Known() {
		return 1
	}
	known := 0.0
	for k, p := range d.reach(0.5)[:len(d.leaves)] {
		if !math.IsNaN(d.leaves[k]) {
			known += p
		}
	}
	return known
}

// Value returns v(c), NaN if unknown.
func (d *Diagram) Value(c Coalition) float64 {
	return d.leaves[d.leaf(d.root, c)]
}

// Ask returns v(c), and an error if it is unknown. It is a ValueFunc.
func (d *Diagram) Ask(_ context.Context, c Coalition) (float64, error) {
	v := d.Value(c)
	if math.IsNaN(v) {
		return 0, fmt.Errorf("the value of %v is unknown", c)
	}
	return v, nil
}

// Empty returns v(∅), the value of the run as it was; NaN if unknown.
func (d *Diagram) Empty() float64 { return d.Value(Coalition{}) }

// Full returns v(N), the value with every fix; NaN if unknown.
func (d *Diagram) Full() float64 { return d.Value(Full(d.players)) }

// leaf walks from a target under a coalition.
func (d *Diagram) leaf(at int32, c Coalition) int32 {
	first := int32(len(d.leaves))
	for at >= first {
		n := &d.nodes[at-first]
		if c.Has(int(n.player)) {
			at = n.hi
		} else {
			at = n.lo
		}
	}
	return at
}

// Cost returns the sum of the costs on the path of c: what a replay of c costs
// when nothing is cached.
func (d *Diagram) Cost(c Coalition) float64 {
	sum, first := d.rootCost, int32(len(d.leaves))
	for at := d.root; at >= first; {
		n := &d.nodes[at-first]
		if c.Has(int(n.player)) {
			at, sum = n.hi, sum+n.hiCost
		} else {
			at, sum = n.lo, sum+n.loCost
		}
	}
	return sum
}

// CostUncached returns Σ Cost(c) over all 2ⁿ coalitions: what enumerating the
// game without a cache would cost. It is 2ⁿ times the expected cost when every
// player runs its fix with probability ½.
func (d *Diagram) CostUncached() float64 {
	reach := d.reach(0.5)[len(d.leaves):]
	sum := d.rootCost
	for k, n := range d.nodes {
		sum += float64(reach[k] * (n.loCost + n.hiCost) / 2)
	}
	return math.Ldexp(sum, d.players)
}

// Expected returns E[v(S)] when every player is in S with probability p,
// independently: the multilinear extension on its diagonal. NaN if an unknown
// leaf can be reached.
func (d *Diagram) Expected(p float64) float64 {
	value := d.numbers()
	d.backward(value, all(d.players, p))
	return value[d.root]
}

// FixAlone writes v({i}) − v(∅) of every player i into dst and returns it,
// grown if needed; NaN where unknown.
func (d *Diagram) FixAlone(dst []float64) []float64 {
	dst = zeros(dst, d.players)
	first := int32(len(d.leaves))
	base := d.Empty()
	for at := d.root; at >= first; {
		n := &d.nodes[at-first]
		if n.lo != n.hi {
			dst[n.player] = d.leaves[d.leaf(n.hi, Coalition{})] - base
		}
		at = n.lo
	}
	return dst
}

// LeaveOneOut writes v(N) − v(N∖i) of every player i into dst and returns it,
// grown if needed; NaN where unknown.
func (d *Diagram) LeaveOneOut(dst []float64) []float64 {
	dst = zeros(dst, d.players)
	first, all := int32(len(d.leaves)), Full(d.players)
	top := d.Full()
	for at := d.root; at >= first; {
		n := &d.nodes[at-first]
		if n.lo != n.hi {
			dst[n.player] = top - d.leaves[d.leaf(n.lo, all)]
		}
		at = n.hi
	}
	return dst
}

// Relabel returns the diagram with player i called to[i], as a game of the
// given number of players. Asked players need distinct names.
func (d *Diagram) Relabel(players int, to []int) (*Diagram, error) {
	if players < 0 || players > MaxPlayers {
		return nil, fmt.Errorf("relabelling players: %d players, want 0 to %d", players, MaxPlayers)
	}
	r := *d
	r.players, r.asked = players, Coalition{}
	for i := range d.asked.Players() {
		switch {
		case i >= len(to) || to[i] < 0 || to[i] >= players:
			return nil, fmt.Errorf("relabelling players: player %d has no name below %d", i, players)
		case r.asked.Has(to[i]):
			return nil, fmt.Errorf("relabelling players: two players called %d", to[i])
		}
		r.asked = r.asked.With(to[i])
	}
	r.nodes = make([]node, len(d.nodes))
	for k, n := range d.nodes {
		n.player = int32(to[n.player])
		r.nodes[k] = n
	}
	return &r, nil
}
