package estimate

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

func Auto() Estimator   { return GP() }
func Sparse() Estimator { return GP() }

// regress fits terms by constrained weighted LS; returns phi and LOO residuals.
func (r *run) regress(d *pairs, terms []term, weight []float64) (phi, loo []float64) {
	b := -d.y[0] // Σ c = −y0 (y0 = Δ/2)
	K, M := len(terms), len(d.y)-1
	A := make([]float64, M*K)
	t := make([]float64, M)
	for k := range M {
		mean := 0.0
		row := A[k*K : k*K+K]
		for u, x := range terms {
			row[u] = x.at(d, k+1)
			mean += row[u] / float64(K)
		}
		for u := range row {
			row[u] = (row[u] - mean) * math.Sqrt(weight[k+1])
		}
		t[k] = (d.y[k+1] - b*mean) * math.Sqrt(weight[k+1])
	}
	G := make([]float64, K*K)
	ga := blas64.General{Rows: M, Cols: K, Stride: K, Data: A}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, ga, ga, 0, blas64.General{Rows: K, Cols: K, Stride: K, Data: G})
	tr := 0.0
	for u := range K {
		tr += G[u*K+u]
	}
	for u := range K {
		G[u*K+u] += 1e-10 * tr / float64(K)
	}
	// add null direction 1
	for i := range G {
		G[i] += tr / float64(K) / float64(K)
	}
	tri, ok := lapack64.Potrf(blas64.Symmetric{N: K, Stride: K, Data: G, Uplo: blas.Upper})
	if !ok {
		return nil, nil
	}
	c := make([]float64, K)
	blas64.Gemv(blas.Trans, 1, ga, blas64.Vector{N: M, Inc: 1, Data: t}, 0, blas64.Vector{N: K, Inc: 1, Data: c})
	lapack64.Potrs(tri, blas64.General{Rows: K, Cols: 1, Stride: 1, Data: c})
	loo = make([]float64, M+1)
	B := append([]float64(nil), A...)
	blas64.Trsm(blas.Right, blas.NoTrans, 1, tri, blas64.General{Rows: M, Cols: K, Stride: K, Data: B})
	for k := range M {
		h, f := 0.0, 0.0
		for u := range K {
			h += B[k*K+u] * B[k*K+u]
			f += A[k*K+u] * c[u]
		}
		loo[k+1] = (t[k] - f) / math.Max(1-h, 1e-6) / math.Sqrt(weight[k+1])
	}
	phi = make([]float64, d.n)
	mean := 0.0
	for u := range c {
		mean += c[u] / float64(K)
	}
	for u, x := range terms {
		x.readOut(phi, c[u]-mean+b/float64(K))
	}
	return phi, loo
}

func (r *run) pairWeights(d *pairs) []float64 {
	pools := pairPools(d.n)
	count := make([]float64, len(pools))
	for k := range d.y {
		count[d.class(k)]++
	}
	w := make([]float64, len(d.y))
	for k := range d.y {
		c, s := d.class(k), d.size[k]
		if c > 0 {
			w[k] = pools[c] / count[c] / (float64(s*(d.n-s)) * choose(d.n, s))
		}
	}
	return w
}

var XMode = 1

type Cand struct {
	Name  string
	Phi   []float64
	Score float64
}

func (r *run) Candidates(score int) []Cand {
	d, _ := r.askPairs()
	m := newModel(r, d)
	var out []Cand
	w := r.pairWeights(d)
	pools := pairPools(d.n)
	count := make([]float64, len(pools))
	for k := range d.y {
		count[d.class(k)]++
	}
	sc := func(loo []float64) float64 {
		s := 0.0
		for k, x := range loo {
			c := d.class(k)
			if c == 0 || count[c] >= pools[c] {
				continue
			}
			s += w[k] * x * x * (pools[c] - count[c]) / pools[c]
		}
		return s
	}
	var gl []float64
	gp := make([]float64, d.n)
	for i, p := range m.post {
		part := make([]float64, d.n)
		p.kernel.readOut(part, p.d, p.alpha)
		l := p.leaveOneOut()
		if gl == nil {
			gl = make([]float64, len(l))
		}
		for k := range l {
			gl[k] += l[k] / 2
		}
		project(part, r.total())
		for k := range gp {
			gp[k] += part[k] / 2
		}
		out = append(out, Cand{fmt.Sprintf("gp%d", i+2), part, sc(l)})
	}
	out = append(out, Cand{"gp23", gp, sc(gl)})
	var singles []term
	for i := range d.n {
		singles = append(singles, newTerm(d.n, []int{i}))
	}
	M := len(d.y)
	all := m.post[0].screen(M)
	for _, f := range []float64{0, .1, .2, .3, .45} {
		k := int(f * float64(M))
		if k > len(all) {
			k = len(all)
		}
		phi, loo := r.regress(d, append(append([]term(nil), singles...), all[:k]...), w)
		if phi == nil {
			continue
		}
		project(phi, r.total())
		out = append(out, Cand{fmt.Sprintf("sp%.2f", f), phi, sc(loo)})
	}
	_ = mat.Norm
	return out
}

func Explore(g Game, budget int, seed uint64) []Cand {
	r, _ := newRun(nil2(), g, budget, seed)
	return r.Candidates(0)
}
