package main

import (
	"math"
)

// A job is one question to all methods: the values of a game from coalitions
// per player, besides none and all, with a seed.
type job struct {
	game *testGame
	per  int
	seed int
}

// budget is the number of coalitions besides ∅ and N.
func (j job) budget() int { return j.per * j.game.players }

// share of all coalitions up to which budgets are tried: beyond, asking them
// all is near.
const mostShare = 0.7

// jobs lists the questions, seed by seed, so that a run that is cut short has
// asked the same of all games.
func jobs(games []testGame, pers []int, seeds int) []job {
	var out []job
	for seed := range seeds {
		for g := range games {
			for _, per := range pers {
				j := job{&games[g], per, seed}
				if float64(j.budget()+2) <= mostShare*float64(len(games[g].table)) {
					out = append(out, j)
				}
			}
		}
	}
	return out
}

// An answer is what a method made of a job. It is a line of the cache.
type answer struct {
	Game    string    `json:"game"`
	Budget  int       `json:"budget"` // with ∅ and N
	Seed    int       `json:"seed"`
	Method  string    `json:"method"`
	Values  []float64 `json:"values,omitempty"`
	Error   string    `json:"error,omitempty"` // refused, if there are no values
	Asked   int       `json:"evaluations"`     // distinct coalitions
	Runs    int       `json:"runs,omitempty"`  // step runs, of pipelines
	Seconds float64   `json:"seconds"`
}

// answerKey identifies an answer within one cache.
type answerKey struct {
	game         string
	budget, seed int
	method       string
}

func (a *answer) key() answerKey { return answerKey{a.Game, a.Budget, a.Seed, a.Method} }

func (j job) key(method string) answerKey {
	return answerKey{j.game.key, j.budget() + 2, j.seed, method}
}

// smallest is the least error that counts, a ten-millionth of the values. Below,
// rounding decides, and all are exact.
const smallest = 1e-14

// failure returns the normalized squared error Σ(φ̂−φ)²/Σφ².
func failure(values, phi []float64) float64 {
	num, den := 0.0, 0.0
	for i := range phi {
		num += (values[i] - phi[i]) * (values[i] - phi[i])
		den += phi[i] * phi[i]
	}
	return math.Max(num/den, smallest)
}
