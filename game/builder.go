package game

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// A Builder makes diagrams from the leaves up: children before parents. Reset
// it to make the next one in the same memory. Mistakes (a player out of range
// or asked twice on a path, a Ref that doesn't exist yet) are reported by
// Build.
type Builder struct {
	players int
	leaves  []float64
	nodes   []node
	below   []info
	to      []int32
	err     error
}

// info is what a node's parents need to know of it.
type info struct {
	asked Coalition
	depth int32
}

// NewBuilder returns a builder of games of n players. n is checked by Build.
func NewBuilder(players int) *Builder {
	return &Builder{players: players}
}

// Reset empties the builder for a game of n players, keeping its memory.
// Diagrams already built stay valid, Refs don't.
func (b *Builder) Reset(players int) {
	b.players, b.err = players, nil
	b.leaves, b.nodes, b.below = b.leaves[:0], b.nodes[:0], b.below[:0]
}

// Leaf adds a leaf of a finite value. Scores lie in [0, 1], which nothing but
// the bounds of partly unknown games relies on.
func (b *Builder) Leaf(value float64) Ref {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		b.fail("leaf %d has value %v", len(b.leaves), value)
	}
	value += 0 // −0 becomes 0, so that equal values are one leaf
	// Nearly all games have few distinct scores, the last ones seen first.
	for k := len(b.leaves) - 1; k >= max(0, len(b.leaves)-8); k-- {
		if b.leaves[k] == value {
			return ^Ref(k)
		}
	}
	b.leaves = append(b.leaves, value)
	return ^Ref(len(b.leaves) - 1)
}

// Unknown adds a leaf where exploration was cut off. Each call adds another
// one: two such states need not have the same value, nor, for players not yet
// asked on any path there, one value for all coalitions.
func (b *Builder) Unknown() Ref {
	b.leaves = append(b.leaves, math.NaN())
	return ^Ref(len(b.leaves) - 1)
}

// Node adds a node that asks for the player: lo leads on as it ran, hi with
// its fix. Both edges may lead to the same place.
func (b *Builder) Node(player int, lo, hi Edge) Ref {
	id := Ref(len(b.nodes))
	n := node{player: int32(player), lo: int32(lo.To), hi: int32(hi.To), loCost: lo.Cost, hiCost: hi.Cost}
	var sum info
	switch {
	case player < 0 || player >= b.players || player >= MaxPlayers:
		b.fail("node %d asks for player %d of %d", id, player, b.players)
	case !b.has(lo.To) || !b.has(hi.To):
		b.fail("node %d leads to %d and %d, which are not all there yet", id, lo.To, hi.To)
	default:
		l, h := b.info(lo.To), b.info(hi.To)
		sum = info{l.asked.Union(h.asked), max(l.depth, h.depth)}
		if sum.asked.Has(player) {
			b.fail("node %d asks for player %d, who is asked again below", id, player)
		}
		sum.asked = sum.asked.With(player)
		if lo.To != hi.To {
			sum.depth++
		}
	}
	b.nodes = append(b.nodes, n)
	b.below = append(b.below, sum)
	return id
}

// Build returns the diagram that starts with the root edge. What cannot be
// reached from there is left out. The builder may be used further.
func (b *Builder) Build(root Edge) (*Diagram, error) {
	d := new(Diagram)
	if err := b.BuildInto(d, root); err != nil {
		return nil, err
	}
	return d, nil
}

// BuildInto is Build into a diagram that is not needed any more and whose
// memory is used again. After an error d is unchanged.
func (b *Builder) BuildInto(d *Diagram, root Edge) error {
	switch {
	case b.err != nil:
		return fmt.Errorf("building decision diagram: %w", b.err)
	case b.players < 0 || b.players > MaxPlayers:
		return fmt.Errorf("building decision diagram: %d players, want 0 to %d", b.players, MaxPlayers)
	case !b.has(root.To):
		return errors.New("building decision diagram: the root edge leads nowhere")
	}
	b.mark(root.To)
	below := b.info(root.To)
	d.players, d.rootCost, d.asked, d.depth = b.players, root.Cost, below.asked, int(below.depth)
	d.leaves, d.nodes, d.unknown = d.leaves[:0], d.nodes[:0], 0
	// b.to is 1 for what is reached, then the index in the diagram.
	for k, v := range b.leaves {
		if b.to[k] == 0 {
			continue
		}
		b.to[k] = int32(len(d.leaves))
		d.leaves = append(d.leaves, v)
		if math.IsNaN(v) {
			d.unknown++
		}
	}
	for k, n := range b.nodes {
		at := len(b.leaves) + k
		if b.to[at] == 0 {
			continue
		}
		b.to[at] = int32(len(d.leaves) + len(d.nodes))
		n.lo, n.hi = b.to[b.place(Ref(n.lo))], b.to[b.place(Ref(n.hi))]
		d.nodes = append(d.nodes, n)
	}
	d.root = b.to[b.place(root.To)]
	return nil
}

// mark sets b.to to 1 for all that can be reached from r, 0 for the rest.
func (b *Builder) mark(r Ref) {
	b.to = slices.Grow(b.to[:0], len(b.leaves)+len(b.nodes))[:len(b.leaves)+len(b.nodes)]
	clear(b.to)
	b.to[b.place(r)] = 1
	for k := int(r); k >= 0; k-- {
		if b.to[len(b.leaves)+k] != 0 {
			b.to[b.place(Ref(b.nodes[k].lo))] = 1
			b.to[b.place(Ref(b.nodes[k].hi))] = 1
		}
	}
}

// place is r's position when leaves are counted before nodes.
func (b *Builder) place(r Ref) int {
	if r < 0 {
		return int(^r)
	}
	return len(b.leaves) + int(r)
}

func (b *Builder) has(r Ref) bool {
	if r < 0 {
		return int(^r) < len(b.leaves)
	}
	return int(r) < len(b.nodes)
}

func (b *Builder) info(r Ref) info {
	if r < 0 {
		return info{}
	}
	return b.below[r]
}

func (b *Builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}
