package game

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"pgregory.net/rapid"
)

// fixed returns the diagram of v for n players, one node a coalition prefix:
// the plainest possible, against which others are compared.
func fixed(n int, v func(uint64) float64) *Diagram {
	b := NewBuilder(n)
	var build func(player int, mask uint64) Ref
	build = func(player int, mask uint64) Ref {
		if player == n {
			return b.Leaf(v(mask))
		}
		lo := build(player+1, mask)
		return b.Node(player, Edge{To: lo}, Edge{To: build(player+1, mask|1<<player)})
	}
	return must(b.Build(Edge{To: build(0, 0)}))
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// refund is the game of the worked example: planner, retriever, writer,
// reviewer, where the first two repair alone and the last two together.
func refund() *Diagram {
	return fixed(4, func(s uint64) float64 {
		return indicator(s&1 != 0 || s&2 != 0 || s&12 == 12)
	})
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// threshold returns the diagram of Σ weight ≥ quota, with merged states.
func threshold(weights []int, quota int) *Diagram {
	b := NewBuilder(len(weights))
	memo := map[[2]int]Ref{}
	rest := make([]int, len(weights)+1)
	for i := len(weights) - 1; i >= 0; i-- {
		rest[i] = rest[i+1] + weights[i]
	}
	var build func(player, need int) Ref
	build = func(player, need int) Ref {
		if need <= 0 {
			return b.Leaf(1)
		}
		if need > rest[player] {
			return b.Leaf(0)
		}
		key := [2]int{player, need}
		if r, ok := memo[key]; ok {
			return r
		}
		r := b.Node(player, Edge{To: build(player+1, need)}, Edge{To: build(player+1, need-weights[player])})
		memo[key] = r
		return r
	}
	return must(b.Build(Edge{To: build(0, quota)}))
}

func equalWeights(n int) []int {
	w := make([]int, n)
	for i := range w {
		w[i] = 1
	}
	return w
}

// counting returns v(S) = value[|S|], states merged by size.
func counting(value []float64) *Diagram {
	n := len(value) - 1
	b := NewBuilder(n)
	row := make([]Ref, n+1)
	for k := range row {
		row[k] = b.Leaf(value[k])
	}
	for player := n - 1; player >= 0; player-- {
		for k := range player + 1 {
			row[k] = b.Node(player, Edge{To: row[k]}, Edge{To: row[k+1]})
		}
	}
	return must(b.Build(Edge{To: row[0]}))
}

// parity returns v(S) = |S| mod 2: permuting transitions, full degree.
func parity(n int) *Diagram {
	value := make([]float64, n+1)
	for k := range value {
		value[k] = float64(k % 2)
	}
	return counting(value)
}

// randomDiagram draws a diagram whose paths ask players in different orders,
// skip players, and meet again. unknown is the share of unknown leaves.
func randomDiagram(rng *rand.Rand, n int, unknown float64) *Diagram {
	b := NewBuilder(n)
	leaf := func() Ref {
		switch {
		case rng.Float64() < unknown:
			return b.Unknown()
		case rng.IntN(3) > 0:
			return b.Leaf(float64(rng.IntN(2)))
		}
		return b.Leaf(rng.Float64())
	}
	cost := func(r Ref) Edge { return Edge{To: r, Cost: float64(rng.IntN(4))} }
	// visit returns a place that asks for some of the free players only.
	var visit func(free Coalition) Ref
	visit = func(free Coalition) Ref {
		for range 3 {
			if len(b.nodes) == 0 || rng.IntN(3) > 0 && len(b.nodes) < 150 {
				break
			}
			r := Ref(rng.IntN(len(b.nodes)))
			if b.info(r).asked.SubsetOf(free) {
				return r
			}
		}
		if free.IsEmpty() || rng.IntN(12) == 0 || len(b.nodes) > 200 {
			return leaf()
		}
		players := free.Slice()
		player := players[rng.IntN(len(players))]
		free = free.Without(player)
		if rng.IntN(8) == 0 {
			free = free.Without(players[rng.IntN(len(players))])
		}
		lo := visit(free)
		hi := lo
		if rng.IntN(8) > 0 {
			hi = visit(free)
		}
		return b.Node(player, cost(lo), cost(hi))
	}
	return must(b.Build(cost(visit(Full(n)))))
}

func drawDiagram(t *rapid.T, maxPlayers int) *Diagram {
	n := rapid.IntRange(1, maxPlayers).Draw(t, "players")
	seed := rapid.Uint64().Draw(t, "seed")
	return randomDiagram(rand.New(rand.NewPCG(seed, 1)), n, 0)
}

// enumerate returns the 2ⁿ values by walking.
func enumerate(d *Diagram) []float64 {
	v := make([]float64, 1<<d.Players())
	for s := range v {
		v[s] = d.Value(FromMask(uint64(s)))
	}
	return v
}

// bruteWeighted returns Σ weight(|S|)·(v(S∪i) − v(S)) over S without i.
func bruteWeighted(n int, v []float64, weight func(s int) float64) []float64 {
	phi := make([]float64, n)
	for i := range n {
		for s := range v {
			if s>>i&1 == 0 {
				phi[i] += weight(bits.OnesCount(uint(s))) * (v[s|1<<i] - v[s])
			}
		}
	}
	return phi
}

func bruteShapley(n int, v []float64) []float64 {
	return bruteWeighted(n, v, func(s int) float64 { return 1 / (float64(n) * binomial(n-1, s)) })
}

func binomial(n, k int) float64 {
	if k < 0 || k > n {
		return 0
	}
	c := 1.0
	for i := range k {
		c = c * float64(n-i) / float64(i+1)
	}
	return math.Round(c)
}

func near(t fataler, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d values, want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= tolerance) {
			t.Fatalf("%s[%d] = %v, want %v (difference %.2g)\n got %v\nwant %v", what, i, got[i], want[i], got[i]-want[i], got, want)
		}
	}
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// fataler is what testing.T and rapid.T have in common here.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}
