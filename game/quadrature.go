package game

import (
	"math"
	"sync"
)

// A rule is a quadrature rule on [0, 1]: ∫ f ≈ Σ w[q]·f(x[q]).
type rule struct {
	x, w []float64
}

// half evaluates at ½: means over all coalitions with equal weight.
var half = rule{[]float64{0.5}, []float64{1}}

// rules holds the Gauss–Legendre rules by number of points, each made when it
// is first asked for and constant from then on.
var rules [MaxPlayers/2 + 2]struct {
	once sync.Once
	rule rule
}

// gaussLegendre returns the rule that is exact for polynomials of the degree.
// It has m = ⌈(degree+1)/2⌉ points, since m points are exact to degree 2m−1.
func gaussLegendre(degree int) rule {
	m := max(1, (degree+2)/2)
	r := &rules[m]
	r.once.Do(func() { r.rule = newRule(m) })
	return r.rule
}

// newRule finds the roots of the Legendre polynomial of degree m by Newton's
// method from Tricomi's approximation, weights 2/((1−x²)·P′(x)²).
// The conversions to float64 keep compilers from fusing a product and a sum,
// so that all machines get the same rule.
func newRule(m int) rule {
	r := rule{make([]float64, m), make([]float64, m)}
	for k := range (m + 1) / 2 {
		guess := math.Cos(math.Pi * (float64(k) + 0.75) / (float64(m) + 0.5))
		x := float64(float32(guess)) // the same start, whatever the last bits of Cos
		if 2*k+1 == m {
			x = 0
		}
		var slope float64
		for range 8 {
			var p float64
			p, slope = legendre(m, x)
			step := p / slope
			x -= step
			if math.Abs(step) < 1e-17 {
				break
			}
		}
		_, slope = legendre(m, x)
		w := 1 / (float64((1-x)*(1+x)) * float64(slope*slope))
		r.x[k], r.w[k] = (1-x)/2, w
		r.x[m-1-k], r.w[m-1-k] = (1+x)/2, w
	}
	return r
}

// legendre returns P_m(x) and its derivative, for |x| < 1.
func legendre(m int, x float64) (p, slope float64) {
	prev, p := 0.0, 1.0
	for k := 1; k <= m; k++ {
		next := (float64(float64(2*k-1)*float64(x*p)) - float64(float64(k-1)*prev)) / float64(k)
		prev, p = p, next
	}
	return p, float64(m) * (prev - float64(x*p)) / float64((1-x)*(1+x))
}
