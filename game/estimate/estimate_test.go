package estimate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/game"
)

// all calls f for every estimator.
func all(t *testing.T, f func(t *testing.T, m Estimator, name string)) {
	for _, name := range Names() {
		m, ok := ByName(name)
		if !ok {
			t.Fatalf("no estimator %q", name)
		}
		t.Run(name, func(t *testing.T) { f(t, m, name) })
	}
}

func TestByNameUnknown(t *testing.T) {
	if _, ok := ByName("guess"); ok {
		t.Error("there is an estimator of an unknown name")
	}
}

// Whatever the game and the budget: no coalition twice, not more than the
// budget, the right sum, and the same again from the same seed.
func TestLaws(t *testing.T) {
	all(t, func(t *testing.T, m Estimator, name string) {
		rapid.Check(t, func(rt *rapid.T) {
			n := rapid.IntRange(0, 7).Draw(rt, "players")
			budget := rapid.IntRange(0, 40).Draw(rt, "budget")
			seed := rapid.Uint64().Draw(rt, "seed")
			table := random(n, seed)
			g, count := counted(t, FromTable(table))
			e := estimated(t, m, g, budget, seed)
			if *count > budget || *count != e.Evaluations {
				rt.Errorf("%d asked, %d counted, budget %d", *count, e.Evaluations, budget)
			}
			if len(e.Values) != n {
				rt.Fatalf("%d values", len(e.Values))
			}
			total := table[len(table)-1] - table[0]
			if n > 0 && !(name == nameStratified && e.Unbiased) && math.Abs(sum(e.Values)-total) > 1e-9 {
				rt.Errorf("sum %v, want %v", sum(e.Values), total)
			}
			if again := estimated(t, m, FromTable(table), budget, seed); !cmp.Equal(e, again) {
				rt.Errorf("not the same again: %s", cmp.Diff(e, again))
			}
		})
	})
}

func TestExact(t *testing.T) {
	all(t, func(t *testing.T, m Estimator, name string) {
		for n := range 8 {
			table := random(n, uint64(n))
			e := estimated(t, m, FromTable(table), max(0, 1<<n-2), 1)
			if d := distance(e.Values, table.Shapley(nil)); d > 1e-12 {
				t.Errorf("%d players: off by %g", n, d)
			}
			if !e.Exact || !e.Unbiased || e.Method != nameExact || (n > 0 && sum(e.StdErr) != 0) {
				t.Errorf("%d players: %+v is not marked exact", n, e)
			}
		}
	})
}

// A game whose players differ in name only has values that differ in name only:
// the mean over seeds of every player's estimate is the same, up to chance.
func TestSymmetryInDistribution(t *testing.T) {
	const n, seeds = 5, 80
	table := make(game.Table, 1<<n)
	for i := range table {
		s := float64(bits.OnesCount(uint(i)))
		table[i] = s*s/10 + float64(bits.OnesCount(uint(i)*0x9e3779b9>>7)%3)
	}
	// Player i of the turned game is player i+1 of the first.
	turned := make(game.Table, len(table))
	for i := range table {
		turned[i>>1|i&1<<(n-1)] = table[i]
	}
	all(t, func(t *testing.T, m Estimator, name string) {
		var a, b game.Moments
		for seed := range uint64(seeds) {
			a.Add(estimated(t, m, FromTable(table), 16, seed).Values)
			b.Add(estimated(t, m, FromTable(turned), 16, seeds+seed).Values)
		}
		for i := range n {
			j := (i + 1) % n
			gap, se := a.Mean(j)-b.Mean(i), math.Hypot(a.StdErr(j), b.StdErr(i))
			// 45 comparisons: by chance, one in 30 000 runs goes beyond 5.
			if math.Abs(gap) > 5*se+1e-9 {
				t.Errorf("player %d: %.4f, the same player turned: %.4f, standard error %.4f", j, a.Mean(j), b.Mean(i), se)
			}
		}
	})
}

// The mean over seeds is the Shapley value, and the standard errors are those
// of the spread over seeds.
func TestUnbiased(t *testing.T) {
	const n, seeds = 6, 6000
	for _, c := range []struct {
		name   string
		budget int
		spread float64 // relative error allowed of the mean square standard error
	}{
		{namePermutation, 25, 0.15},
		{nameAntithetic, 45, 0.25},
		{nameStratified, 32, 0.25},
	} {
		m, _ := ByName(c.name)
		t.Run(c.name, func(t *testing.T) {
			table := random(n, 5)
			want := table.Shapley(nil)
			var got, squares game.Moments
			for seed := range uint64(seeds) {
				e := estimated(t, m, FromTable(table), c.budget, seed)
				if !e.Unbiased {
					t.Fatalf("seed %d: not unbiased: %s", seed, e.Reason)
				}
				got.Add(e.Values)
				if e.StdErr != nil {
					sq := make([]float64, n)
					for i, s := range e.StdErr {
						sq[i] = s * s
					}
					squares.Add(sq)
				}
			}
			for i := range n {
				// One of 18 comparisons beyond 4.5 in 8000 runs, by chance.
				if gap := got.Mean(i) - want[i]; math.Abs(gap) > 4.5*got.StdErr(i) {
					t.Errorf("player %d: mean %.5f, want %.5f ± %.5f", i, got.Mean(i), want[i], got.StdErr(i))
				}
				if r := squares.Mean(i) / got.Variance(i); math.Abs(r-1) > c.spread {
					t.Errorf("player %d: mean squared standard error is %.2f of the variance", i, r)
				}
			}
		})
	}
}

