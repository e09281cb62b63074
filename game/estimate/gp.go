package estimate

import (
	"math"
)

// Numbers of pairs, for the work on m pairs is m³. Hyper-parameters are found
// with few pairs first and refined with more. When there are more than most
// pairs, the posterior gets kept of them, and the rest corrects it.
const (
	firstPairs  = 200
	refinePairs = 400
	mostPairs   = 2200
	keptPairs   = 1500

	firstSteps  = 60
	sizedSteps  = 30
	refineSteps = 15
)

// GP takes v's odd part to be a Gaussian process: it asks complementary pairs
// of coalitions, learns from them by maximum marginal likelihood how much and
// how smoothly each player matters and how the effects shrink or grow with the
// coalition's size, and reads the Shapley values of the most plausible game out
// exactly. The estimate is the mean for two kernels, one with and one without
// effects of players that change with the size. Biased, but of the smallest
// error we know when coalitions are few.
//
// Beyond 2200 pairs, 1500 make the posterior; what it leaves of the others is
// added by their Shapley weights.
func GP() Estimator {
	return estimator(nameGP, func(r *run, e *Estimate) error {
		d, err := r.askPairs()
		if err != nil {
			return err
		}
		m := newModel(r, d)
		if m == nil {
			split(r, e, "complements differ by the total at most")
			return nil
		}
		e.Values = make([]float64, r.n)
		for _, p := range m.post {
			for i, x := range m.values(p) {
				e.Values[i] += x / float64(len(m.post))
			}
		}
		project(e.Values, r.total())
		return nil
	})
}

// A model is the Gaussian process of a run's pairs, with both kernels.
type model struct {
	d    *pairs // in the posteriors
	rest *pairs // the others
	post [2]*posterior
}

// newModel fits both kernels. It is nil if all values are 0.
func newModel(r *run, d *pairs) *model {
	level := levels(d)
	if level == nil {
		return nil
	}
	// Without pairs of most sizes there is no telling how they differ.
	fixed := len(d.y)-1-d.players < d.n/4
	if fixed {
		rms := 0.0
		for _, y := range d.y {
			rms = math.Hypot(rms, y)
		}
		for c := range level {
			level[c] = math.Log(rms) - math.Log(float64(len(d.y)))/2
		}
	}
	d = r.shuffled(d)
	m := &model{d: d, rest: &pairs{n: d.n}}
	if len(d.y) > mostPairs {
		m.d, m.rest = d.slice(0, keptPairs), d.slice(keptPairs, len(d.y))
	}
	few, more := d.slice(0, min(firstPairs, len(d.y))), d.slice(0, min(refinePairs, len(d.y)))
	plain := newMarginal(few, false, level, fixed)
	down := newDescent(plain.priors, plain.start())
	z := down.run(plain, firstSteps)
	sized := newMarginal(few, true, level, fixed)
	start := sized.start()
	copy(start, z[:d.n+1])
	copy(start[sized.white():], z[plain.white():])
	downSized := newDescent(sized.priors, start)
	zs := downSized.run(sized, sizedSteps)
	if len(more.y) > len(few.y) {
		z = down.run(newMarginal(more, false, level, fixed), refineSteps)
		zs = downSized.run(newMarginal(more, true, level, fixed), refineSteps)
	}
	m.post[0] = condition(newKernel(d.n, plain.hyper(z)), m.d)
	m.post[1] = condition(newKernel(d.n, sized.hyper(zs)), m.d)
	return m
}

// levels returns the logarithm of the root mean square of the values of each
// class. Where it is not known it is taken to be that of the class before, or
// after if there is none. Nil if all values are 0.
func levels(d *pairs) []float64 {
	norm, count := make([]float64, d.n/2+1), make([]float64, d.n/2+1)
	for k, y := range d.y {
		norm[d.class(k)] = math.Hypot(norm[d.class(k)], y)
		count[d.class(k)]++
	}
	level := make([]float64, len(norm))
	last := math.Inf(-1)
	for c := range norm {
		if norm[c] > 0 {
			last = math.Log(norm[c]) - math.Log(count[c])/2
		}
		level[c] = last
	}
	if math.IsInf(last, -1) {
		return nil
	}
	for c := len(level) - 2; c >= 0; c-- {
		if math.IsInf(level[c], -1) {
			level[c] = level[c+1]
		}
	}
	return level
}

// values reads a posterior out, but for a constant common to all players, and
// corrects it by the pairs that are not in it: each stands for all such pairs
// of its class.
func (m *model) values(p *posterior) []float64 {
	phi := make([]float64, m.d.n)
	p.values(phi)
	pools := pairPools(m.d.n)
	seen := make([]float64, len(pools))
	for k := range m.d.y {
		pools[m.d.class(k)]--
	}
	for k := range m.rest.y {
		seen[m.rest.class(k)]++
	}
	w := shapleyWeights(m.d.n)
	for k, y := range m.rest.y {
		c := m.rest.class(k)
		w.add(phi, m.rest, k, (y-p.predict(m.rest, k))*pools[c]/seen[c])
	}
	return phi
}
