package confseq

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

// ClopperPearson returns the exact interval of a share of which k in n draws were observed. It contains the true share
// with probability at least 1−delta, for every share, for a number of draws that was fixed beforehand
// (Clopper and Pearson 1934). Mean is k/n. With n = 0 nothing is known: [0, 1], mean 0.
func ClopperPearson(k, n int, delta float64) (Interval, error) {
	if k < 0 || k > n {
		return Interval{}, fmt.Errorf("%d of %d is no share", k, n)
	}
	if !(delta > 0 && delta < 1) {
		return Interval{}, fmt.Errorf("delta is %v: want a probability between 0 and 1", delta)
	}
	i := Interval{0, 0, 1}
	if n == 0 {
		return i, nil
	}
	i.Mean = float64(k) / float64(n)
	if k > 0 {
		i.Low = mathext.InvRegIncBeta(float64(k), float64(n-k+1), delta/2)
	}
	if k < n {
		i.High = 1 - mathext.InvRegIncBeta(float64(n-k), float64(k+1), delta/2)
	}
	return i, nil
}

// NormalMean returns average ± z·√(V/n) for at least two values: right for large n, without a guarantee at any, and
// for a number of values that was fixed beforehand.
func NormalMean(values []float64, delta float64) (Interval, error) {
	return fixed(values, delta, func(p float64, _ int) float64 { return -distuv.UnitNormal.Quantile(p) })
}

// StudentMean returns average ± t·√(V/n) with the quantile of Student's t: exact for normal values, a little wider
// than NormalMean otherwise. For a number of values that was fixed beforehand.
func StudentMean(values []float64, delta float64) (Interval, error) {
	return fixed(values, delta, func(p float64, n int) float64 {
		return -distuv.StudentsT{Sigma: 1, Nu: float64(n - 1)}.Quantile(p)
	})
}

func fixed(values []float64, delta float64, quantile func(p float64, n int) float64) (Interval, error) {
	if len(values) < 2 {
		return Interval{}, fmt.Errorf("%d values have no variance: want at least 2", len(values))
	}
	if !(delta > 0 && delta < 1) {
		return Interval{}, fmt.Errorf("delta is %v: want a probability between 0 and 1", delta)
	}
	var m moments
	for _, x := range values {
		m.add(x)
	}
	r := quantile(delta/2, m.n) * math.Sqrt(m.variance()/float64(m.n))
	return Interval{m.mean, m.mean - r, m.mean + r}, nil
}
