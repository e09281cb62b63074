package game

import (
	"math"
	"slices"
	"testing"
)

func TestLeafValues(t *testing.T) {
	b := NewBuilder(1)
	d := must(b.Build(Edge{To: b.Node(0, Edge{To: b.Leaf(0.5)}, Edge{To: b.Unknown()})}))
	got := slices.Collect(d.LeafValues())
	if len(got) != 2 || got[0] != 0.5 || !math.IsNaN(got[1]) {
		t.Errorf("LeafValues = %v", got)
	}
	for v := range d.LeafValues() {
		if v != 0.5 {
			t.Errorf("first value %v", v)
		}
		break
	}
}
