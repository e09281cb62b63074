package stream

import "math/rand/v2"

// Source writes the next case of a stream into x.
type Source func(r *rand.Rand, x []float64)

// SeedLike draws independent cases from the pool.
func SeedLike(p *Pool) Source {
	return func(r *rand.Rand, x []float64) { copy(x, p.Draw(r)) }
}

// Tie swaps the culprit with step 0 in every second case on average: two best steps with equal means.
func Tie(p *Pool) Source {
	return func(r *rand.Rand, x []float64) {
		copy(x, p.Draw(r))
		if r.IntN(2) == 0 {
			x[0], x[Culprit] = x[Culprit], x[0]
		}
	}
}

// AllEqual permutes the steps of every case: all means are equal.
func AllEqual(p *Pool) Source {
	return func(r *rand.Rand, x []float64) {
		copy(x, p.Draw(r))
		r.Shuffle(len(x), func(i, j int) { x[i], x[j] = x[j], x[i] })
	}
}

// Rare has one culprit in 12 % of cases: the Culprit in 5 %, each other step in 1 %. Nothing repairs the rest.
func Rare() Source {
	return func(r *rand.Rand, x []float64) {
		clear(x)
		u := r.Float64()
		if u < .05 {
			x[Culprit] = 1
		} else if u < .12 {
			other := min(int((u-.05)/.01), Steps-2)
			if other >= Culprit {
				other++
			}
			x[other] = 1
		}
	}
}

// Skew sets step 0, which is 1 in 5.2 % of cases and else 0, against the Culprit, which is always 0.050:
// until the first rare event the wrong step leads without any visible variance.
// Step 0 is the best.
func Skew() Source {
	return func(r *rand.Rand, x []float64) {
		clear(x)
		x[Culprit] = .05
		if r.Float64() < .052 {
			x[0] = 1
		}
	}
}

// Batch is a finite list of cases.
type Batch [][]float64

// NewBatch draws a batch of n cases from the pool.
func NewBatch(p *Pool, n int, r *rand.Rand) Batch {
	b := make(Batch, n)
	for i := range b {
		b[i] = p.Draw(r)
	}
	return b
}

// Best returns the step with the largest mean in the batch, the first of several.
func (b Batch) Best() int {
	sum := make([]float64, Steps)
	best := 0
	for _, x := range b {
		for j := range sum {
			sum[j] += x[j]
		}
	}
	for j := range sum {
		if sum[j] > sum[best] {
			best = j
		}
	}
	return best
}

// Shuffled returns a source that gives each case of the batch once, in an order drawn at its first use.
// It must not be asked for more cases than the batch has.
func (b Batch) Shuffled() Source {
	var order []int
	return func(r *rand.Rand, x []float64) {
		if order == nil {
			order = r.Perm(len(b))
		}
		copy(x, b[order[0]])
		order = order[1:]
	}
}
