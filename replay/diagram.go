package replay

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/agentblame/agentblame/game"
)

// result builds the diagram from the slots, children before parents. Its form
// doesn't depend on the order in which walks went on.
func (x *explorer) result() (*Exploration, error) {
	out := &Exploration{Failures: x.failures(), Cut: x.cut, Budget: x.gate != nil && x.session.engine.meter.ended()}
	b := &x.builder
	b.Reset(len(x.session.Players()))
	const none = math.MinInt32
	for range x.slots {
		x.refs = append(x.refs, none)
	}
	var build func(at int32) game.Edge
	build = func(at int32) game.Edge {
		cost := x.slots[at].cost
		for x.slots[at].end == slotNext {
			at = x.slots[at].lo
			cost += x.slots[at].cost
		}
		if ref := x.refs[at]; ref != none {
			return game.Edge{To: ref, Cost: cost}
		}
		var ref game.Ref
		switch s := &x.slots[at]; s.end {
		case slotNode:
			lo, hi := build(s.lo), build(s.hi)
			ref = b.Node(int(s.player), lo, hi)
		case slotLeaf:
			ref = b.Leaf(s.value)
		default:
			ref = b.Unknown()
			if s.why != "" && !slices.Contains(out.Unknown, s.why) {
				out.Unknown = append(out.Unknown, s.why)
			}
		}
		x.refs[at] = ref
		return game.Edge{To: ref, Cost: cost}
	}
	d, err := b.Build(build(0))
	if err != nil {
		return nil, err
	}
	out.Diagram, out.CostUncached = d, round(d.CostUncached())
	slices.Sort(out.Unknown)
	if x.overlaps && d.Known() {
		out.Diagram = d.Ordered(x.order())
	}
	return out, nil
}

// order returns the players in the order of reports. Calls that go on at once
// are met in any order; a diagram in this one gives the same last digits always.
func (x *explorer) order() []int {
	players := x.session.Players()
	order := make([]int, len(players))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(ComparePlayers(players[a], players[b]), cmp.Compare(a, b))
	})
	return order
}

// round drops the digits of a sum that depend on the order of its terms.
func round(sum float64) float64 {
	short, err := strconv.ParseFloat(strconv.FormatFloat(sum, 'g', 12, 64), 64)
	if err != nil {
		return sum
	}
	return short
}

// scratch is the memory of an exploration, which the next one uses again.
type scratch struct {
	slots   []slot
	points  map[[2]uint32]int32 // state -> the slot that begins there
	refs    []game.Ref          // by slot: what it is in the diagram
	builder game.Builder
}

func (e *Engine) takeScratch() *scratch {
	if m, ok := e.scratches.Get().(*scratch); ok {
		return m
	}
	return &scratch{points: map[[2]uint32]int32{}}
}

// giveBack keeps the exploration's memory, unless it is unusually large.
func (x *explorer) giveBack(e *Engine) {
	m := x.scratch
	if cap(m.slots) > 1<<12 || len(m.points) > 1<<12 {
		return
	}
	clear(m.slots)
	clear(m.points)
	m.slots, m.refs = m.slots[:0], m.refs[:0]
	e.scratches.Put(m)
}
