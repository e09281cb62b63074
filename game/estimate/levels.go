package estimate

import "math"

// Levels are the logarithms of the scale a of values by class, the size of the
// smaller side of a pair. They are free at knots 0, 1, 2, 3, 4, 6, 8,
// 12 … and linear in the logarithm of the class between, for scales change
// fastest at the ends and few pairs of one class say little alone.
type levels struct {
	knots []int
	start []float64 // at the knots
	fixed bool      // to start
	n     int
}

// newLevels starts from the values' root mean squares. Without pairs of most
// sizes there is no telling how they differ; then all levels are the same, for
// good. It returns false if all values are 0.
func newLevels(d *pairs) (levels, bool) {
	l := levels{n: d.n}
	for c, step := 0, 1; c < d.n/2; c += step {
		l.knots = append(l.knots, c)
		if c >= 4*step {
			step *= 2
		}
	}
	if last := len(l.knots) - 1; last > 4 && 4*(d.n/2-l.knots[last]) < l.knots[last] {
		l.knots = l.knots[:last]
	}
	l.knots = append(l.knots, d.n/2)
	norm, count := make([]float64, len(l.knots)), make([]float64, len(l.knots))
	all := 0.0
	for k, y := range d.y {
		at, share := l.between(d.class(k))
		if share > 0.5 {
			at++
		}
		norm[at] = math.Hypot(norm[at], y)
		count[at]++
		all = math.Hypot(all, y)
	}
	if all == 0 {
		return l, false
	}
	l.start = make([]float64, len(l.knots))
	l.fixed = len(d.y)-1-d.players < d.n/4
	last := math.Log(all) - math.Log(float64(len(d.y)))/2
	first := true
	for k := len(l.knots) - 1; k >= 0; k-- {
		if norm[k] > 0 && !l.fixed {
			// Few pairs are taken together with the next knot.
			own, share := math.Log(norm[k])-math.Log(count[k])/2, count[k]/(count[k]+2)
			if first {
				share, first = 1, false
			}
			last += share * (own - last)
		}
		l.start[k] = last
	}
	return l, true
}

// between returns the knot at or before the class, and how far it is to the
// next one, from 0 to 1.
func (l levels) between(class int) (knot int, share float64) {
	for knot+1 < len(l.knots) && l.knots[knot+1] <= class {
		knot++
	}
	if low := l.knots[knot]; class > low {
		share = math.Log(float64(class)/float64(low)) / math.Log(float64(l.knots[knot+1])/float64(low))
	}
	return knot, share
}

// byClass returns the levels of all classes from those at the knots.
func (l levels) byClass(at []float64) []float64 {
	out := make([]float64, l.n/2+1)
	for c := range out {
		k, share := l.between(c)
		out[c] = at[k]
		if share > 0 {
			out[c] += share * (at[k+1] - at[k])
		}
	}
	return out
}

// spread adds the derivatives by the knots, given that by a class's level.
func (l levels) spread(grad []float64, class int, slope float64) {
	k, share := l.between(class)
	grad[k] += (1 - share) * slope
	if share > 0 {
		grad[k+1] += share * slope
	}
}