func TestDrawsAreExactlyEfficient(t *testing.T) {
	table := random(7, 3)
	for _, m := range []Estimator{Permutation, Antithetic} {
		e := estimated(t, m, FromTable(table), 60, 9)
		if len(e.Draws) < 5 {
			t.Fatalf("%d draws", len(e.Draws))
		}
		var mean game.Moments
		for _, draw := range e.Draws {
			if d := math.Abs(sum(draw) - (table[len(table)-1] - table[0])); d > 1e-12 {
				t.Errorf("a draw's sum is off by %g", d)
			}
			mean.Add(draw)
		}
		for i, v := range e.Values {
			if math.Abs(v-mean.Mean(i)) > 1e-12 {
				t.Errorf("value of %d is not the mean of the draws", i)
			}
		}
	}
}

// What fits a model exactly is found exactly.
func TestExactOnSimpleGames(t *testing.T) {
	for _, c := range []struct {
		name          string
		order, budget int
		tolerance     float64
	}{
		{namePermutation, 1, 7, 1e-12},
		{nameAntithetic, 2, 14, 1e-12},
		{nameStratified, 1, 60, 1e-12},
		{nameKernel, 1, 40, 1e-9},
		{namePaired, 2, 60, 1e-9},
		{nameLeverage, 2, 40, 1e-9},
		{nameSparse, 2, 40, 1e-8},
		{nameGP, 2, 40, 1e-2},
		{nameAuto, 2, 100, 1e-5},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, _ := ByName(c.name)
			for seed := range uint64(3) {
				table := ofOrder(8, c.order, seed)
				e := estimated(t, m, FromTable(table), c.budget, seed)
				if c.name == nameStratified { // exact but for what depends on who is in
					continue
				}
				if d := distance(e.Values, table.Shapley(nil)); d > c.tolerance {
					t.Errorf("seed %d: off by %g: %s", seed, d, e.Reason)
				}
			}
		})
	}
}

// Games that depend on the size only are exact for Stratified from n²/2
// coalitions on, whatever the curve.
func TestStratifiedOnSizes(t *testing.T) {
	const n = 8
	table := make(game.Table, 1<<n)
	for i := range table {
		table[i] = math.Sin(float64(bits.OnesCount(uint(i))))
	}
	e := estimated(t, Stratified, FromTable(table), 60, 1)
	if d := distance(e.Values, table.Shapley(nil)); d > 1e-12 || !e.Unbiased {
		t.Errorf("off by %g, unbiased %v", d, e.Unbiased)
	}
}

// On games like pipelines' the models are ahead of permutations by far.
func TestModelsAreAhead(t *testing.T) {
	const n, seeds = 9, 6
	log := map[string]float64{}
	for _, name := range []string{nameAntithetic, namePaired, nameGP, nameAuto} {
		m, _ := ByName(name)
		for seed := range uint64(seeds) {
			table := pipeline(n, seed)
			log[name] += math.Log(relative(estimated(t, m, FromTable(table), 10*n, seed).Values, table.Shapley(nil))) / seeds
		}
	}
	if log[nameAuto] > log[nameAntithetic]-math.Log(10) || log[nameAuto] > log[namePaired]-math.Log(3) {
		t.Errorf("logarithms of errors: %v", log)
	}
}

func TestGolden(t *testing.T) {
	table, want := california(t)
	if d := distance(table.Shapley(nil), want); d > 1e-9 {
		t.Fatalf("the game's values are off by %g", d)
	}
	for _, c := range []struct {
		name   string
		budget int
		most   float64 // Σ(φ̂−φ)²/Σφ²
	}{{nameAntithetic, 56, 0.2}, {nameLeverage, 56, 0.1}, {nameGP, 56, 0.02}, {nameAuto, 56, 0.02}, {nameAuto, 160, 0.005}, {nameAuto, 254, 1e-24}} {
		m, _ := ByName(c.name)
		mean := 0.0
		for seed := range uint64(5) {
			mean += relative(estimated(t, m, FromTable(table), c.budget, seed).Values, want) / 5
		}
		t.Logf("%s after %d coalitions: %.2g", c.name, c.budget, mean)
		if mean > c.most {
			t.Errorf("%s after %d coalitions: %.2g, want at most %g", c.name, c.budget, mean, c.most)
		}
	}
}

