package game

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestRepairsRefund(t *testing.T) {
	r := refund().Repairs(1)
	want := []Coalition{Of(0), Of(1), Of(2, 3)}
	if diff := cmp.Diff(want, r.Smallest(100), compareCoalitions); diff != "" {
		t.Errorf("Smallest (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{1, 1, 2, 2}, r.SmallestWith(nil)); diff != "" {
		t.Errorf("SmallestWith (-want +got):\n%s", diff)
	}
	near(t, "Responsibility", r.Responsibility(nil), []float64{1, 1, 0.5, 0.5}, 0)
	c, cost, ok := r.Cheapest([]float64{5, 5, 2, 2})
	if c != Of(2, 3) || cost != 4 || !ok {
		t.Errorf("Cheapest = %v, %v, %v", c, cost, ok)
	}
}

var compareCoalitions = cmp.Comparer(func(a, b Coalition) bool { return a == b })

func TestRepairsOfHarmfulFixes(t *testing.T) {
	// The second fix breaks what the first repairs, the third mends both.
	d := fixed(3, func(s uint64) float64 { return indicator(s == 1 || s == 7 || s == 6) })
	want := []Coalition{Of(0), Of(1, 2)}
	if diff := cmp.Diff(want, d.Repairs(1).Smallest(9), compareCoalitions); diff != "" {
		t.Errorf("Smallest (-want +got):\n%s", diff)
	}
}

func TestRepairsOfConstantGames(t *testing.T) {
	for value, want := range map[float64][]Coalition{0: nil, 1: {{}}} {
		b := NewBuilder(3)
		r := must(b.Build(Edge{To: b.Leaf(value)})).Repairs(1)
		if diff := cmp.Diff(want, r.Smallest(9), compareCoalitions); diff != "" {
			t.Errorf("v = %v (-want +got):\n%s", value, diff)
		}
		if got := r.SmallestSize(); got != len(want)-1 {
			t.Errorf("v = %v: SmallestSize = %d", value, got)
		}
		if _, _, ok := r.Cheapest(make([]float64, 3)); ok != (len(want) > 0) {
			t.Errorf("v = %v: Cheapest says %v", value, ok)
		}
	}
}

func bruteRepairs(v []float64, pass float64) []Coalition {
	var minimal []Coalition
	for s := range v {
		if !(v[s] >= pass) {
			continue
		}
		is := true
		for sub := (s - 1) & s; s != 0; sub = (sub - 1) & s {
			if v[sub] >= pass {
				is = false
			}
			if sub == 0 {
				break
			}
		}
		if is {
			minimal = append(minimal, FromMask(uint64(s)))
		}
	}
	slices.SortFunc(minimal, Compare)
	return minimal
}

func TestRepairsAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		rng := rand.New(rand.NewPCG(seed, 3))
		d := randomDiagram(rng, 1+rng.IntN(10), 0.1)
		n, pass := d.Players(), 0.2+0.8*rng.Float64()
		want := bruteRepairs(enumerate(d), pass)
		r := d.Repairs(pass)
		if diff := cmp.Diff(want, r.Smallest(1<<n), compareCoalitions); diff != "" {
			t.Fatalf("Smallest (-want +got):\n%s", diff)
		}
		limit := rng.IntN(len(want) + 1)
		if got := r.Smallest(limit); !slices.Equal(got, want[:limit]) {
			t.Fatalf("Smallest(%d) = %v, want %v", limit, got, want[:limit])
		}
		if got := r.Count(); got.Cmp(big.NewInt(int64(len(want)))) != 0 {
			t.Fatalf("Count = %v, want %d", got, len(want))
		}
		for s := range 1 << n {
			c := FromMask(uint64(s))
			if r.Contains(c) != slices.Contains(want, c) {
				t.Fatalf("Contains(%v) = %v", c, r.Contains(c))
			}
		}
		with, costs := make([]int, n), make([]float64, n)
		for i := range costs {
			costs[i] = float64(rng.IntN(3)) // many ties
		}
		least, cheapest := math.Inf(1), Coalition{}
		for _, c := range want {
			price := 0.0
			for i := range c.Players() {
				price += costs[i]
				if with[i] == 0 {
					with[i] = c.Len()
				}
			}
			if price < least {
				least, cheapest = price, c
			}
		}
		if diff := cmp.Diff(with, r.SmallestWith(nil)); diff != "" {
			t.Fatalf("SmallestWith (-want +got):\n%s", diff)
		}
		c, cost, ok := r.Cheapest(costs)
		if ok != (len(want) > 0) || ok && (c != cheapest || cost != least) {
			t.Fatalf("Cheapest = %v, %v, %v, want %v, %v", c, cost, ok, cheapest, least)
		}
	})
}

func TestRepairsOfMajority(t *testing.T) {
	for _, n := range []int{64, 200} {
		r := threshold(equalWeights(n), n/2+1).Repairs(1)
		want := new(big.Int).Binomial(int64(n), int64(n/2+1))
		if got := r.Count(); got.Cmp(want) != 0 {
			t.Errorf("%d players: Count = %v, want %v", n, got, want)
		}
		first := r.Smallest(3)
		for k, c := range first {
			if want := Full(n / 2).With(n/2 + k); c != want {
				t.Errorf("%d players: Smallest[%d] = %v, want %v", n, k, c, want)
			}
		}
		if len(r.nodes) > n*n/2 {
			t.Errorf("%d players: %d nodes", n, len(r.nodes))
		}
	}
}

// Two conjunctions over the players in descending order: the listing must
// still be by ascending numbers.
func TestRepairsListedByNumber(t *testing.T) {
	n := 40
	d := must(threshold(equalWeights(n), 20).Relabel(n, descending(n)))
	if got := d.Repairs(1).Smallest(2); got[0] != Full(20) || got[1] != Full(19).With(20) {
		t.Errorf("Smallest = %v", got)
	}
}

func descending(n int) []int {
	to := make([]int, n)
	for i := range to {
		to[i] = n - 1 - i
	}
	return to
}

func TestRepairsOfAllPlayers(t *testing.T) {
	d := threshold(equalWeights(MaxPlayers), MaxPlayers)
	if got := d.Repairs(1).Smallest(2); len(got) != 1 || got[0] != Full(MaxPlayers) {
		t.Errorf("Smallest = %v", got)
	}
}

func BenchmarkRepairs4(b *testing.B) {
	d := refund()
	b.ReportAllocs()
	for b.Loop() {
		d.Repairs(1).Smallest(100)
	}
}

func BenchmarkRepairs64Majority(b *testing.B) {
	d := threshold(equalWeights(64), 33)
	b.ReportAllocs()
	for b.Loop() {
		d.Repairs(1)
	}
}

func BenchmarkRepairsSmallest64Majority(b *testing.B) {
	r := threshold(equalWeights(64), 33).Repairs(1)
	b.ReportAllocs()
	for b.Loop() {
		r.Smallest(100)
	}
}
