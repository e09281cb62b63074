package confseq

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// HoeffdingRadius bounds |average − mean| of t independent values in a range of the given width,
// with probability 1−delta: R·√(ln(2/δ)/(2t)) (Hoeffding 1963). It holds for draws without replacement too.
func HoeffdingRadius(width, delta float64, t int) float64 {
	if t < 1 {
		return math.Inf(1)
	}
	return width * math.Sqrt(math.Log(2/delta)/(2*float64(t)))
}

// BernsteinRadius bounds |average − mean| of t independent values with the given unbiased sample variance V in a range
// of width R, with probability 1−delta: √(2V·ln(4/δ)/t) + 7R·ln(4/δ)/(3(t−1))
// (Maurer and Pontil 2009, theorem 4, used for both sides). For streams with a small variance it is far tighter than
// Hoeffding's once t is in the hundreds.
func BernsteinRadius(variance, width, delta float64, t int) float64 {
	if t < 2 {
		return math.Inf(1)
	}
	l := math.Log(4 / delta)
	return math.Sqrt(2*variance*l/float64(t)) + 7*width*l/(3*float64(t-1))
}

// NormalRadius is z·√(V/t) with the 1−delta/2 quantile of the normal distribution: an approximation for large t,
// without a guarantee at any.
func NormalRadius(variance, delta float64, t int) float64 {
	if t < 2 {
		return math.Inf(1)
	}
	return -distuv.UnitNormal.Quantile(delta/2) * math.Sqrt(variance/float64(t))
}
