package estimate

import (
	"context"
	"encoding/json"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/agentblame/agentblame/game"
)

// random returns a game of values drawn alone: nothing is smooth about it.
func random(n int, seed uint64) game.Table {
	rng := rand.New(rand.NewPCG(seed, 1))
	t := make(game.Table, 1<<n)
	for i := range t {
		t[i] = rng.Float64()
	}
	return t
}

// ofOrder returns a game whose Möbius coefficients beyond an order are 0: a sum
// of effects of groups of so many players.
func ofOrder(n, order int, seed uint64) game.Table {
	rng := rand.New(rand.NewPCG(seed, 2))
	t := make(game.Table, 1<<n)
	for i := range t {
		if bits.OnesCount(uint(i)) <= order {
			t[i] = rng.NormFloat64()
		}
	}
	for j := range n { // sums over subsets
		for i := range t {
			if i>>j&1 == 1 {
				t[i] += t[i&^(1<<j)]
			}
		}
	}
	return t
}

// pipeline returns a game as pipelines make them: a sum of few conjunctions of
// repairs, some of which a fix of player 0 breaks.
func pipeline(n int, seed uint64) game.Table {
	rng := rand.New(rand.NewPCG(seed, 3))
	t := make(game.Table, 1<<n)
	for range 4 {
		need := uint(1) << rng.IntN(n)
		need |= 1 << rng.IntN(n)
		worth := rng.Float64() / 4
		for i := range t {
			if uint(i)&need == need && (uint(i)&1 == 0 || need&2 == 0) {
				t[i] += worth
			}
		}
	}
	return t
}

// counted wraps a game: it reports coalitions asked twice or known beforehand.
func counted(t *testing.T, g Game) (Game, *int) {
	seen := map[game.Coalition]bool{{}: true, game.Full(g.Players): true}
	count := new(int)
	values := g.Values
	g.Values = func(ctx context.Context, c []game.Coalition) ([]float64, error) {
		for _, c := range c {
			if seen[c] {
				t.Errorf("%v asked again", c)
			}
			seen[c] = true
			*count++
		}
		return values(ctx, c)
	}
	return g, count
}

// estimated estimates and fails the test on errors.
func estimated(t *testing.T, m Estimator, g Game, budget int, seed uint64) *Estimate {
	t.Helper()
	e, err := m(context.Background(), g, budget, seed)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// distance returns the largest difference.
func distance(a, b []float64) float64 {
	d := 0.0
	for i := range a {
		d = max(d, math.Abs(a[i]-b[i]))
	}
	return d
}

// relative returns Σ(a−b)²/Σb².
func relative(a, b []float64) float64 {
	num, den := 0.0, 0.0
	for i := range a {
		num += (a[i] - b[i]) * (a[i] - b[i])
		den += b[i] * b[i]
	}
	return num / den
}

func sum(x []float64) float64 {
	s := 0.0
	for _, x := range x {
		s += x
	}
	return s
}

// shared returns the path of reference material, and skips the test without it.
func shared(t testing.TB, name string) string {
	t.Helper()
	dir := os.Getenv("AGENTBLAME_SHARED")
	if dir == "" {
		t.Skip("SKIPPED: not held to published games, AGENTBLAME_SHARED is not set")
	}
	return filepath.Join(dir, name)
}

// california is a published game of 8 players, by its Möbius coefficients, and
// its published Shapley values.
func california(t testing.TB) (game.Table, []float64) {
	t.Helper()
	read := func(name string) map[string]float64 {
		data, err := os.ReadFile(shared(t, filepath.Join("games", "golden", name)))
		if err != nil {
			t.Fatal(err)
		}
		var m struct{ Data map[string]float64 }
		if err := json.Unmarshal(data, &m); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return m.Data
	}
	const n = 8
	v := make(game.Table, 1<<n)
	for key, a := range read("california-imputer-Moebius-8.json") {
		mask := 0
		if key != "Empty" {
			for _, p := range strings.Split(key, ",") {
				i, err := strconv.Atoi(p)
				if err != nil {
					t.Fatal(err)
				}
				mask |= 1 << i
			}
		}
		for s := range v {
			if s&mask == mask {
				v[s] += a
			}
		}
	}
	phi := make([]float64, n)
	for key, x := range read("california-imputer-SV-1.json") {
		if i, err := strconv.Atoi(key); err == nil {
			phi[i] = x
		}
	}
	return v, phi
}
