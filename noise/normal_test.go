package noise

import (
	"math"
	"testing"
)

func TestNormalQuantiles(t *testing.T) {
	for u, want := range map[float64]float64{ // from tables, 15 digits
		0.5:    0,
		0.9:    1.2815515655446004,
		0.975:  1.959963984540054,
		0.995:  2.5758293035489004,
		0.9995: 3.2905267314919255,
		1e-6:   -4.753424308822899,
		1e-12:  -7.034483825301132,
	} {
		if got := normal(u); math.Abs(got-want) > 4e-15*math.Abs(want) {
			t.Errorf("normal(%v) = %v, want %v", u, got, want)
		}
	}
}

// The distribution function undoes the quantile function, in both tails.
func TestNormalInverts(t *testing.T) {
	r := testStream("normal")
	for i := range uint64(100_000) {
		u := uniform(r.bits(i))
		for _, p := range []float64{u, u / 2, u * 1e-3, u * 1e-8, u * 1e-12} {
			back := math.Erfc(-normal(p)/math.Sqrt2) / 2
			if math.Abs(back-p) > 1e-13*p {
				t.Fatalf("Φ(normal(%v)) = %v", p, back)
			}
		}
	}
}

func TestNormalIsOdd(t *testing.T) {
	r := testStream("odd")
	for i := range uint64(10_000) {
		u := uniform(r.bits(i) &^ 1) // so that 1-u is on the grid
		if normal(u) != -normal(1-u) {
			t.Fatalf("normal(%v) = %v, normal of its complement %v", u, normal(u), normal(1-u))
		}
	}
}
