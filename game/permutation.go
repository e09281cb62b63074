package game

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"math/rand/v2"
)

// A ValueFunc returns v(c) of a game that is only known by asking. Who calls
// it doesn't remember answers: it should, if they are dear.
type ValueFunc func(ctx context.Context, c Coalition) (float64, error)

// A Sampler estimates Shapley values from random orders of the players: each
// is credited what v gains when it joins those before it. Every draw is an
// unbiased estimate, and sums to v(N) − v(∅) exactly (up to rounding).
//
// Draw k depends on Seed and k alone, so that draws can be made in any order,
// by any number of goroutines, and a stopping rule decides from outside.
//
// Castro, Gómez and Tejada, Polynomial calculation of the Shapley value based
// on sampling, 2009; antithetic draws: Mitchell et al., Sampling permutations
// for Shapley value estimation, 2022.
type Sampler struct {
	Players int
	Seed    uint64
	// Antithetic makes a draw of a permutation and its reverse. It costs twice
	// as much and is exact for games without interactions above pairs.
	Antithetic bool
}

// Permutation writes the k-th random order of the players into dst and returns
// it, grown if needed.
func (s Sampler) Permutation(k int, dst []int) []int {
	if cap(dst) < s.Players {
		dst = make([]int, s.Players)
	}
	dst = dst[:s.Players]
	rng := rand.NewPCG(s.Seed, scramble(uint64(k)))
	// Fisher and Yates, from the generator's own bits, which are part of its
	// definition; how the standard library shuffles may change.
	for i := range dst {
		j := below(rng, uint64(i+1))
		dst[i] = dst[j]
		dst[j] = i
	}
	return dst
}

// scramble makes neighbouring numbers unlike (the finalizer of SplitMix64):
// generators of similar seeds would start out similar.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below draws a number below n without bias (Lemire, 2019).
func below(rng *rand.PCG, n uint64) uint64 {
	hi, lo := bits.Mul64(rng.Uint64(), n)
	for reject := -n % n; lo < reject; {
		hi, lo = bits.Mul64(rng.Uint64(), n)
	}
	return hi
}

// Marginals writes the k-th draw into dst and returns it, grown if needed: for
// every player, v with it and those before it less v of those before it.
// It asks v for Players+1 coalitions, twice Players if antithetic.
func (s Sampler) Marginals(ctx context.Context, k int, v ValueFunc, dst []float64) ([]float64, error) {
	dst = zeros(dst, s.Players)
	if s.Players == 0 {
		return dst, nil
	}
	order := s.Permutation(k, nil)
	empty, err := v(ctx, Coalition{})
	if err != nil {
		return nil, fmt.Errorf("permutation %d: value of the empty coalition: %w", k, err)
	}
	full, err := v(ctx, Full(s.Players))
	if err != nil {
		return nil, fmt.Errorf("permutation %d: value of the full coalition: %w", k, err)
	}
	share := 1.0
	if s.Antithetic {
		share = 0.5
	}
	walk := func(at func(step int) int) error {
		before, c := empty, Coalition{}
		for step := range order {
			player := at(step)
			c = c.With(player)
			after := full
			if step < len(order)-1 {
				if after, err = v(ctx, c); err != nil {
					return fmt.Errorf("permutation %d: value of %v: %w", k, c, err)
				}
			}
			dst[player] += float64(share * (after - before))
			before = after
		}
		return nil
	}
	if err := walk(func(step int) int { return order[step] }); err != nil {
		return nil, err
	}
	if s.Antithetic {
		if err := walk(func(step int) int { return order[len(order)-1-step] }); err != nil {
			return nil, err
		}
	}
	return dst, nil
}

// Samples yields the draws 0, 1, 2, … without end, until the loop is left, v
// fails or the context is done, which is yielded as an error. A yielded slice
// holds good until the next draw.
func (s Sampler) Samples(ctx context.Context, v ValueFunc) iter.Seq2[[]float64, error] {
	return func(yield func([]float64, error) bool) {
		var dst []float64
		for k := 0; ; k++ {
			if err := ctx.Err(); err != nil {
				yield(nil, fmt.Errorf("permutation %d: %w", k, err))
				return
			}
			draw, err := s.Marginals(ctx, k, v, dst)
			if !yield(draw, err) || err != nil {
				return
			}
			dst = draw
		}
	}
}

// Moments are the running mean and variance of vectors of one length, one
// entry a player (Welford's method). The zero value has seen none.
type Moments struct {
	count    int
	mean, m2 []float64
}

// Add takes in one vector. It panics if its length differs from the first's.
func (m *Moments) Add(x []float64) {
	if m.count == 0 {
		m.mean, m.m2 = zeros(m.mean, len(x)), zeros(m.m2, len(x))
	}
	if len(x) != len(m.mean) {
		panic(fmt.Sprintf("game: vector of %d entries among those of %d", len(x), len(m.mean)))
	}
	m.count++
	for i, v := range x {
		delta := v - m.mean[i]
		m.mean[i] += delta / float64(m.count)
		m.m2[i] += float64(delta * (v - m.mean[i]))
	}
}

// Count returns the number of vectors seen.
func (m *Moments) Count() int { return m.count }

// Mean returns the mean of entry i, NaN if nothing was seen.
func (m *Moments) Mean(i int) float64 {
	if m.count == 0 {
		return math.NaN()
	}
	return m.mean[i]
}

// Variance returns the sample variance of entry i, NaN below two vectors.
func (m *Moments) Variance(i int) float64 {
	if m.count < 2 {
		return math.NaN()
	}
	return m.m2[i] / float64(m.count-1)
}

// StdErr returns the standard error of Mean(i), NaN below two vectors.
func (m *Moments) StdErr(i int) float64 {
	return math.Sqrt(m.Variance(i) / float64(m.count))
}
