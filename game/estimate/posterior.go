package estimate

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// A posterior is a Gaussian process given values of pairs, f = a·g where g has
// the kernel K and a is the scale of the size.
type posterior struct {
	kernel *kernel
	d      *pairs
	alpha  []float64         // K⁻¹(y/a)
	factor blas64.Triangular // U with UᵀU = K
}

// condition computes the posterior given the pairs.
func condition(kernel *kernel, d *pairs) *posterior {
	m := len(d.y)
	p := &posterior{kernel: kernel, d: d, alpha: make([]float64, m)}
	k := make([]float64, m*m)
	for ok := false; !ok; {
		for a := range m {
			for b := a; b < m; b++ {
				k[a*m+b] = kernel.at(d, a, d, b)
			}
			k[a*m+a] += kernel.white + jitter
		}
		p.factor, ok = lapack64.Potrf(symmetric(m, k))
		if !ok {
			kernel.white = 10*kernel.white + jitter
		}
	}
	for a, y := range d.y {
		p.alpha[a] = y / kernel.scale[d.size[a]]
	}
	lapack64.Potrs(p.factor, column(p.alpha))
	return p
}

// predict returns the posterior mean at pair k of other pairs.
func (p *posterior) predict(d *pairs, k int) float64 {
	g := 0.0
	for m, a := range p.alpha {
		g += a * p.kernel.at(d, k, p.d, m)
	}
	return g * p.kernel.scale[d.size[k]]
}

// leaveOneOut returns, for some of the pairs, the value less what all others
// predict: a·αₖ/(K⁻¹)ₖₖ.
func (p *posterior) leaveOneOut(which []int) []float64 {
	m, count := len(p.alpha), len(which)
	if count == 0 {
		return nil
	}
	unit := blas64.General{Rows: m, Cols: count, Stride: count, Data: make([]float64, m*count)}
	for j, k := range which {
		unit.Data[k*count+j] = 1
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, p.factor, unit)
	diagonal := make([]float64, count)
	for k := range m {
		for j, x := range unit.Data[k*count : (k+1)*count] {
			diagonal[j] += x * x
		}
	}
	out := make([]float64, count)
	for j, k := range which {
		out[j] = p.alpha[k] / diagonal[j] * p.kernel.scale[p.d.size[k]]
	}
	return out
}

// symmetric is the upper triangle of an m×m matrix.
func symmetric(m int, data []float64) blas64.Symmetric {
	return blas64.Symmetric{N: m, Stride: m, Data: data, Uplo: blas.Upper}
}

// column is a matrix of one column.
func column(x []float64) blas64.General {
	return blas64.General{Rows: len(x), Cols: 1, Stride: 1, Data: x}
}
