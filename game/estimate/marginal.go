package estimate

import (
	"math"
	"math/bits"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A prior is a normal distribution of the logarithm of a hyper-parameter (logit
// for β), and the bounds it is kept within.
type prior struct {
	mean, deviation, low, high float64
}

// The hyper-parameters' priors are weak and hold for values scaled to a mean
// square of 1.
var (
	priorBeta  = prior{1, 3, -4, 9}
	priorPart  = prior{-2, 3, -12, 6}
	priorWhite = prior{-8, 6, -16, 3}
)

// jitter is added to the white part, so that matrices have inverses.
const jitter = 1e-9

// Neighbouring knots of the scale have levels alike: their differences d cost
// levelCost·√(d² + levelCurve), so that a great difference, once the values call
// for it, costs no more than it must.
const (
	levelCost  = 3
	levelCurve = 0.25
	levelRange = 12 // from where they start
)

// A marginal is minus the logarithm of the marginal likelihood of values of
// pairs, to be minimized over the hyper-parameters: logits of β, logarithms of
// linear, (sized, size,) and white, then the levels, unless they are fixed. The
// kernel's own scale is taken out:
//
//	½·m·ln s² + ½·ln|K| + Σ ln a + priors,   s² = (y/a)ᵀK⁻¹(y/a)/m.
type marginal struct {
	d      *pairs
	priors []prior
	full   bool // with sized and size
	levels levels
	signs  []float64 // of all players in all pairs

	// Of the last evaluation.
	kernel           *kernel
	k, differ, agree []float64 // K, then its factor, then its inverse
	factor           blas64.Triangular
	scaled, alpha    []float64 // y/a, K⁻¹(y/a)
	scale            float64   // s²
	grad             []float64
}

func newMarginal(d *pairs, full bool, l levels) *marginal {
	m := len(d.y)
	g := &marginal{d: d, full: full, levels: l}
	for range d.n {
		g.priors = append(g.priors, priorBeta)
	}
	g.priors = append(g.priors, priorPart)
	if full {
		g.priors = append(g.priors, priorPart, priorPart)
	}
	g.priors = append(g.priors, priorWhite)
	if !l.fixed {
		for _, x := range l.start {
			g.priors = append(g.priors, prior{x, math.Inf(1), x - levelRange, x + levelRange})
		}
	}
	for k := range m {
		for i := range d.n {
			g.signs = append(g.signs, d.sign(k, i))
		}
	}
	g.k, g.differ, g.agree = make([]float64, m*m), make([]float64, m*m), make([]float64, m*m)
	g.scaled, g.alpha = make([]float64, m), make([]float64, m)
	g.grad = make([]float64, len(g.priors))
	return g
}

// hyper reads the parameters.
func (g *marginal) hyper(z []float64) hyper {
	h := hyper{logit: z[:g.d.n:g.d.n]}
	rest := z[g.d.n:]
	h.linear = math.Exp(rest[0])
	if g.full {
		h.sized, h.size = math.Exp(rest[1]), math.Exp(rest[2])
	}
	at := g.white()
	h.white = math.Exp(z[at])
	knots := g.levels.start
	if !g.levels.fixed {
		knots = z[at+1:]
	}
	h.level = g.levels.byClass(knots)
	return h
}

// white returns the index of the white part's parameter, after which come the
// levels.
func (g *marginal) white() int {
	if g.full {
		return g.d.n + 3
	}
	return g.d.n + 1
}

// value returns what is to be minimized at z, +Inf where K is not positive
// definite.
func (g *marginal) value(z []float64) float64 {
	m := len(g.scaled)
	g.kernel = newKernel(g.d.n, g.hyper(z))
	g.matrix()
	var ok bool
	if g.factor, ok = lapack64.Potrf(symmetric(m, g.k)); !ok {
		return math.Inf(1)
	}
	value := 0.0
	for a, y := range g.d.y {
		value += math.Log(g.k[a*m+a])
		c := g.d.class(a)
		value += g.kernel.level[c]
		g.scaled[a] = y / math.Exp(g.kernel.level[c])
	}
	copy(g.alpha, g.scaled)
	lapack64.Potrs(g.factor, column(g.alpha))
	g.scale = math.SmallestNonzeroFloat64
	for a, y := range g.scaled {
		g.scale += y * g.alpha[a] / float64(m)
	}
	value += 0.5 * float64(m) * math.Log(g.scale)
	for i, p := range g.priors {
		d := (z[i] - p.mean) / p.deviation
		value += d * d / 2
	}
	if !g.levels.fixed {
		knots := z[g.white()+1:]
		for k := range len(knots) - 1 {
			d := knots[k+1] - knots[k]
			value += levelCost * math.Sqrt(d*d+levelCurve)
		}
	}
	return value
}

// gradient returns the derivatives of value at z, where it was evaluated last.
// It may be called once for each value, and the slice is used again.
func (g *marginal) gradient(z []float64) []float64 {
	lapack64.Potri(g.factor) // g.k is K⁻¹ now
	g.kernelGradient()
	for i, p := range g.priors {
		g.grad[i] += (z[i] - p.mean) / (p.deviation * p.deviation)
	}
	if !g.levels.fixed {
		g.levelGradient(z[g.white()+1:])
	}
	return g.grad
}

// levelGradient adds the derivatives by the levels at the knots.
func (g *marginal) levelGradient(knots []float64) {
	grad := g.grad[g.white()+1:]
	for a := range g.scaled {
		g.levels.spread(grad, g.d.class(a), 1-g.scaled[a]*g.alpha[a]/g.scale)
	}
	for k := range len(knots) - 1 {
		d := knots[k+1] - knots[k]
		slope := levelCost * d / math.Sqrt(d*d+levelCurve)
		grad[k+1] += slope
		grad[k] -= slope
	}
}

// matrix writes the upper triangle of K into g.k.
func (g *marginal) matrix() {
	m, d, kernel := len(g.scaled), g.d, g.kernel
	for a := range m {
		for b := a; b < m; b++ {
			differ, agree, distance := kernel.products(d.rows[a], d.rows[b])
			linear, sized, size := kernel.parts(distance, d.size[a], d.size[b])
			g.differ[a*m+b], g.agree[a*m+b] = differ, agree
			g.k[a*m+b] = (differ-agree)/2 + kernel.linear*linear + kernel.sized*sized + kernel.size*size
		}
		g.k[a*m+a] += kernel.white + jitter
	}
}

// kernelGradient computes ½·Σ G∘∂K with G = K⁻¹ − ααᵀ/s². The derivatives by ln βⱼ
// are those of the products where players differ or agree in j,
//
//	½·(differ·[χⱼ≠χ'ⱼ] − agree·[χⱼ=χ'ⱼ]),   [χⱼ≠χ'ⱼ] = ½·(1 − χⱼχ'ⱼ),
//
// so that sums over pairs of rows become products with the matrix of signs.
func (g *marginal) kernelGradient() {
	m, n, d, kernel, scale := len(g.scaled), g.d.n, g.d, g.kernel, g.scale
	clear(g.grad)
	byPlayer := g.grad[:n]
	var both, agreeing, linear, sized, size, white float64
	acc := make([]float64, n)
	for a := range m {
		ga := g.k[a*m:]
		aa := ga[a] - g.alpha[a]*g.alpha[a]/scale
		agreeing += aa * g.agree[a*m+a]
		white += aa
		l, s, z := kernel.parts(0, d.size[a], d.size[a])
		linear, sized, size = linear+aa*l, sized+aa*s, size+aa*z
		clear(acc)
		for b := a + 1; b < m; b++ {
			w := 2 * (ga[b] - g.alpha[a]*g.alpha[b]/scale)
			e, f := g.differ[a*m+b], g.agree[a*m+b]
			sum := w * (e + f)
			both += sum
			agreeing += w * f
			distance := 0
			for k, x := range d.rows[a] {
				distance += bits.OnesCount64(x ^ d.rows[b][k])
			}
			l, s, z := kernel.parts(distance, d.size[a], d.size[b])
			linear, sized, size = linear+w*l, sized+w*s, size+w*z
			for i, sign := range g.signs[b*n : b*n+n] {
				acc[i] += sum * sign
			}
		}
		for i, sign := range g.signs[a*n : a*n+n] {
			byPlayer[i] += acc[i] * sign
		}
	}
	for i, beta := range kernel.beta {
		differing := (both - byPlayer[i]) / 2 // Σ (differ+agree)·[χ≠χ']
		byPlayer[i] = (differing - agreeing) / 4 * (1 - beta)
	}
	rest := g.grad[n:]
	rest[0] = linear / 2 * kernel.linear
	if g.full {
		rest[1], rest[2] = sized/2*kernel.sized, size/2*kernel.size
	}
	g.grad[g.white()] = white / 2 * kernel.white
}

// start returns the means of the priors.
func (g *marginal) start() []float64 {
	z := make([]float64, len(g.priors))
	for i, p := range g.priors {
		z[i] = p.mean
	}
	return z
}
