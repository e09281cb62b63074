package replay

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/agentblame/agentblame/game"
)

// result builds the diagram from the slots, children before parents. Its form
// doesn't depend on the order in which walks went on.
func (x *explorer) result() (*Exploration, error) {
	out := &Exploration{Failures: x.failures(), Cut: x.cut, Budget: x.gate != nil && x.session.engine.meter.ended()}
	b := game.NewBuilder(len(x.session.Players()))
	refs := map[int32]game.Ref{}
	var build func(at int32) game.Edge
	build = func(at int32) game.Edge {
		cost := x.slots[at].cost
		for x.slots[at].end == slotNext {
			at = x.slots[at].lo
			cost += x.slots[at].cost
		}
		if ref, done := refs[at]; done {
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
		refs[at] = ref
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
