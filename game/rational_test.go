package game

import (
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

func TestShapleyRat(t *testing.T) {
	phi, err := refund().ShapleyRat()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"5/12", "5/12", "1/12", "1/12"} {
		if got := phi[i].RatString(); got != want {
			t.Errorf("player %d: %s, want %s", i, got, want)
		}
	}
}

func TestShapleyRatAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiagram(t, 8)
		n, v := d.Players(), enumerate(d)
		want := make([]*big.Rat, n)
		for i := range n {
			want[i] = new(big.Rat)
			for s := range v {
				if s>>i&1 == 1 {
					continue
				}
				gain := new(big.Rat).Sub(new(big.Rat).SetFloat64(v[s|1<<i]), new(big.Rat).SetFloat64(v[s]))
				size := int64(FromMask(uint64(s)).Len())
				orders := new(big.Int).Mul(big.NewInt(int64(n)), new(big.Int).Binomial(int64(n-1), size))
				want[i].Add(want[i], gain.Quo(gain, new(big.Rat).SetInt(orders)))
			}
		}
		got := must(d.ShapleyRat())
		for i := range want {
			if got[i].Cmp(want[i]) != 0 {
				t.Fatalf("player %d: %v, want %v", i, got[i], want[i])
			}
		}
	})
}

func TestShapleyRatOfExtremeValues(t *testing.T) {
	b := NewBuilder(2)
	small, big := b.Leaf(math.SmallestNonzeroFloat64), b.Leaf(math.MaxFloat64)
	d := must(b.Build(Edge{To: b.Node(1, Edge{To: small}, Edge{To: big})}))
	phi := must(d.ShapleyRat())
	if got, _ := phi[1].Float64(); got != math.MaxFloat64 || phi[1].Denom().BitLen() != 1075 || phi[0].Sign() != 0 {
		t.Errorf("φ = %v", phi)
	}
}

func TestShapleyRatUnknown(t *testing.T) {
	b := NewBuilder(1)
	d := must(b.Build(Edge{To: b.Unknown()}))
	if _, err := d.ShapleyRat(); err == nil {
		t.Error("an unknown game has exact values")
	}
}

// Quadrature against fractions where brute force is out of reach.
func TestShapleyAgainstFractions(t *testing.T) {
	weights := make([]int, 40)
	for i := range weights {
		weights[i] = 1 + i%5
	}
	d := threshold(weights, 61)
	want := make([]float64, len(weights))
	for i, f := range must(d.ShapleyRat()) {
		want[i], _ = f.Float64()
	}
	near(t, "Shapley", d.Shapley(nil), want, 1e-14)
}

func BenchmarkShapleyRat64Majority(b *testing.B) {
	d := threshold(equalWeights(64), 33)
	for b.Loop() {
		if _, err := d.ShapleyRat(); err != nil {
			b.Fatal(err)
		}
	}
}
