package estimate

import (
	"iter"

	"github.com/agentblame/agentblame/game"
)

// choose returns C(n, k), 0 if k is out of range. It rounds beyond 2⁵³.
func choose(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	c := 1.0
	for j := 1; j <= min(k, n-k); j++ {
		c = c * float64(n-min(k, n-k)+j) / float64(j)
	}
	return c
}

// ofSize yields all coalitions of a size, in lexicographic order.
func ofSize(n, size int) iter.Seq[game.Coalition] {
	return func(yield func(game.Coalition) bool) {
		var extend func(c game.Coalition, from, left int) bool
		extend = func(c game.Coalition, from, left int) bool {
			if left == 0 {
				return yield(c)
			}
			for p := from; p <= n-left; p++ {
				if !extend(c.With(p), p+1, left-1) {
					return false
				}
			}
			return true
		}
		extend(game.Coalition{}, 0, size)
	}
}

// weights are the Shapley value's weights of coalitions by size:
//
//	φᵢ = Σ_{S∋i} in[|S|]·v(S) − Σ_{S∌i} out[|S|]·v(S).
type weights struct {
	in, out []float64
}

func shapleyWeights(n int) weights {
	w := weights{make([]float64, n+1), make([]float64, n+1)}
	for s := range n {
		x := 1 / (float64(n) * choose(n-1, s))
		w.in[s+1], w.out[s] = x, x
	}
	return w
}

// odd returns the weights of the value of a pair (S, N∖S) of an odd function,
// for the members of S, |S| = s, and for the others:
//
//	f(N∖S) = −f(S)   ⇒   φᵢ = Σ_pairs f(S)·(i∈S ? member : −other).
func (w weights) odd(s int) (member, other float64) {
	n := len(w.in) - 1
	return w.in[s] + w.out[n-s], w.out[s] + w.in[n-s]
}
