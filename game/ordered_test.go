package game

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestOrderedIsCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 4))
		d := randomDiagram(rng, 1+rng.IntN(9), 0)
		n := d.Players()
		order := rng.Perm(n)
		o := d.Ordered(order)
		v := enumerate(d)
		near(t, "Ordered", enumerate(o), v, 0)

		// The same game, written out and then by another order first.
		other := fixed(n, func(s uint64) float64 { return v[s] }).Ordered(rng.Perm(n)).Ordered(order)
		if diff := cmp.Diff(o, other, cmp.AllowUnexported(Diagram{}, node{}, Coalition{})); diff != "" {
			t.Fatalf("two diagrams of one game (-one +other):\n%s", diff)
		}
		if !slices.Equal(o.Shapley(nil), other.Shapley(nil)) {
			t.Fatal("the values of one game differ")
		}
		level := make([]int, n)
		for k, p := range order {
			level[p] = k
		}
		seen := map[node]bool{}
		for _, x := range o.nodes {
			for _, child := range []int32{x.lo, x.hi} {
				if at := int(child) - len(o.leaves); at >= 0 && level[o.nodes[at].player] <= level[x.player] {
					t.Fatalf("player %d is asked after %d", o.nodes[at].player, x.player)
				}
			}
			if x.lo == x.hi || seen[x] {
				t.Fatalf("node %v is superfluous", x)
			}
			seen[x] = true
		}
	})
}

func TestOrderFollowsThePaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 5))
		n := 1 + rng.IntN(9)
		order := rng.Perm(n)
		d := randomDiagram(rng, n, 0).Ordered(order)
		again := d.Ordered(d.Order())
		if again.Nodes() != d.Nodes() {
			t.Fatalf("%d nodes by %v, %d by its own order %v", d.Nodes(), order, again.Nodes(), d.Order())
		}
	})
}

func TestOrderedKeepsUnknownsApart(t *testing.T) {
	b := NewBuilder(2)
	d := must(b.Build(Edge{To: b.Node(0, Edge{To: b.Unknown()}, Edge{To: b.Unknown()})}))
	if o := d.Ordered(nil); o.Nodes() != 1 || o.Leaves() != 2 || o.Known() {
		t.Errorf("%d nodes, %d leaves, known %v", o.Nodes(), o.Leaves(), o.Known())
	}
}

func TestOrderedPanics(t *testing.T) {
	for _, order := range [][]int{{0, 0}, {4}, {-1}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("order %v is accepted", order)
				}
			}()
			refund().Ordered(order)
		}()
	}
}

func TestRelabel(t *testing.T) {
	d := refund()
	r := must(d.Relabel(6, []int{5, 3, 0, 1}))
	near(t, "Shapley", r.Shapley(nil), []float64{1. / 12, 1. / 12, 0, 5. / 12, 0, 5. / 12}, 1e-15)
	near(t, "Shapley before", d.Shapley(nil), []float64{5. / 12, 5. / 12, 1. / 12, 1. / 12}, 1e-15)
	for _, to := range [][]int{{0, 1, 2}, {0, 1, 2, 2}, {0, 1, 2, 4}, {0, 1, 2, -1}} {
		if _, err := d.Relabel(4, to); err == nil {
			t.Errorf("names %v are accepted", to)
		}
	}
	if _, err := d.Relabel(MaxPlayers+1, []int{0, 1, 2, 3}); err == nil {
		t.Error("too many players are accepted")
	}
}

// Negative zero is zero: equal values are one leaf.
func TestNegativeZero(t *testing.T) {
	b := NewBuilder(1)
	d := must(b.Build(Edge{To: b.Node(0, Edge{To: b.Leaf(0)}, Edge{To: b.Leaf(math.Copysign(0, -1))})}))
	if d.Ordered(nil).Nodes() != 0 || math.Signbit(d.Full()) {
		t.Error("−0 and 0 are two values")
	}
}

func BenchmarkOrdered4(b *testing.B) {
	d := refund()
	order := []int{3, 2, 1, 0}
	b.ReportAllocs()
	for b.Loop() {
		d.Ordered(order)
	}
}
