package confseq

import "math"

// Interval is an estimate with its confidence bounds, in the unit of the values.
//
// Mean is the plain average. It lies between Low and High except in rare data on which an anytime-valid interval and
// the average disagree.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Radius is half the width of the interval.
func (i Interval) Radius() float64 { return (i.High - i.Low) / 2 }

// Contains reports whether x lies in the interval, bounds included.
func (i Interval) Contains(x float64) bool { return i.Low <= x && x <= i.High }

// Clip returns the interval cut to [low, high], the range in which the mean is known to be.
func (i Interval) Clip(low, high float64) Interval {
	return Interval{i.Mean, min(max(i.Low, low), high), max(min(i.High, high), low)}
}

// meet returns the common part of i and an earlier interval of the same mean.
// If there is none, one of the two has missed; what is left is the point of i nearest to the earlier one.
func (i Interval) meet(earlier Interval) Interval {
	i.Low, i.High = max(i.Low, min(earlier.Low, i.High)), min(i.High, max(earlier.High, i.Low))
	return i
}

// moments is a running mean and sum of squared deviations (Welford 1962).
type moments struct {
	n       int
	mean, m float64
}

func (m *moments) add(x float64) {
	m.n++
	d := x - m.mean
	m.mean += d / float64(m.n)
	m.m += d * (x - m.mean)
}

// variance is the unbiased sample variance, +Inf for fewer than two values.
func (m *moments) variance() float64 {
	if m.n < 2 {
		return math.Inf(1)
	}
	return m.m / float64(m.n-1)
}
