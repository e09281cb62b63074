package game

import (
	"math"
	"testing"
)

// A rule of m points integrates pᵏ to 1/(k+1) for k < 2m, and not for k = 2m.
func TestGaussLegendre(t *testing.T) {
	integral := func(r rule, k int) float64 {
		s := 0.0
		for q, x := range r.x {
			s += r.w[q] * math.Pow(x, float64(k))
		}
		return s
	}
	for degree := -1; degree <= MaxPlayers; degree++ {
		r := gaussLegendre(degree)
		m := len(r.x)
		if 2*m-1 < degree || m > 1 && 2*(m-1)-1 >= degree {
			t.Fatalf("degree %d: %d points", degree, m)
		}
		for k := range 2 * m {
			if got, want := integral(r, k), 1/float64(k+1); math.Abs(got-want) > 4e-15 {
				t.Fatalf("%d points: ∫ p^%d = %v, want %v (%.1g)", m, k, got, want, got-want)
			}
		}
		if m <= 10 && math.Abs(integral(r, 2*m)-1/float64(2*m+1)) < 1e-13 {
			t.Errorf("%d points are exact for degree %d", m, 2*m)
		}
	}
}

func TestGaussLegendreKnown(t *testing.T) {
	r := gaussLegendre(5)
	x := math.Sqrt(0.6) / 2
	near(t, "points", r.x, []float64{0.5 - x, 0.5, 0.5 + x}, 1e-16)
	near(t, "weights", r.w, []float64{5. / 18, 8. / 18, 5. / 18}, 1e-15)
}
