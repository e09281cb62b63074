package estimate

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Limits of the numbers of pairs, for the work of m pairs is m³.
const (
	fitPairs  = 200  // for hyper-parameters
	mostPairs = 1700 // in the posterior; the others correct what it leaves
)

// GP takes v's odd part to be a Gaussian process: it asks complementary pairs
// of coalitions, learns from them how much and how smoothly each player
// matters, and integrates the most plausible game exactly. The estimate is the
// mean for two kernels, one with and one without effects that change with the
// coalition's size. Biased, but of the smallest error we know when coalitions
// are few. What the posterior of the first 1600 pairs leaves of others is
// added by their weights.
func GP() Estimator {
	return estimator(nameGP, func(r *run, e *Estimate) error {
		d, err := r.askPairs()
		if err != nil {
			return err
		}
		m := newModel(r, d)
		e.Values = m.values(r)
		return nil
	})
}

// A posterior is a Gaussian process given pairs.
type posterior struct {
	kernel *kernel
	d      *pairs
	alpha  []float64 // K⁻¹y
	factor blas64.Triangular
}

// condition computes the posterior of values y of the pairs.
func condition(kernel *kernel, d *pairs, y []float64) *posterior {
	m := len(y)
	k := make([]float64, m*m)
	for white := kernel.white + jitter; ; white *= 10 {
		for a := range m {
			for b := a; b < m; b++ {
				k[a*m+b] = kernel.at(d, a, d, b)
			}
			k[a*m+a] += white
		}
		tri, ok := lapack64.Potrf(blas64.Symmetric{N: m, Stride: m, Data: k, Uplo: blas.Upper})
		if !ok {
			continue
		}
		kernel.white = white - jitter
		p := &posterior{kernel: kernel, d: d, alpha: make([]float64, m), factor: tri}
		for a, y := range y {
			p.alpha[a] = y / kernel.scale[d.size[a]]
		}
		lapack64.Potrs(tri, blas64.General{Rows: m, Cols: 1, Stride: 1, Data: p.alpha})
		return p
	}
}

// predict returns the posterior mean at pair k of other pairs.
func (p *posterior) predict(d *pairs, k int) float64 {
	f := 0.0
	for m, a := range p.alpha {
		f += a * p.kernel.at(d, k, p.d, m)
	}
	return f * p.kernel.scale[d.size[k]]
}

// leaveOneOut returns, for each pair, its value less what the others predict:
// αₘ/(K⁻¹)ₘₘ.
func (p *posterior) leaveOneOut() []float64 {
	m := len(p.alpha)
	inverse := append([]float64(nil), p.factor.Data...)
	lapack64.Potri(blas64.Triangular{N: m, Stride: m, Data: inverse, Uplo: blas.Upper, Diag: blas.NonUnit})
	out := make([]float64, m)
	for k := range out {
		out[k] = p.alpha[k] / inverse[k*m+k] * p.kernel.scale[p.d.size[k]]
	}
	return out
}

// A model is the Gaussian process of all pairs of a run, with both kernels.
type model struct {
	d     *pairs
	used  []int // pairs in the posterior
	other []int // the rest
	y     []float64
	scale float64
	post  []*posterior
}

// newModel fits both kernels. It is nil if all values are 0.
func newModel(r *run, d *pairs) *model {
	m := &model{d: d, y: make([]float64, len(d.y))}
	copy(m.y, d.y)
	m.scale = 1
	level := levels(d)
	if XFlat || len(d.y)-1-d.players < d.n/4 {
		for c := range level {
			level[c] = level[1]
		}
	}
	if level == nil {
		m.scale = 0
		return m
	}
	m.used, m.other = r.some(d, mostPairs)
	fitted, _ := r.some(d, fitPairs)
	part := d.subset(fitted)
	y := pick(m.y, fitted)
	posteriorPairs, posteriorY := d.subset(m.used), pick(m.y, m.used)
	plain := newMarginal(part, y, false, level)
	z := plain.maximize(plain.start(), 60)
	m.post = append(m.post, condition(newKernel(d.n, plain.hyper(z)), posteriorPairs, posteriorY))
	sized := newMarginal(part, y, true, level)
	start := sized.start()
	copy(start, z[:d.n+1])
	copy(start[sized.white():], z[plain.white():])
	z = sized.maximize(start, 60)
	m.post = append(m.post, condition(newKernel(d.n, sized.hyper(z)), posteriorPairs, posteriorY))
	return m
}

// some returns at most limit pairs, (N, ∅) and those of single players first,
// the rest at random, and the pairs left out.
func (r *run) some(d *pairs, limit int) (taken, left []int) {
	for k := range d.y {
		taken = append(taken, k)
	}
	if len(taken) <= limit {
		return taken, nil
	}
	first := min(1+d.players, limit)
	rest := taken[first:]
	r.rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return taken[:limit], taken[limit:]
}

// values reads the estimate out: the mean of the posteriors', corrected by the
// pairs left out, projected to the players' total.
func (m *model) values(r *run) []float64 {
	phi := make([]float64, r.n)
	for _, p := range m.post {
		part := make([]float64, r.n)
		p.kernel.readOut(part, p.d, p.alpha)
		residual := make([]float64, len(m.y))
		for _, k := range m.other {
			residual[k] = m.y[k] - p.predict(m.d, k)
		}
		m.correct(part, residual)
		for i := range phi {
			phi[i] += part[i] * m.scale / float64(len(m.post))
		}
	}
	project(phi, r.total())
	return phi
}

// correct adds the Shapley values of the residuals of the pairs left out of the
// posterior, each standing for all pairs of its class that are not in it.
func (m *model) correct(phi, residual []float64) {
	pools := pairPools(m.d.n)
	seen := make([]float64, len(pools))
	for _, k := range m.used {
		pools[m.d.class(k)]--
	}
	for _, k := range m.other {
		seen[m.d.class(k)]++
	}
	w := shapleyWeights(m.d.n)
	for _, k := range m.other {
		c := m.d.class(k)
		w.add(phi, m.d, k, residual[k]*pools[c]/seen[c])
	}
}

// pick returns the entries of x at the indices.
func pick(x []float64, which []int) []float64 {
	out := make([]float64, len(which))
	for i, k := range which {
		out[i] = x[k]
	}
	return out
}

// levels returns the logarithm of the root mean square of the values of each
// class. Where it is not known it is taken to be as in the class before. Nil if
// all values are 0.
func levels(d *pairs) []float64 {
	sum, count := make([]float64, d.n/2+1), make([]float64, d.n/2+1)
	for k, y := range d.y {
		a := math.Abs(y)
		sum[d.class(k)] = math.Hypot(sum[d.class(k)], a)
		count[d.class(k)]++
	}
	level := make([]float64, len(sum))
	last := math.Inf(-1)
	for c := range sum {
		if sum[c] > 0 {
			last = math.Log(sum[c]) - math.Log(count[c])/2
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

var XFlat = false
