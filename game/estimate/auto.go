package estimate

import (
	"context"
	"fmt"
	"math"
	"strings"
)

// Auto asks complementary pairs and lets the candidates compete on them: the
// Gaussian processes of [GP], the least squares of [Leverage] and the sparse
// regressions of [Sparse]. Each predicts every pair from all others; the mean
// square of the residuals, weighted like pairs in least squares, is its score,
// and the estimate is the candidates' mean with weights ∝ 1/score⁴, which is
// close to a choice when scores differ. The functions of a sparse regression
// were picked on the very pairs it is judged by, so its score counts four times.
// Least squares join in when there are four pairs a player. Estimate.Reason
// lists weights and scores. Biased.
func Auto(ctx context.Context, g Game, budget int, seed uint64) (*Estimate, error) {
	return method(auto).make(ctx, nameAuto, g, budget, seed)
}

func auto(r *run, e *Estimate) error {
	m, err := r.fitPairs(e)
	if m == nil {
		return err
	}
	mix(r, e, m.candidates())
	return nil
}

const (
	sharpness    = 4 // power of the scores
	pickedFactor = 4 // by which scores of picked functions count more
	pairsAPlayer = 4 // from which on least squares join in
)

// A candidate is an estimate and how well it predicts.
type candidate struct {
	name  string
	phi   []float64
	score float64
}

func (m *model) candidates() []candidate {
	h := m.holdOut()
	var out []candidate
	for i, p := range m.post {
		name := [...]string{"gp", "gp-sized"}[i]
		out = append(out, candidate{name, m.values(p), h.score(p.leaveOneOut(h.which))})
	}
	if len(m.d.y) <= pairsAPlayer*m.d.n {
		return out
	}
	for _, g := range m.regressions(autoShares) {
		c := candidate{"least-squares", g.phi, h.score(g.residuals(h.which))}
		if picked := len(g.terms) - m.d.n; picked > 0 {
			c.name = fmt.Sprintf("sparse-%d", picked)
			c.score *= pickedFactor
		}
		out = append(out, c)
	}
	return out
}

// autoShares are the shares of Sparse that Auto tries.
var autoShares = []float64{0, 0.1, 0.3}

// mix combines the candidates.
func mix(r *run, e *Estimate, from []candidate) {
	best := math.Inf(1)
	for _, c := range from {
		best = min(best, c.score)
	}
	weight, sum := make([]float64, len(from)), 0.0
	for k, c := range from {
		weight[k] = 1
		if c.score > best {
			weight[k] = math.Pow(best/c.score, sharpness)
		}
		sum += weight[k]
	}
	e.Values = make([]float64, r.n)
	var why []string
	for k, c := range from {
		project(c.phi, r.total())
		for i, x := range c.phi {
			e.Values[i] += weight[k] / sum * x
		}
		if share := weight[k] / sum; share >= 0.005 {
			why = append(why, fmt.Sprintf("%s %.2f", c.name, share))
		}
	}
	e.Reason = "weights by leave-one-out residuals: " + strings.Join(why, ", ")
}

// hold is a set of pairs to judge candidates by, and their weights.
type hold struct {
	which  []int
	weight []float64
}

// mostHeld limits the pairs to judge by.
const mostHeld = 256

// holdOut takes sampled pairs of classes of which not all were asked, for there
// is nothing to predict in the others.
func (m *model) holdOut() hold {
	var h hold
	pools := pairPools(m.d.n)
	count := make([]float64, len(pools))
	for k := range m.d.y {
		count[m.d.class(k)]++
	}
	w := m.d.weights()
	for k := range m.d.y {
		if c := m.d.class(k); k > 0 && count[c] < pools[c] && len(h.which) < mostHeld {
			h.which = append(h.which, k)
			h.weight = append(h.weight, w[k]*(1-count[c]/pools[c]))
		}
	}
	return h
}

// score returns the weighted mean square of residuals.
func (h hold) score(residual []float64) float64 {
	sum, weights := 0.0, 0.0
	for j, x := range residual {
		sum += h.weight[j] * x * x
		weights += h.weight[j]
	}
	if weights == 0 {
		return 0
	}
	return sum / weights
}
