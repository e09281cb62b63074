package estimate

import "context"

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
func GP(ctx context.Context, g Game, budget int, seed uint64) (*Estimate, error) {
	return method(gp).make(ctx, nameGP, g, budget, seed)
}

func gp(r *run, e *Estimate) error {
	m, err := r.fitPairs(e)
	if m == nil {
		return err
	}
	e.Values = make([]float64, r.n)
	for _, p := range m.post {
		for i, x := range m.values(p) {
			e.Values[i] += x / float64(len(m.post))
		}
	}
	project(e.Values, r.total())
	return nil
}

// A model is the Gaussian process of a run's pairs, with both kernels.
type model struct {
	d    *pairs // in the posteriors
	rest *pairs // the others
	post [2]*posterior
}

// newModel fits both kernels. It is nil if all values are 0.
func newModel(r *run, d *pairs) *model {
	l, ok := newLevels(d)
	if !ok {
		return nil
	}
	d = r.shuffled(d)
	m := &model{d: d, rest: &pairs{n: d.n}}
	if len(d.y) > mostPairs {
		m.d, m.rest = d.slice(0, keptPairs), d.slice(keptPairs, len(d.y))
	}
	few, more := d.slice(0, min(firstPairs, len(d.y))), d.slice(0, min(refinePairs, len(d.y)))
	plain := newMarginal(few, false, l)
	down := newDescent(plain.priors, plain.start())
	z := down.run(r.ctx, plain, firstSteps)
	sized := newMarginal(few, true, l)
	start := sized.start()
	copy(start, z[:d.n+1])
	copy(start[sized.white():], z[plain.white():])
	downSized := newDescent(sized.priors, start)
	zs := downSized.run(r.ctx, sized, sizedSteps)
	if len(more.y) > len(few.y) {
		z = down.run(r.ctx, newMarginal(more, false, l), refineSteps)
		zs = downSized.run(r.ctx, newMarginal(more, true, l), refineSteps)
	}
	m.post[0] = condition(newKernel(d.n, plain.hyper(z)), m.d)
	m.post[1] = condition(newKernel(d.n, sized.hyper(zs)), m.d)
	return m
}

// values reads a posterior out, but for a constant common to all players.
// Classes of which every pair was asked need no model: their pairs count
// themselves. In the others the pairs that are not in the posterior correct it,
// each for all such pairs of its class.
func (m *model) values(p *posterior) []float64 {
	pools := pairPools(m.d.n) // of pairs not in the posterior
	for k := range m.d.y {
		pools[m.d.class(k)]--
	}
	seen := make([]float64, len(pools))
	for k := range m.rest.y {
		seen[m.rest.class(k)]++
	}
	scale := append([]float64(nil), p.kernel.scale...)
	for s := range scale {
		if c := min(s, m.d.n-s); c == 0 || seen[c] == pools[c] {
			scale[s] = 0
		}
	}
	phi := make([]float64, m.d.n)
	p.kernel.readOut(phi, m.d, p.alpha, scale)
	w := shapleyWeights(m.d.n)
	for k, y := range m.d.y {
		if scale[m.d.size[k]] == 0 {
			w.add(phi, m.d, k, y)
		}
	}
	for k, y := range m.rest.y {
		if scale[m.rest.size[k]] == 0 {
			w.add(phi, m.rest, k, y)
			continue
		}
		c := m.rest.class(k)
		w.add(phi, m.rest, k, (y-p.predict(m.rest, k))*pools[c]/seen[c])
	}
	return phi
}
