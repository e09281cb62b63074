package stream

import (
	"math/bits"
	"math/rand/v2"
	"sort"
)

// Steps is the number of steps of every stream here.
const Steps = 8

// Culprit is the step with the largest mean in SeedLike: the drafter.
const Culprit = 6

// Pool is a distribution over case vectors: a finite list of kinds of case with their probabilities.
type Pool struct {
	values     [][]float64
	cumulative []float64
	mean       []float64
}

// clause is a set of steps, one of which must be fixed for the case to pass; 0 is no clause.
type clause uint8

// choice is one way a part of a case may come out.
type choice struct {
	clause clause
	p      float64
}

func oneOf(steps ...int) clause {
	var c clause
	for _, s := range steps {
		c |= 1 << s
	}
	return c
}

// Agent returns the kinds of failure of the eight-step agent
// (intake, router, planner, search, extractor, calculator, drafter, guardrail).
// A failure passes when each of its clauses holds: routing, evidence, number and draft, each broken with its own
// probability and at least two of them broken. In 6 % of failures the router's fix mis-routes unless intake is fixed
// too; 13 % are repaired by nothing.
func Agent() *Pool {
	part := func(p float64, pair, second, first clause, both, single float64) []choice {
		return []choice{{0, 1 - p}, {pair, p * both}, {second, p * single}, {first, p * single}}
	}
	parts := [][]choice{
		part(.62, oneOf(0, 1), oneOf(1), oneOf(0), .86, .07),
		part(.64, oneOf(2, 3), oneOf(3), oneOf(2), .86, .07),
		part(.42, oneOf(4, 5), oneOf(5), oneOf(4), .8, .1),
		{{0, .08}, {oneOf(6), .48}, {oneOf(6, 7), .44}},
	}
	p := &Pool{}
	var weights []float64
	add := func(v []float64, w float64) {
		p.values, weights = append(p.values, v), append(weights, w)
	}
	var visit func(clauses []clause, left [][]choice, w float64)
	visit = func(clauses []clause, left [][]choice, w float64) {
		if len(left) > 0 {
			for _, c := range left[0] {
				next := clauses
				if c.clause != 0 {
					next = append(clauses[:len(clauses):len(clauses)], c.clause)
				}
				visit(next, left[1:], w*c.p)
			}
			return
		}
		if len(clauses) < 2 {
			return
		}
		add(make([]float64, Steps), w*.13)
		add(shapley(clauses, false), w*.87*.94)
		add(shapley(clauses, true), w*.87*.06)
	}
	visit(nil, parts, 1)

	total := 0.0
	for _, w := range weights {
		total += w
	}
	p.mean = make([]float64, Steps)
	sum := 0.0
	for i, w := range weights {
		sum += w / total
		p.cumulative = append(p.cumulative, sum)
		for j, x := range p.values[i] {
			p.mean[j] += w / total * x
		}
	}
	return p
}

// shapley returns the exact Shapley values of the game "every clause holds",
// where with misroute the router's fix also needs the fix of intake.
func shapley(clauses []clause, misroute bool) []float64 {
	passes := func(s clause) bool {
		for _, c := range clauses {
			if s&c == 0 {
				return false
			}
		}
		return !misroute || s&oneOf(1) == 0 || s&oneOf(0) != 0
	}
	weight := [Steps]float64{} // |S|!(n−|S|−1)!/n!
	for s := range weight {
		weight[s] = 1 / (Steps * float64(binomial(Steps-1, s)))
	}
	phi := make([]float64, Steps)
	for s := range 1 << Steps {
		for i := range phi {
			bit := clause(1) << i
			if s := clause(s); s&bit == 0 && passes(s|bit) != passes(s) {
				sign := 1.0
				if passes(s) {
					sign = -1
				}
				phi[i] += sign * weight[bits.OnesCount8(uint8(s))]
			}
		}
	}
	return phi
}

func binomial(n, k int) int {
	b := 1
	for i := range k {
		b = b * (n - i) / (i + 1)
	}
	return b
}

// Mean returns the mean vector of the pool.
func (p *Pool) Mean() []float64 { return p.mean }

// Draw returns the vector of one random case. It must not be changed.
func (p *Pool) Draw(r *rand.Rand) []float64 {
	i := sort.SearchFloat64s(p.cumulative, r.Float64())
	return p.values[min(i, len(p.values)-1)]
}
