package estimate

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/game"
)

func TestChoose(t *testing.T) {
	row := []float64{1}
	for n := range 54 { // exact up to 2⁵³
		for k := range row {
			if got := choose(n, k); got != row[k] {
				t.Errorf("C(%d, %d) = %v, want %v", n, k, got, row[k])
			}
		}
		if choose(n, -1) != 0 || choose(n, n+1) != 0 {
			t.Errorf("C(%d, k) is not 0 beyond", n)
		}
		next := make([]float64, n+2)
		next[0], next[n+1] = 1, 1
		for k := 1; k <= n; k++ {
			next[k] = row[k-1] + row[k]
		}
		row = next
	}
}

func TestOfSize(t *testing.T) {
	for n := range 9 {
		seen := map[game.Coalition]bool{}
		for s := range n + 1 {
			before := len(seen)
			for c := range ofSize(n, s) {
				if c.Len() != s || seen[c] || !c.SubsetOf(game.Full(n)) {
					t.Errorf("%v is not a new coalition of %d of %d", c, s, n)
				}
				seen[c] = true
			}
			if float64(len(seen)-before) != choose(n, s) {
				t.Errorf("%d of %d: %d coalitions", s, n, len(seen)-before)
			}
		}
	}
	for range ofSize(5, 2) {
		break
	}
}

// The weights are the Shapley value's, and those of pairs agree with them.
func TestWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 7).Draw(t, "players")
		table := random(n, rapid.Uint64().Draw(t, "seed"))
		w := shapleyWeights(n)
		got := make([]float64, n)
		byPairs := make([]float64, n)
		for mask, v := range table {
			c := game.FromMask(uint64(mask))
			member, other := w.odd(c.Len())
			f := (v - table[len(table)-1-mask]) / 2
			for i := range got {
				if c.Has(i) {
					got[i] += w.in[c.Len()] * v
					byPairs[i] += member * f / 2 // every pair comes twice
				} else {
					got[i] -= w.out[c.Len()] * v
					byPairs[i] -= other * f / 2
				}
			}
		}
		want := table.Shapley(nil)
		if distance(got, want) > 1e-12 || distance(byPairs, want) > 1e-12 {
			t.Errorf("%v and %v, want %v", got, byPairs, want)
		}
	})
}

// Subsets of a size are equally likely: 20 of them, 20 000 draws.
func TestSubset(t *testing.T) {
	r, err := newRun(t.Context(), FromTable(random(6, 1)), 0, 11)
	if err != nil {
		t.Fatal(err)
	}
	count := map[game.Coalition]float64{}
	for range 20000 {
		count[r.subset(3)]++
	}
	chi := 0.0
	for _, c := range count {
		chi += (c - 1000) * (c - 1000) / 1000
	}
	// 99.99 % of χ² with 19 degrees of freedom.
	if len(count) != 20 || chi > 50.8 {
		t.Errorf("%d subsets, χ² %v", len(count), chi)
	}
}

func TestPlan(t *testing.T) {
	r, err := newRun(t.Context(), FromTable(random(3, 1)), 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	p := r.plan()
	a, b, c, d := game.Of(0), game.Of(1), game.Of(2), game.Of(0, 1)
	switch {
	case !p.add(a, a, game.Coalition{}), p.left != 2:
		t.Error("equal and known coalitions cost")
	case !p.add(a, b), p.left != 1:
		t.Error("a planned coalition costs")
	case p.add(c, d), p.left != 1, p.in[c], len(p.order) != 2:
		t.Error("half a group was planned")
	case !p.add(d), p.left != 0:
		t.Error("the last place can't be had")
	}
}

// Designs have distinct pairs, single players first, and are dense when asked.
func TestPairDesign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "players")
		budget := rapid.IntRange(2, 1<<n-2).Draw(t, "budget")
		r, err := newRun(t.Context(), FromTable(random(n, 1)), budget, rapid.Uint64().Draw(t, "seed"))
		if err != nil {
			t.Fatal(err)
		}
		p := r.plan()
		sets := r.pairDesign(p)
		if len(sets) != budget/2 {
			t.Errorf("%d pairs for %d coalitions", len(sets), budget)
		}
		seen := map[game.Coalition]bool{}
		for _, c := range sets {
			if seen[c] || seen[r.complement(c)] || c.IsEmpty() || c == game.Full(n) {
				t.Errorf("%v is no new pair", c)
			}
			seen[c] = true
		}
		if n > 2 {
			for _, c := range sets[:min(n, len(sets))] {
				if c.Len() != 1 {
					t.Errorf("%v comes before all single players", c)
				}
			}
		}
	})
}

// spread shares out all pairs as long as there are any, as evenly as it can.
func TestSpread(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "players")
		pools := pairPools(n)
		all := 0.0
		for _, p := range pools {
			all += p
		}
		if all != math.Ldexp(1, n-1)-1 {
			t.Fatalf("%v pairs in all", all)
		}
		want := rapid.IntRange(0, int(all)).Draw(t, "pairs")
		counts := spread(pools, want)
		got, most := 0, slices.Max(counts)
		for s, c := range counts {
			got += c
			if float64(c) > pools[s] || (s > 0 && c < most-1 && float64(c) < pools[s]) {
				t.Errorf("counts %v of pools %v", counts, pools)
			}
		}
		if got != want {
			t.Errorf("%d shared out, want %d", got, want)
		}
	})
}

func TestLevels(t *testing.T) {
	for n := 2; n <= 256; n++ {
		l, ok := newLevels(&pairs{n: n, sets: make([]game.Coalition, 1), size: []int{n}, y: []float64{2}})
		if !ok {
			t.Fatalf("%d players: no levels", n)
		}
		if l.knots[0] != 0 || l.knots[len(l.knots)-1] != n/2 || !slices.IsSorted(l.knots) {
			t.Errorf("%d players: knots %v", n, l.knots)
		}
		at := make([]float64, len(l.knots))
		for k := range at {
			at[k] = float64(k * k)
		}
		byClass := l.byClass(at)
		for k, c := range l.knots {
			if byClass[c] != at[k] {
				t.Errorf("%d players: level at knot %d is %v", n, c, byClass[c])
			}
		}
		// The derivatives are those of byClass, which is linear.
		for c := range byClass {
			grad := make([]float64, len(at))
			l.spread(grad, c, 1)
			x := 0.0
			for k := range grad {
				x += grad[k] * at[k]
			}
			if math.Abs(x-byClass[c]) > 1e-9 {
				t.Errorf("%d players: class %d is %v by derivatives, %v", n, c, x, byClass[c])
			}
		}
	}
	if _, ok := newLevels(&pairs{n: 3, size: []int{3}, y: []float64{0}, sets: make([]game.Coalition, 1)}); ok {
		t.Error("levels of nothing")
	}
}