func TestManyPlayers(t *testing.T) {
	for _, n := range []int{25, 70} {
		// Players matter less and less, and the first three only together.
		value := func(c game.Coalition) float64 {
			x := float64(index(game.Of(0, 1, 2).SubsetOf(c)))
			for i := range c.Players() {
				x += 1 / float64(1+i)
			}
			return x
		}
		g := Game{Players: n, Full: value(game.Full(n)), Values: func(_ context.Context, c []game.Coalition) ([]float64, error) {
			v := make([]float64, len(c))
			for k := range c {
				v[k] = value(c[k])
			}
			return v, nil
		}}
		want := make([]float64, n)
		for i := range want {
			want[i] = 1 / float64(1+i)
			if i < 3 {
				want[i] += 1.0 / 3
			}
		}
		for name, most := range map[string]float64{nameAntithetic: 0.5, namePaired: 0.5, nameLeverage: 0.5, nameGP: 0.05, nameAuto: 0.05} {
			if n > 64 && name == nameAuto {
				continue // its parts are tested, and it takes a second
			}
			m, _ := ByName(name)
			if e := estimated(t, m, g, 4*n, 1); relative(e.Values, want) > most {
				t.Errorf("%s, %d players: error %.3g", name, n, relative(e.Values, want))
			}
		}
	}
}

func TestErrors(t *testing.T) {
	good := FromTable(random(6, 1))
	with := func(change func(g *Game)) Game {
		g := good
		change(&g)
		return g
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	cases := []struct {
		name   string
		ctx    context.Context
		g      Game
		budget int
		want   string
	}{
		{"budget", context.Background(), good, -1, "negative"},
		{"players", context.Background(), with(func(g *Game) { g.Players = 257 }), 20, "257 players"},
		{"no values", context.Background(), with(func(g *Game) { g.Values = nil }), 20, "no values"},
		{"end", context.Background(), with(func(g *Game) { g.Full = math.NaN() }), 20, "not finite"},
		{"cancelled", cancelled, good, 20, "canceled"},
		{"failing", context.Background(), with(func(g *Game) {
			g.Values = func(context.Context, []game.Coalition) ([]float64, error) { return nil, errors.New("no replay") }
		}), 20, "no replay"},
		{"short", context.Background(), with(func(g *Game) {
			g.Values = func(context.Context, []game.Coalition) ([]float64, error) { return []float64{1}, nil }
		}), 20, "got 1 values"},
		{"infinite", context.Background(), with(func(g *Game) {
			g.Values = func(_ context.Context, c []game.Coalition) ([]float64, error) {
				v := make([]float64, len(c))
				v[len(v)-1] = math.Inf(1)
				return v, nil
			}
		}), 20, "+Inf"},
	}
	for _, c := range cases {
		all(t, func(t *testing.T, m Estimator, name string) {
			_, err := m(c.ctx, c.g, c.budget, 1)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), name) {
				t.Errorf("%s: error %v, want one of %q", c.name, err, c.want)
			}
		})
	}
}

// A context that is done while the model is fitted ends the estimate.
func TestCancelWhileFitting(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	g := FromTable(random(9, 1))
	values := g.Values
	g.Values = func(ctx context.Context, c []game.Coalition) ([]float64, error) {
		defer cancel()
		return values(ctx, c)
	}
	if _, err := Auto(ctx, g, 200, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

// Games in which nothing happens, or only with all, must not trip the models.
func TestFlatGames(t *testing.T) {
	const n = 6
	flat := make(game.Table, 1<<n)
	last := make(game.Table, 1<<n)
	last[len(last)-1] = 1
	huge := make(game.Table, 1<<n)
	huge[1], huge[len(huge)-1] = 1e38, 1
	all(t, func(t *testing.T, m Estimator, name string) {
		for budget := range 40 {
			for k, table := range []game.Table{flat, last, huge} {
				e := estimated(t, m, FromTable(table), budget, 1)
				for i, v := range e.Values {
					if !finite(v) || (k == 0 && v != 0) {
						t.Errorf("budget %d, game %d, player %d: %v", budget, k, i, v)
					}
				}
			}
		}
	})
}

func BenchmarkAuto(b *testing.B) {
	for _, budget := range []int{160, 800, 3200} {
		b.Run(fmt.Sprintf("players=16/budget=%d", budget), func(b *testing.B) {
			g := FromTable(pipeline(16, 1))
			for b.Loop() {
				if _, err := Auto(context.Background(), g, budget, 1); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
