package game

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// permutations yields all orders of the players.
func permutations(players []int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		var permute func(k int) bool
		permute = func(k int) bool {
			if k == len(players) {
				return yield(players)
			}
			for i := k; i < len(players); i++ {
				players[k], players[i] = players[i], players[k]
				ok := permute(k + 1)
				players[k], players[i] = players[i], players[k]
				if !ok {
					return false
				}
			}
			return true
		}
		permute(0)
	}
}

// bruteOrders returns the mean gains over the admitted orders.
func bruteOrders(n int, v []float64, admitted func(order []int) bool) []float64 {
	players := make([]int, n)
	for i := range players {
		players[i] = i
	}
	phi, count := make([]float64, n), 0.0
	for order := range permutations(players) {
		if !admitted(order) {
			continue
		}
		count++
		s := 0
		for _, i := range order {
			phi[i] += v[s|1<<i] - v[s]
			s |= 1 << i
		}
	}
	for i := range phi {
		phi[i] /= count
	}
	return phi
}

func TestOwenAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiagram(t, 6)
		n := d.Players()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "groups"), 9))
		groups := make([]Coalition, 1+rng.IntN(4))
		groupOf := make([]int, n)
		for i := range n {
			groupOf[i] = rng.IntN(len(groups) + 1)
			if groupOf[i] < len(groups) {
				groups[groupOf[i]] = groups[groupOf[i]].With(i)
			} else {
				groupOf[i] += i // alone
			}
		}
		together := func(order []int) bool {
			left := map[int]bool{}
			for k, p := range order {
				if k > 0 && groupOf[p] != groupOf[order[k-1]] {
					left[groupOf[order[k-1]]] = true
				}
				if left[groupOf[p]] {
					return false
				}
			}
			return true
		}
		got := must(d.Owen(groups, nil))
		near(t, "Owen", got, bruteOrders(n, enumerate(d), together), 1e-12)
	})
}

// Groups of one and one group of all are both the plain Shapley value.
func TestOwenOfTrivialGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiagram(t, 10)
		want := d.Shapley(nil)
		near(t, "no groups", must(d.Owen(nil, nil)), want, 1e-13)
		near(t, "one group", must(d.Owen([]Coalition{Full(d.Players())}, nil)), want, 1e-13)
	})
}

// 64 iterations of 8 steps, interleaved in time: too many coalitions to
// enumerate, and groups sum to the values of the game among groups.
func TestOwenOfManyPlayers(t *testing.T) {
	d := threshold(equalWeights(64), 64)
	groups := make([]Coalition, 8)
	want := make([]float64, 64)
	for i := range 64 {
		groups[i%8] = groups[i%8].With(i)
		want[i] = 1. / 64
	}
	near(t, "Owen", must(d.Owen(groups, nil)), want, 1e-12)
}

// Interleaved groups cost states: at a limit it is an error, not a wrong value.
func TestOwenLimit(t *testing.T) {
	d := threshold(equalWeights(16), 9)
	groups := []Coalition{Of(0, 8), Of(1, 9), Of(2, 10), Of(3, 11), Of(4, 12), Of(5, 13), Of(6, 14), Of(7, 15)}
	if _, err := d.quotient(groups, 0, 100); err == nil {
		t.Error("eight open groups fit into 100 states")
	}
	quotient, err := d.quotient(groups, 0, MaxOwenStates)
	if err != nil {
		t.Fatal(err)
	}
	if quotient.Players() != 9 || quotient.Asked() != Full(9) {
		t.Errorf("%d players, asked %v", quotient.Players(), quotient.Asked())
	}
}

func TestOwenOfUnknownGames(t *testing.T) {
	b := NewBuilder(3)
	half := b.Node(1, Edge{To: b.Leaf(0)}, Edge{To: b.Leaf(1)})
	d := must(b.Build(Edge{To: b.Node(0, Edge{To: half}, Edge{To: b.Unknown()})}))
	got := must(d.Owen([]Coalition{Of(1, 2)}, nil))
	if !math.IsNaN(got[0]) || got[1] != 0.5 || got[2] != 0 {
		t.Errorf("Owen = %v, want unknown for player 0 only", got)
	}
}

func TestOwenMistakes(t *testing.T) {
	d := refund()
	for _, groups := range [][]Coalition{{Of(0, 1), Of(1)}, {Of(4)}} {
		if _, err := d.Owen(groups, nil); err == nil {
			t.Errorf("groups %v are accepted", groups)
		}
	}
}
