package estimate

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/agentblame/agentblame/game"
)

// KernelSHAP fits v by a linear function with the sum v(N) − v(∅), in weighted
// least squares: sizes are drawn with probability ∝ 1/(s(n−s)), coalitions of a
// size uniformly, with replacement, weighted by how often they were drawn.
// Consistent, not unbiased. If too few coalitions determine the fit, it is the
// one nearest to equal shares.
//
// Lundberg and Lee, A unified approach to interpreting model predictions, 2017.
func KernelSHAP(ctx context.Context, g Game, budget int, seed uint64) (*Estimate, error) {
	return kernelSHAP(false).make(ctx, nameKernel, g, budget, seed)
}

// PairedKernelSHAP is [KernelSHAP] with every coalition together with its
// complement, which does away with all interactions of even order.
//
// Covert and Lee, Improving KernelSHAP, 2021.
func PairedKernelSHAP(ctx context.Context, g Game, budget int, seed uint64) (*Estimate, error) {
	return kernelSHAP(true).make(ctx, namePaired, g, budget, seed)
}

func kernelSHAP(paired bool) method {
	return func(r *run, e *Estimate) error {
		mass := make([]float64, r.n)
		sum := 0.0
		for s := 1; s < r.n; s++ {
			sum += 1 / float64(s*(r.n-s))
			mass[s] = sum
		}
		p := r.plan()
		count := map[game.Coalition]float64{}
		for draws := 0; draws < maxDraws*r.budget; draws++ {
			u, s := r.rng.Float64()*sum, 1
			for s < r.n-1 && mass[s] <= u {
				s++
			}
			c := r.subset(s)
			if paired {
				if !p.add(c, r.complement(c)) {
					break
				}
				count[r.complement(c)]++
			} else if !p.add(c) {
				break
			}
			count[c]++
		}
		if err := r.ask(p.order); err != nil {
			return err
		}
		var f fit
		for _, c := range p.order {
			f.add(r, c, count[c])
		}
		e.Values = f.solve(r, e)
		return nil
	}
}

// Leverage is Leverage SHAP: the fit of [KernelSHAP] from complementary pairs
// drawn without replacement, all sizes alike (their leverage scores are equal),
// weighted by the inverse of their chance to be drawn.
//
// Musco and Witter, Provably accurate Shapley value estimation via leverage
// score sampling, 2025.
func Leverage(ctx context.Context, g Game, budget int, seed uint64) (*Estimate, error) {
	return method(leverage).make(ctx, nameLeverage, g, budget, seed)
}

func leverage(r *run, e *Estimate) error {
	pools := pairPools(r.n)
	counts := spread(pools, r.budget/2)
	p := r.plan()
	type class struct {
		pairs  []game.Coalition
		weight float64
	}
	var classes []class
	for s, k := range counts {
		if k == 0 {
			continue
		}
		c := class{weight: pools[s] / float64(k) / (choose(r.n, s) * float64(s*(r.n-s)))}
		from := pool{size: s}
		for range k {
			next, _ := from.next(r, p.in, len(c.pairs)*pairSides(r.n, s))
			p.add(next, r.complement(next))
			c.pairs = append(c.pairs, next)
		}
		classes = append(classes, c)
	}
	if err := r.ask(p.order); err != nil {
		return err
	}
	var f fit
	for _, c := range classes {
		for _, s := range c.pairs {
			f.add(r, s, c.weight)
			f.add(r, r.complement(s), c.weight)
		}
	}
	e.Values = f.solve(r, e)
	return nil
}

// pairPools returns the number of complementary pairs whose smaller side has
// size s, for s = 0 … ⌊n/2⌋; none for s = 0.
func pairPools(n int) []float64 {
	pools := make([]float64, n/2+1)
	for s := 1; s <= n/2; s++ {
		pools[s] = choose(n, s) / float64(pairSides(n, s))
	}
	return pools
}

// pairSides returns how many coalitions of size s a pair of this class has.
func pairSides(n, s int) int {
	if 2*s == n {
		return 2
	}
	return 1
}

// spread shares pairs out to the classes: as many for every size 1 … n−1 as
// long as there are any.
func spread(pools []float64, pairs int) []int {
	counts := make([]int, len(pools))
	for pairs > 0 {
		var open []int
		for s := 1; s < len(pools); s++ {
			if float64(counts[s]) < pools[s] {
				open = append(open, s)
			}
		}
		if len(open) == 0 {
			break
		}
		// The middle class stands for one size, the others for two; a small
		// difference that needs no care.
		each := max(1, pairs/len(open))
		for _, s := range open {
			k := int(min(float64(min(each, pairs)), pools[s]-float64(counts[s])))
			counts[s] += k
			pairs -= k
		}
	}
	return counts
}

// A fit is a weighted least-squares fit of v(S) − v(∅) by Σ_{i∈S} φᵢ, subject
// to Σφ = v(N) − v(∅). With φ = total/n + ψ the constraint is ψ ⊥ 1, which the
// rows 1_S − |S|/n have built in.
type fit struct {
	gram *mat.SymDense
	rhs  *mat.VecDense
}

// add takes in the value of a coalition.
func (f *fit) add(r *run, c game.Coalition, weight float64) {
	if f.gram == nil {
		f.gram, f.rhs = mat.NewSymDense(r.n, nil), mat.NewVecDense(r.n, nil)
	}
	row := mat.NewVecDense(r.n, nil)
	share := float64(c.Len()) / float64(r.n)
	for i := range r.n {
		row.SetVec(i, float64(index(c.Has(i)))-share)
	}
	f.gram.SymRankOne(f.gram, weight, row)
	f.rhs.AddScaledVec(f.rhs, weight*(r.value(c)-r.g.Empty-share*r.total()), row)
}

// solve returns φ, with the smallest ψ that fits best.
func (f *fit) solve(r *run, e *Estimate) []float64 {
	if f.gram == nil {
		split(r, e, "nothing was asked")
		return e.Values
	}
	phi, rank := minimumNorm(f.gram, f.rhs)
	if rank < r.n-1 {
		e.Reason = "too few coalitions determine the fit: nearest to equal shares"
	}
	project(phi, r.total())
	return phi
}

// minimumNorm solves the normal equations of a least-squares problem by their
// eigenvectors, leaving out those of eigenvalue about 0.
func minimumNorm(gram *mat.SymDense, rhs *mat.VecDense) (x []float64, rank int) {
	n := rhs.Len()
	x = make([]float64, n)
	var eig mat.EigenSym
	if !eig.Factorize(gram, true) {
		return x, 0
	}
	values := eig.Values(nil)
	var vectors mat.Dense
	eig.VectorsTo(&vectors)
	floor := values[n-1] * 1e-11 // of squares: 3e-6 of the largest singular value
	for k, lambda := range values {
		if lambda <= floor || lambda <= math.SmallestNonzeroFloat64 {
			continue
		}
		rank++
		v := vectors.ColView(k)
		scale := mat.Dot(v, rhs) / lambda
		for i := range x {
			x[i] += scale * v.AtVec(i)
		}
	}
	return x, rank
}
