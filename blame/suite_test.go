package blame

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/game"
)

// A tableGame is a game written out, with what a run costs under each coalition.
type tableGame struct{ values, costs []float64 }

// randomGame draws one. Few costs and levels make for ties.
func randomGame(rng *rand.Rand, n int) tableGame {
	g := tableGame{make([]float64, 1<<n), make([]float64, 1<<n)}
	for mask := range g.values {
		g.costs[mask] = float64(rng.IntN(3)) / 2
		if rng.IntN(3) == 0 {
			g.values[mask] = float64(1+rng.IntN(2)) / 2
		}
	}
	return g
}

// diagram is the game as a tree.
func (g tableGame) diagram(t *testing.T) *game.Diagram {
	t.Helper()
	n := bits.Len(uint(len(g.values))) - 1
	b := game.NewBuilder(n)
	var build func(player, mask int) game.Edge
	build = func(player, mask int) game.Edge {
		if player == n {
			return game.Edge{To: b.Leaf(g.values[mask]), Cost: g.costs[mask]}
		}
		lo, hi := build(player+1, mask), build(player+1, mask|1<<player)
		return game.Edge{To: b.Node(player, lo, hi)}
	}
	d, err := b.Build(build(0, 0))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// randomSuite draws failing cases of one or two worlds.
func randomSuite(t *testing.T, rng *rand.Rand, n, cases int) (games [][]tableGame, all []*caseGame) {
	worlds := 1 + rng.IntN(2)
	for range cases {
		var ws []tableGame
		g := &caseGame{names: names(n)}
		for range worlds {
			w := randomGame(rng, n)
			ws = append(ws, w)
			g.worlds = append(g.worlds, w.diagram(t))
		}
		games, all = append(games, ws), append(all, g)
	}
	return games, all
}

func names(n int) []string {
	var out []string
	for i := range n {
		out = append(out, string(rune('a'+i)))
	}
	return out
}

// passesAndCosts adds up the share of worlds in which each coalition passes, over cases,
// and what a run costs.
func passesAndCosts(games [][]tableGame, pass float64) (passes, costs []float64) {
	passes, costs = make([]float64, len(games[0][0].values)), make([]float64, len(games[0][0].values))
	for _, worlds := range games {
		for _, w := range worlds {
			for mask, v := range w.values {
				if v >= pass {
					passes[mask] += 1 / float64(len(worlds))
				}
				costs[mask] += w.costs[mask] / float64(len(worlds))
			}
		}
	}
	return passes, costs
}

// members are the names of a set.
func members(mask int, names []string) []string {
	out := []string{}
	for i, name := range names {
		if mask>>i&1 == 1 {
			out = append(out, name)
		}
	}
	return out
}

// TestExactPlan searches all sets by another way: sorting them.
func TestExactPlan(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for round := range 60 {
		n := 1 + rng.IntN(7)
		if round < 2 {
			n = 12
		}
		games, all := randomSuite(t, rng, n, 1+rng.IntN(6))
		pass := []float64{0.5, 1}[rng.IntN(2)]
		s := newSuite(names(n), pass)
		for _, g := range all {
			s.add(g)
		}
		passes, costs := passesAndCosts(games, pass)
		var want []PlanSet
		for k := 1; k <= n; k++ {
			var sets []int
			for mask := range passes {
				if bits.OnesCount(uint(mask)) == k {
					sets = append(sets, mask)
				}
			}
			best := slices.MinFunc(sets, func(a, b int) int {
				switch {
				case passes[a] != passes[b]:
					return int(2 * (passes[b] - passes[a]))
				case costs[a] != costs[b]:
					return int(4 * (costs[a] - costs[b]))
				}
				return slices.Compare(members(a, s.names), members(b, s.names))
			})
			cases := float64(len(games))
			want = append(want, PlanSet{Fixes: members(best, s.names), Resolves: passes[best] / cases, Cost: costs[best] / cases})
		}
		most := slices.MaxFunc(want, func(a, b PlanSet) int { return int(1000 * (a.Resolves - b.Resolves)) })
		for k := range want {
			if want[k].Resolves == most.Resolves {
				want = want[:k+1]
				break
			}
		}
		got := s.plan()
		if most.Resolves == 0 {
			if got != nil {
				t.Fatalf("nothing resolves anything, and the plan is %+v", got)
			}
			continue
		}
		if diff := cmp.Diff(want, got.Sets); diff != "" || !got.Exact {
			t.Fatalf("%d players, %d cases, exact %v (-want +got):\n%s", n, len(games), got.Exact, diff)
		}
	}
}

// TestGreedyGap holds the gap of a greedy plan against the best sets.
func TestGreedyGap(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	apart, tight := 0, 0
	for range 300 {
		n := 2 + rng.IntN(5)
		games, all := randomSuite(t, rng, n, 1+rng.IntN(5))
		s := newSuite(names(n), 1)
		s.passing, s.cost = nil, nil // as for more players
		for _, g := range all {
			s.add(g)
		}
		passes, costs := passesAndCosts(games, 1)
		best := make([]float64, n+1)
		for mask, p := range passes {
			best[bits.OnesCount(uint(mask))] = max(best[bits.OnesCount(uint(mask))], p)
		}
		got := s.plan()
		if got == nil {
			continue
		}
		at := 0
		for k, set := range got.Sets {
			mask := 0
			for _, fix := range set.Fixes {
				mask |= 1 << slices.Index(s.names, fix)
			}
			if bits.OnesCount(uint(mask)) != k+1 || mask&at != at {
				t.Fatalf("set %d of %+v doesn't add a fix", k, got.Sets)
			}
			at = mask
			cases := float64(len(games))
			if d := set.Resolves - passes[mask]/cases; d > 1e-12 || d < -1e-12 {
				t.Fatalf("%v resolves %v, want %v", set.Fixes, set.Resolves, passes[mask]/cases)
			}
			if d := set.Cost - costs[mask]/cases; d > 1e-12 || d < -1e-12 {
				t.Fatalf("%v costs %v, want %v", set.Fixes, set.Cost, costs[mask]/cases)
			}
			short := best[k+1]/cases - set.Resolves
			if short > set.Gap+1e-12 {
				t.Fatalf("%v resolves %v less than the best set, and the gap is said to be %v", set.Fixes, short, set.Gap)
			}
			if short > 1e-9 {
				apart++
			}
			if set.Gap < short+1e-9 {
				tight++
			}
		}
		if got.Exact {
			t.Fatal("a greedy plan says that it is exact")
		}
	}
	if apart == 0 || tight == 0 {
		t.Errorf("greedy sets were worse %d times, and their gap exact %d times", apart, tight)
	}
}
