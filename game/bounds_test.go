package game

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// cut returns d with about the given share of its nodes unexplored.
func cut(rng *rand.Rand, d *Diagram, share float64) *Diagram {
	b := NewBuilder(d.players)
	to := make([]Ref, len(d.leaves)+len(d.nodes))
	for k, v := range d.leaves {
		if to[k] = b.Leaf(v); rng.Float64() < share {
			to[k] = b.Unknown()
		}
	}
	for k, n := range d.nodes {
		at := len(d.leaves) + k
		if rng.Float64() < share {
			to[at] = b.Unknown()
		} else {
			to[at] = b.Node(int(n.player), Edge{To: to[n.lo]}, Edge{To: to[n.hi]})
		}
	}
	return must(b.Build(Edge{To: to[d.root]}))
}

// bruteBound bounds v(S∪a) − v(S∪b) coalition by coalition.
func bruteBound(d *Diagram, a, b Coalition) (lo, hi float64) {
	n, others := d.players, a.Union(b)
	asked := d.askedBefore()
	m := n - others.Len()
	for s := range 1 << n {
		c := FromMask(uint64(s))
		if !c.Intersect(others).IsEmpty() {
			continue
		}
		weight := 1 / (float64(m+1) * binomial(m, bits.OnesCount(uint(s))))
		f, g := d.leaf(d.root, c.Union(a)), d.leaf(d.root, c.Union(b))
		fmin, fmax := scoreRange(d.leaves[f])
		gmin, gmax := scoreRange(d.leaves[g])
		switch {
		case f != g:
			lo += weight * (fmin - gmax)
			hi += weight * (fmax - gmin)
		case math.IsNaN(d.leaves[f]) && !others.SubsetOf(asked[f]):
			lo -= weight
			hi += weight
		}
	}
	return lo, hi
}

func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 11))
		truth := randomDiagram(rng, 1+rng.IntN(8), 0)
		d := cut(rng, truth, 0.3*rng.Float64())
		n := d.players
		phi := truth.Shapley(nil)
		wantLo, wantHi := make([]float64, n), make([]float64, n)
		for i := range n {
			wantLo[i], wantHi[i] = bruteBound(d, Of(i), Coalition{})
		}
		lo, hi := d.Bounds()
		near(t, "lower bounds", lo, wantLo, 1e-12)
		near(t, "upper bounds", hi, wantHi, 1e-12)
		for i := range n {
			if phi[i] < lo[i]-1e-12 || phi[i] > hi[i]+1e-12 {
				t.Fatalf("player %d has %v outside [%v, %v]", i, phi[i], lo[i], hi[i])
			}
		}
		i := rng.IntN(n)
		diffLo, diffHi := d.DifferenceBounds(i)
		for j := range n {
			if j == i {
				wantLo[j], wantHi[j] = 0, 0
				continue
			}
			wantLo[j], wantHi[j] = bruteBound(d, Of(i), Of(j))
			if x := phi[i] - phi[j]; x < diffLo[j]-1e-12 || x > diffHi[j]+1e-12 {
				t.Fatalf("φ%d − φ%d = %v outside [%v, %v]", i, j, x, diffLo[j], diffHi[j])
			}
		}
		near(t, "lower bounds of differences", diffLo, wantLo, 1e-12)
		near(t, "upper bounds of differences", diffHi, wantHi, 1e-12)
	})
}

func TestBoundsOfKnownGames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiagram(t, 9)
		phi := d.Shapley(nil)
		lo, hi := d.Bounds()
		near(t, "lower bounds", lo, phi, 1e-12)
		near(t, "upper bounds", hi, phi, 1e-12)
		lo, hi = d.DifferenceBounds(0)
		for j := range phi {
			phi[j] = d.Shapley(nil)[0] - phi[j]
		}
		near(t, "lower bounds of differences", lo, phi, 1e-12)
		near(t, "upper bounds of differences", hi, phi, 1e-12)
	})
}

// A state that both fix and as-run lead to gains nothing, explored or not; one
// that may still ask for the player may gain anything.
func TestBoundsWhereWalksMeet(t *testing.T) {
	b := NewBuilder(3)
	u := b.Unknown()
	mid := b.Node(1, Edge{To: u}, Edge{To: b.Leaf(1)})
	d := must(b.Build(Edge{To: b.Node(0, Edge{To: mid}, Edge{To: mid})}))
	lo, hi := d.Bounds()
	near(t, "lower bounds", lo, []float64{0, 0, -0.5}, 1e-15)
	near(t, "upper bounds", hi, []float64{0, 1, 0.5}, 1e-15)
}

// A majority of 64 with some of its states unexplored.
func TestBoundsOfManyPlayers(t *testing.T) {
	d := cut(rand.New(rand.NewPCG(3, 3)), threshold(equalWeights(64), 33), 0.02)
	lo, hi := d.Bounds()
	for i := range 64 {
		if lo[i] > 1./64+1e-12 || hi[i] < 1./64-1e-12 {
			t.Errorf("player %d: 1/64 is not in [%v, %v]", i, lo[i], hi[i])
		}
	}
}

func BenchmarkBounds64Majority(b *testing.B) {
	d := cut(rand.New(rand.NewPCG(3, 3)), threshold(equalWeights(64), 33), 0.02)
	for b.Loop() {
		d.Bounds()
	}
}
