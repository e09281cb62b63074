package estimate

import (
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/agentblame/agentblame/game"
)

// A term's read-out is the Shapley value of its Walsh function.
func TestTermReadOut(t *testing.T) {
	const n = 7
	for _, players := range [][]int{{2}, {0, 3, 6}, {1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5, 6}} {
		u := newTerm(n, players)
		table := make(game.Table, 1<<n)
		for mask := range table {
			table[mask] = 1.5
			for _, p := range players {
				if mask>>p&1 == 1 {
					table[mask] = -table[mask]
				}
			}
		}
		got := make([]float64, n)
		u.readOut(got, 1.5)
		if d := distance(got, table.Shapley(nil)); d > 1e-12 {
			t.Errorf("%v: off by %g", players, d)
		}
	}
}

// The kernel's spectrum adds up to its products, and screening finds the terms
// that the posterior mean has most of.
func TestScreen(t *testing.T) {
	const n = 7
	h := someHyper(n)
	h.linear, h.sized, h.size, h.white = 0, 0, 0, 0
	for c := range h.level {
		h.level[c] = 0
	}
	_, d := asked(t, random(n, 9), 60)
	p := condition(newKernel(n, h), d)
	coefficients := map[game.Coalition]float64{}
	for mask := range uint64(1 << n) {
		c := game.FromMask(mask)
		if c.Len()%2 == 0 {
			continue
		}
		u := newTerm(n, c.Slice())
		for m, a := range p.alpha {
			coefficients[c] += p.kernel.spectrum(u) * a * u.at(d, m)
		}
	}
	for k := range d.y { // the posterior mean is the sum of its terms
		f := 0.0
		for c, x := range coefficients {
			f += x * newTerm(n, c.Slice()).at(d, k)
		}
		if math.Abs(f-p.predict(d, k)) > 1e-9 {
			t.Fatalf("sum of terms %v, prediction %v", f, p.predict(d, k))
		}
	}
	var weights []float64
	for c, x := range coefficients {
		if c.Len() >= 3 {
			weights = append(weights, math.Abs(x))
		}
	}
	slices.SortFunc(weights, func(a, b float64) int { return -int(math.Copysign(1, a-b)) })
	for k, u := range p.screen(10) {
		got := math.Abs(coefficients[game.Of(u.players...)])
		if math.Abs(got-weights[k]) > 1e-12 {
			t.Errorf("term %d, %v, weighs %v, want %v", k, u.players, got, weights[k])
		}
	}
}

// The search stays within its limits when there are many players.
func TestTermsAreLimited(t *testing.T) {
	k := newKernel(60, someHyper(60))
	count := map[int]int{}
	for u := range k.terms() {
		count[len(u.players)]++
	}
	for order, c := range count {
		if c > mostTerms || order%2 == 0 || order > longestTerm {
			t.Errorf("%d terms of order %d", c, order)
		}
	}
	if len(count) != 3 {
		t.Errorf("orders %v", count)
	}
	for range k.terms() {
		break
	}
}

// sparse returns a game of few odd terms, and noise of even ones.
func sparse(n int, terms ...[]int) game.Table {
	even := random(n, 12)
	table := make(game.Table, 1<<n)
	for mask := range table {
		table[mask] = even[mask] + even[len(even)-1-mask]
		for k, players := range terms {
			m := 0
			for _, p := range players {
				m |= 1 << p
			}
			table[mask] += (1 - 2*float64(bits.OnesCount(uint(mask&m))&1)) / float64(k+1)
		}
	}
	return table
}

// A game of few odd terms is found exactly, whatever its even part.
func TestSparseIsExact(t *testing.T) {
	table := sparse(9, []int{0}, []int{1, 2, 3}, []int{2, 5, 7}, []int{8}, []int{0, 4, 6})
	for _, m := range []Estimator{Sparse, Auto} {
		e := estimated(t, m, FromTable(table), 180, 3)
		if x := relative(e.Values, table.Shapley(nil)); x > 1e-12 {
			t.Errorf("%s: error %g: %s", e.Method, x, e.Reason)
		}
	}
}

// Leave-one-out residuals are those of fits without the pair, at the weights of
// all. The leading coefficients, free of the constraint, are equal.
func TestRegressionLeaveOneOut(t *testing.T) {
	_, d := asked(t, random(6, 3), 40)
	var terms []term
	for i := range 6 {
		terms = append(terms, newTerm(6, []int{i}))
	}
	w := d.weights()
	g, ok := d.regress(terms, w)
	if !ok {
		t.Fatal("no solution")
	}
	for _, k := range []int{1, 5, len(d.y) - 1} {
		without := slices.Clone(w)
		without[k] = 1e-14 * w[k]
		fit, ok := d.regress(terms, without)
		if !ok {
			t.Fatal("no solution")
		}
		// Coefficients of single players are −φ/2.
		f := 0.0
		for i := range 6 {
			f -= fit.phi[i] / 2 * d.sign(k, i)
		}
		if got, want := g.loo[k], d.y[k]-f; math.Abs(got-want) > 1e-6 {
			t.Errorf("pair %d: %v, want %v", k, got, want)
		}
	}
}
