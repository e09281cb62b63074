package estimate

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

func Auto() Estimator { return GP() }

var XTerms = 0.25
var XIter = 30

func Sparse() Estimator {
	return estimator(nameSparse, func(r *run, e *Estimate) error {
		d, err := r.askPairs()
		if err != nil {
			return err
		}
		m := newModel(r, d)
		if m.scale == 0 {
			e.Values = m.values(r)
			return nil
		}
		phi := make([]float64, r.n)
		for _, p := range m.post {
			part := m.ard(p)
			for i := range phi {
				phi[i] += part[i] * m.scale / float64(len(m.post))
			}
		}
		project(phi, r.total())
		e.Values = phi
		return nil
	})
}

func (m *model) ard(p *posterior) []float64 {
	n := m.d.n
	y := pick(m.y, m.used)
	M := len(y)
	var terms []term
	for i := range n {
		terms = append(terms, newTerm(n, []int{i}))
	}
	terms = append(terms, p.screen(int(XTerms*float64(M)))...)
	C := len(terms)
	phi := make([]float64, M*C)
	for k := range M {
		for u, t := range terms {
			phi[k*C+u] = t.at(p.d, k)
		}
	}
	b := append([]float64(nil), phi...)
	B := blas64.General{Rows: M, Cols: C, Stride: C, Data: b}
	// K = UᵀU ; B = U^-T Φ
	blas64.Trsm(blas.Left, blas.Trans, 1, p.factor, B)
	ly := append([]float64(nil), y...)
	blas64.Trsv(blas.Trans, p.factor, blas64.Vector{N: M, Inc: 1, Data: ly})
	R := make([]float64, C*C)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, B, B, 0, blas64.General{Rows: C, Cols: C, Stride: C, Data: R})
	q := make([]float64, C)
	blas64.Gemv(blas.Trans, 1, B, blas64.Vector{N: M, Inc: 1, Data: ly}, 0, blas64.Vector{N: C, Inc: 1, Data: q})
	yy := 0.0
	for _, x := range ly {
		yy += x * x
	}
	a := make([]float64, C)
	s2 := yy / float64(M)
	for u := range a {
		a[u] = math.Max(q[u]*q[u]/s2-R[u*C+u], 0) / (R[u*C+u] * R[u*C+u])
		a[u] = math.Max(a[u], 1e-6)
	}
	c := make([]float64, C)
	g := make([]float64, C*C)
	for range XIter {
		// S = D R D + I with D = sqrt(a); c = D S^-1 D q
		for i := range C {
			di := math.Sqrt(a[i])
			for j := i; j < C; j++ {
				g[i*C+j] = di * math.Sqrt(a[j]) * R[i*C+j]
			}
			g[i*C+i] += 1
		}
		tri, ok := lapack64.Potrf(blas64.Symmetric{N: C, Stride: C, Data: g, Uplo: blas.Upper})
		if !ok {
			break
		}
		for i := range c {
			c[i] = math.Sqrt(a[i]) * q[i]
		}
		lapack64.Potrs(tri, blas64.General{Rows: C, Cols: 1, Stride: 1, Data: c})
		fit := 0.0
		for i := range c {
			c[i] *= math.Sqrt(a[i])
			fit += c[i] * q[i]
		}
		s2 = math.Max((yy-fit)/float64(M), 1e-14*yy/float64(M))
		lapack64.Potri(tri)
		for i := range a {
			sig := a[i] * g[i*C+i] // posterior variance / s2
			gamma := 1 - sig/a[i]
			// MacKay
			na := c[i] * c[i] / s2 / math.Max(gamma, 1e-3)
			a[i] = math.Min(math.Max(na, 1e-12), 1e12)
		}
	}
	// rest
	for k := range M {
		for u := range terms {
			y[k] -= c[u] * phi[k*C+u]
		}
	}
	alpha := y
	lapack64.Potrs(p.factor, blas64.General{Rows: M, Cols: 1, Stride: 1, Data: alpha})
	out := make([]float64, n)
	p.kernel.readOut(out, p.d, alpha)
	for u, t := range terms {
		t.readOut(out, c[u])
	}
	return out
}
