package estimate

import (
	"math"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/optimize"
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

// A marginal is the logarithm of the marginal likelihood of values of pairs, to
// be maximized over the hyper-parameters: logits of β, then logarithms of
// linear, (sized, size,) and white. The kernel's scale is taken out:
//
//	½·m·ln s² + ½·ln|K| + priors,   s² = yᵀK⁻¹y/m.
type marginal struct {
	d      *pairs
	y      []float64
	priors []prior
	scaled []float64 // y/a
	full   bool // with sized and size
	signs  []float64

	// Space for evaluations.
	k, differ, agree []float64
	alpha            []float64
	grad             []float64
}

func newMarginal(d *pairs, y []float64, full bool, level []float64) *marginal {
	m := len(y)
	g := &marginal{d: d, y: y, full: full}
	for range d.n {
		g.priors = append(g.priors, priorBeta)
	}
	g.priors = append(g.priors, priorPart)
	if full {
		g.priors = append(g.priors, priorPart, priorPart)
	}
	g.priors = append(g.priors, priorWhite)
	for _, l := range level {
		g.priors = append(g.priors, prior{l, math.Inf(1), l - 12, l + 12})
	}
	g.scaled = make([]float64, m)
	g.signs = make([]float64, 0, m*d.n)
	for k := range m {
		for i := range d.n {
			g.signs = append(g.signs, d.sign(k, i))
		}
	}
	g.k, g.differ, g.agree = make([]float64, m*m), make([]float64, m*m), make([]float64, m*m)
	g.alpha, g.grad = make([]float64, m), make([]float64, len(g.priors))
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
	h.level = z[at+1:]
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

// value returns what is to be minimized at z, and leaves its gradient in
// g.grad. It is +Inf where K is not positive definite.
func (g *marginal) value(z []float64) float64 {
	m := len(g.y)
	kernel := newKernel(g.d.n, g.hyper(z))
	g.matrix(kernel)
	tri, ok := lapack64.Potrf(blas64.Symmetric{N: m, Stride: m, Data: g.k, Uplo: blas.Upper})
	if !ok {
		clear(g.grad)
		return math.Inf(1)
	}
	value := 0.0
	for a, y := range g.y {
		value += math.Log(g.k[a*m+a])
		c := g.d.class(a)
		value += kernel.level[c]
		g.scaled[a] = y / kernel.scale[c]
	}
	copy(g.alpha, g.scaled)
	lapack64.Potrs(tri, blas64.General{Rows: m, Cols: 1, Stride: 1, Data: g.alpha})
	scale := math.SmallestNonzeroFloat64
	for a, y := range g.scaled {
		scale += y * g.alpha[a] / float64(m)
	}
	value += 0.5 * float64(m) * math.Log(scale)
	lapack64.Potri(tri) // g.k is K⁻¹ now
	g.gradient(kernel, scale)
	for i, p := range g.priors {
		d := (z[i] - p.mean) / p.deviation
		value += d * d / 2
		g.grad[i] += d / p.deviation
	}
	levels := g.grad[g.white()+1:]
	for a := range m {
		levels[g.d.class(a)] += 1 - g.scaled[a]*g.alpha[a]/scale
	}
	for c := range len(levels) - 1 {
		d := kernel.level[c+1] - kernel.level[c]
		l := math.Sqrt(d*d + XSoft)
		value += XLam * l
		levels[c+1] += XLam * d / l
		levels[c] -= XLam * d / l
	}
	return value
}

// matrix writes the upper triangle of K into g.k.
func (g *marginal) matrix(kernel *kernel) {
	m, d := len(g.y), g.d
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

// gradient computes ½·Σ G∘∂K with G = K⁻¹ − ααᵀ/s². The derivatives by ln βⱼ
// are those of the products where players differ or agree in j,
//
//	½·(differ·[χⱼ≠χ'ⱼ] − agree·[χⱼ=χ'ⱼ]),   [χⱼ≠χ'ⱼ] = ½·(1 − χⱼχ'ⱼ),
//
// so that sums over pairs of rows become products with the matrix of signs.
func (g *marginal) gradient(kernel *kernel, scale float64) {
	m, n, d := len(g.y), g.d.n, g.d
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

// maximize returns the best parameters found within some steps of L-BFGS from
// start. The parameters are kept in their bounds by a tanh.
func (g *marginal) maximize(start []float64, steps int) []float64 {
	last := make([]float64, len(start)) // where g.grad was computed
	value, known := 0.0, false
	z, slope := make([]float64, len(start)), make([]float64, len(start))
	at := func(x []float64) float64 {
		if known && slices.Equal(last, x) {
			return value
		}
		for i, p := range g.priors {
			half := (p.high - p.low) / 2
			t := math.Tanh(x[i] / half)
			z[i], slope[i] = (p.low+p.high)/2+half*t, 1-t*t
		}
		copy(last, x)
		value, known = g.value(z), true
		return value
	}
	problem := optimize.Problem{
		Func: at,
		Grad: func(grad, x []float64) {
			at(x)
			for i := range grad {
				grad[i] = g.grad[i] * slope[i]
			}
		},
	}
	x := make([]float64, len(start))
	for i, p := range g.priors {
		half := (p.high - p.low) / 2
		x[i] = half * math.Atanh((start[i]-(p.low+p.high)/2)/half)
	}
	settings := &optimize.Settings{MajorIterations: steps, Converger: &optimize.FunctionConverge{Absolute: 1e-3, Iterations: 5}}
	result, err := optimize.Minimize(problem, x, settings, &optimize.LBFGS{})
	// A line search that finds nothing better ends with an error and the best
	// point, which is what is wanted.
	if err != nil && result == nil {
		return start
	}
	best := make([]float64, len(start))
	at(result.X)
	copy(best, z)
	return best
}

var XLam = 3.0
var XSoft = 0.25

// start returns the means of the priors.
func (g *marginal) start() []float64 {
	z := make([]float64, len(g.priors))
	for i, p := range g.priors {
		z[i] = p.mean
	}
	return z
}
