package estimate

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// Sparse is a regression of v's odd part on few Walsh functions: those of all
// single players and the ones of order 3, 5 and 7 that the Gaussian process of
// [GP] finds most of in the same pairs. Weights are those of [Leverage], the sum
// is v(N) − v(∅). How many functions is chosen by leave-one-out residuals. It
// gets games exactly that are sums of so few functions. Biased.
//
// Fumagalli et al., OddSHAP, 2026; theirs finds the functions with trees.
func Sparse(ctx context.Context, g Game, budget int, seed uint64) (*Estimate, error) {
	return method(sparseRegression).make(ctx, nameSparse, g, budget, seed)
}

func sparseRegression(r *run, e *Estimate) error {
	m, err := r.fitPairs(e)
	if m == nil {
		return err
	}
	h := m.holdOut()
	best, score := regression{}, math.Inf(1)
	for _, g := range m.regressions(termShares) {
		if s := h.score(g.residuals(h.which)); s < score || best.phi == nil {
			best, score = g, s
		}
	}
	e.Values = best.phi
	e.Reason = fmt.Sprintf("%d functions", len(best.terms))
	project(e.Values, r.total())
	return nil
}

// termShares are the numbers of functions tried, beyond those of single
// players, as shares of the number of pairs.
var termShares = []float64{0, 0.1, 0.2, 0.3}

// A regression is a weighted least-squares fit of pairs' values by terms, with
// coefficients of the sum −f(N), so that the Shapley values add up.
type regression struct {
	terms []term
	phi   []float64
	// Residuals divided by what is left of 1 when the pair's own leverage is
	// taken off, by pair; 0 for (N, ∅).
	loo []float64
}

// regressions fits the single players' terms and, for each share of the number
// of pairs, that many of the screened ones. It leaves out those that have no
// solution.
func (m *model) regressions(shares []float64) []regression {
	var singles []term
	for i := range m.d.n {
		singles = append(singles, newTerm(m.d.n, []int{i}))
	}
	var screened []term
	most := 0.0
	for _, s := range shares {
		most = max(most, s)
	}
	if most > 0 {
		screened = m.post[0].screen(int(most * float64(len(m.d.y))))
	}
	w := m.d.weights()
	var out []regression
	for _, s := range shares {
		count := min(int(s*float64(len(m.d.y))), len(screened))
		terms := append(singles[:m.d.n:m.d.n], screened[:count]...)
		if g, ok := m.d.regress(terms, w); ok {
			out = append(out, g)
		}
	}
	return out
}

// weights returns the pairs' weights in a regression: the Shapley kernel's
// 1/(s(n−s)·C(n,s)), divided by the share of the class that was sampled.
func (d *pairs) weights() []float64 {
	pools := pairPools(d.n)
	count := make([]float64, len(pools))
	for k := range d.y {
		count[d.class(k)]++
	}
	w := make([]float64, len(d.y))
	for k := range d.y {
		if c, s := d.class(k), d.size[k]; c > 0 {
			w[k] = pools[c] / count[c] / (float64(s*(d.n-s)) * choose(d.n, s))
		}
	}
	return w
}

// ridge keeps the normal equations solvable, relative to their mean diagonal.
const ridge = 1e-10

// regress fits terms. With coefficients −f(N)/K + z for K terms, the constraint
// on the sum is Σz = 0, which rows less their mean have built in.
func (d *pairs) regress(terms []term, weight []float64) (regression, bool) {
	rows, cols := len(d.y)-1, len(terms)
	if rows == 0 {
		return regression{}, false
	}
	base := -d.y[0] / float64(cols)
	design := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
	target := make([]float64, rows)
	for k := range rows {
		row, root := design.Data[k*cols:(k+1)*cols], math.Sqrt(weight[k+1])
		sum := 0.0
		for u, t := range terms {
			row[u] = t.at(d, k+1)
			sum += row[u]
		}
		for u := range row {
			row[u] = (row[u] - sum/float64(cols)) * root
		}
		target[k] = (d.y[k+1] - base*sum) * root
	}
	gram := blas64.General{Rows: cols, Cols: cols, Stride: cols, Data: make([]float64, cols*cols)}
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, design, design, 0, gram)
	mean := 0.0
	for u := range cols {
		mean += gram.Data[u*cols+u] / float64(cols)
	}
	for u := range cols {
		gram.Data[u*cols+u] += ridge * mean
	}
	for i := range gram.Data {
		gram.Data[i] += mean / float64(cols) // the direction that rows don't have
	}
	factor, ok := lapack64.Potrf(symmetric(cols, gram.Data))
	if !ok {
		return regression{}, false
	}
	z := make([]float64, cols)
	blas64.Gemv(blas.Trans, 1, design, vector(target), 0, vector(z))
	lapack64.Potrs(factor, column(z))
	fitted := make([]float64, rows)
	blas64.Gemv(blas.NoTrans, 1, design, vector(z), 0, vector(fitted))
	blas64.Trsm(blas.Right, blas.NoTrans, 1, factor, design) // rows' norms are leverages now
	g := regression{terms: terms, phi: make([]float64, d.n), loo: make([]float64, rows+1)}
	for k := range rows {
		leverage := 0.0
		for _, x := range design.Data[k*cols : (k+1)*cols] {
			leverage += x * x
		}
		g.loo[k+1] = (target[k] - fitted[k]) / max(1-leverage, 1e-6) / math.Sqrt(weight[k+1])
	}
	for u, t := range terms {
		t.readOut(g.phi, base+z[u])
	}
	return g, true
}

// residuals returns the leave-one-out residuals of some pairs.
func (g regression) residuals(which []int) []float64 {
	out := make([]float64, len(which))
	for j, k := range which {
		out[j] = g.loo[k]
	}
	return out
}

// vector is x as a vector.
func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
