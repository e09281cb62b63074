package game

import (
	"math"
	"strings"
	"testing"
)

func TestBuilderMistakes(t *testing.T) {
	for _, test := range []struct {
		name  string
		build func(b *Builder) Ref
		want  string
	}{
		{"player too high", func(b *Builder) Ref {
			return b.Node(3, Edge{To: b.Leaf(0)}, Edge{To: b.Leaf(1)})
		}, "player 3 of 3"},
		{"player negative", func(b *Builder) Ref {
			return b.Node(-1, Edge{To: b.Leaf(0)}, Edge{To: b.Leaf(1)})
		}, "player -1 of 3"},
		{"asked twice", func(b *Builder) Ref {
			zero, one := b.Leaf(0), b.Leaf(1)
			low := b.Node(1, Edge{To: zero}, Edge{To: one})
			mid := b.Node(0, Edge{To: zero}, Edge{To: low})
			return b.Node(1, Edge{To: mid}, Edge{To: one})
		}, "asked again below"},
		{"cycle", func(b *Builder) Ref {
			return b.Node(1, Edge{To: 0}, Edge{To: b.Leaf(0)})
		}, "not all there yet"},
		{"missing node", func(b *Builder) Ref {
			return b.Node(1, Edge{To: b.Leaf(0)}, Edge{To: 7})
		}, "not all there yet"},
		{"missing leaf", func(b *Builder) Ref {
			return b.Node(1, Edge{To: -1}, Edge{To: -2})
		}, "not all there yet"},
		{"root nowhere", func(b *Builder) Ref { return -1 }, "root edge leads nowhere"},
		{"not a number", func(b *Builder) Ref { return b.Leaf(math.NaN()) }, "value NaN"},
		{"infinite", func(b *Builder) Ref { return b.Leaf(math.Inf(1)) }, "value +Inf"},
	} {
		b := NewBuilder(3)
		_, err := b.Build(Edge{To: test.build(b)})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
		b.Reset(3)
		if _, err := b.Build(Edge{To: b.Leaf(1)}); err != nil {
			t.Errorf("%s: after Reset: %v", test.name, err)
		}
	}
	for _, n := range []int{-1, MaxPlayers + 1} {
		b := NewBuilder(n)
		if _, err := b.Build(Edge{To: b.Leaf(1)}); err == nil {
			t.Errorf("a game of %d players is built", n)
		}
	}
}

func TestBuilderLeavesOutTheUnreachable(t *testing.T) {
	b := NewBuilder(4)
	zero, one := b.Leaf(0), b.Leaf(1)
	b.Node(3, Edge{To: b.Unknown()}, Edge{To: b.Leaf(0.5)})
	used := b.Node(2, Edge{To: zero, Cost: 1}, Edge{To: one, Cost: 2})
	b.Node(1, Edge{To: used}, Edge{To: one})
	d := must(b.Build(Edge{To: used, Cost: 4}))
	if d.Nodes() != 1 || d.Leaves() != 2 || !d.Known() || d.Asked() != Of(2) || d.Depth() != 1 {
		t.Errorf("%d nodes, %d leaves, known %v, asked %v, depth %d", d.Nodes(), d.Leaves(), d.Known(), d.Asked(), d.Depth())
	}
	near(t, "Cost", []float64{d.Cost(Of()), d.Cost(Of(2))}, []float64{5, 6}, 0)
}

// The builder's memory is used again, the diagrams it made are not touched.
func TestBuilderReset(t *testing.T) {
	b := NewBuilder(1)
	first := must(b.Build(Edge{To: b.Node(0, Edge{To: b.Leaf(0)}, Edge{To: b.Leaf(1)})}))
	b.Reset(2)
	second := must(b.Build(Edge{To: b.Node(1, Edge{To: b.Leaf(0.25)}, Edge{To: b.Leaf(0.75)})}))
	near(t, "first", first.Shapley(nil), []float64{1}, 0)
	near(t, "second", second.Shapley(nil), []float64{0, 0.5}, 1e-16)
	if err := b.BuildInto(first, Edge{To: 99}); err == nil {
		t.Error("BuildInto takes a root that is not there")
	}
	near(t, "first after a failed BuildInto", first.Shapley(nil), []float64{1}, 0)
	if err := b.BuildInto(first, Edge{To: 0}); err != nil {
		t.Error(err)
	}
	near(t, "first made anew", first.Shapley(nil), []float64{0, 0.5}, 1e-16)
}

// A node whose fix changes nothing costs something but moves nothing.
func TestBuilderInertNode(t *testing.T) {
	b := NewBuilder(2)
	inner := b.Node(0, Edge{To: b.Leaf(0)}, Edge{To: b.Leaf(1)})
	d := must(b.Build(Edge{To: b.Node(1, Edge{inner, 1}, Edge{inner, 3})}))
	near(t, "Shapley", d.Shapley(nil), []float64{1, 0}, 1e-15)
	if d.Depth() != 1 || d.Asked() != Of(0, 1) || d.CostUncached() != 8 {
		t.Errorf("depth %d, asked %v, cost %v", d.Depth(), d.Asked(), d.CostUncached())
	}
}

func TestUnknown(t *testing.T) {
	b := NewBuilder(3)
	u := b.Unknown()
	inner := b.Node(1, Edge{To: u}, Edge{To: b.Leaf(1)})
	d := must(b.Build(Edge{To: b.Node(0, Edge{To: inner}, Edge{To: b.Node(2, Edge{To: b.Leaf(0)}, Edge{To: b.Leaf(1)})})}))
	if d.Known() || d.Coverage() != 0.75 || !math.IsNaN(d.Empty()) || d.Full() != 1 || !math.IsNaN(d.Expected(0.5)) {
		t.Errorf("known %v, coverage %v, empty %v, full %v", d.Known(), d.Coverage(), d.Empty(), d.Full())
	}
	phi := d.Shapley(nil)
	if !math.IsNaN(phi[0]) || !math.IsNaN(phi[1]) || phi[2] != 0.5 {
		t.Errorf("Shapley = %v, want unknown for players 0 and 1 only", phi)
	}
	if v := b.Unknown(); v == u {
		t.Error("two unknown leaves are one")
	}
}

// A player whose fix changes nothing has value 0 even above the unknown.
func TestUnknownBelowInertNode(t *testing.T) {
	b := NewBuilder(2)
	u := b.Unknown()
	d := must(b.Build(Edge{To: b.Node(1, Edge{To: u}, Edge{To: u})}))
	near(t, "Shapley", d.Shapley(nil), []float64{0, 0}, 0)
	near(t, "Banzhaf", d.Banzhaf(nil), []float64{0, 0}, 0)
	near(t, "FixAlone", d.FixAlone(nil), []float64{0, 0}, 0)
	near(t, "LeaveOneOut", d.LeaveOneOut(nil), []float64{0, 0}, 0)
	near(t, "pairs", d.Interactions(SII).pair, make([]float64, 4), 0)
	near(t, "Owen", must(d.Owen([]Coalition{Full(2)}, nil)), []float64{0, 0}, 0)
}
