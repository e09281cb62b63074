package estimate

import (
	"cmp"
	"iter"
	"math"
	"math/bits"
	"slices"
)

// A term is a Walsh function χ_U(S) = Π_{j∈U} χⱼ(S) of odd order |U|. Terms of
// an odd function f determine the Shapley values:
//
//	f = Σ_U c_U·χ_U   ⇒   φᵢ = −2·Σ_{U∋i} c_U/|U|.
type term struct {
	players []int
	bits    []uint64
}

func newTerm(n int, players []int) term {
	t := term{players: players, bits: make([]uint64, (n+63)/64)}
	for _, i := range players {
		t.bits[i/64] |= 1 << (i % 64)
	}
	return t
}

// at returns χ_U of pair k.
func (t term) at(d *pairs, k int) float64 {
	odd := 0
	for w, x := range t.bits {
		odd += bits.OnesCount64(x & d.rows[k][w])
	}
	return 1 - 2*float64(odd&1)
}

// readOut adds the Shapley values of c·χ_U.
func (t term) readOut(phi []float64, c float64) {
	for _, i := range t.players {
		phi[i] -= 2 * c / float64(len(t.players))
	}
}

// Limits of the search for terms.
const (
	longestTerm = 7
	mostTerms   = 20000
)

// terms returns the terms of order 3, 5 and 7 that the kernel expects most of.
// Its products of β are the sum over odd U of λ_U·χ_U(S)·χ_U(T) with
//
//	λ_U = Π_{j∈U} (1−βⱼ)/2 · Π_{j∉U} (1+βⱼ)/2.
//
// Where there are too many, only terms of the players with the smallest β count.
func (k *kernel) terms() iter.Seq[term] {
	byWeight := make([]int, k.n)
	for i := range byWeight {
		byWeight[i] = i
	}
	slices.SortStableFunc(byWeight, func(a, b int) int { return cmp.Compare(k.beta[a], k.beta[b]) })
	return func(yield func(term) bool) {
		for order := 3; order <= min(longestTerm, k.n); order += 2 {
			players := k.n
			for players > order && choose(players, order) > mostTerms {
				players--
			}
			for c := range ofSize(players, order) {
				u := make([]int, 0, order)
				for p := range c.Players() {
					u = append(u, byWeight[p])
				}
				if !yield(newTerm(k.n, u)) {
					return
				}
			}
		}
	}
}

// spectrum returns λ_U.
func (k *kernel) spectrum(t term) float64 {
	l := 0.0
	for j, beta := range k.beta {
		if t.bits[j/64]>>(j%64)&1 == 1 {
			l += math.Log((1 - beta) / 2)
		} else {
			l += math.Log((1 + beta) / 2)
		}
	}
	return math.Exp(l)
}

// screen returns the count terms of order 3 and above that the posterior mean
// has most of, largest first.
func (p *posterior) screen(count int) []term {
	type scored struct {
		term
		weight float64
	}
	var all []scored
	for t := range p.kernel.terms() {
		sum := 0.0
		for m, a := range p.alpha {
			sum += a * t.at(p.d, m)
		}
		all = append(all, scored{t, math.Abs(sum) * p.kernel.spectrum(t)})
	}
	slices.SortStableFunc(all, func(a, b scored) int { return cmp.Compare(b.weight, a.weight) })
	out := make([]term, 0, count)
	for _, s := range all[:min(count, len(all))] {
		out = append(out, s.term)
	}
	return out
}
