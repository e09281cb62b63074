package blame

import (
	"encoding/json"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/game"
)

// TestOrder: the drawn order has every case once, depends on the seed, and puts
// each case everywhere equally often.
func TestOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		o := newOrder(n, rapid.Uint64().Draw(t, "seed"))
		seen := make([]bool, n)
		for k := range n {
			i := o.at(k)
			if i < 0 || i >= n || seen[i] || o.at(k) != i {
				t.Fatalf("case %d comes %d-th, again or out of range", i, k)
			}
			seen[i] = true
		}
	})
	const n, seeds = 10, 5000
	var count [n][n]int
	for seed := range uint64(seeds) {
		o := newOrder(n, seed)
		for k := range n {
			count[k][o.at(k)]++
		}
	}
	// 100 counts of about 500 with a deviation of 21: five of them is 1e-4 for all.
	for k := range n {
		for i := range n {
			if math.Abs(float64(count[k][i]-seeds/n)) > 5*math.Sqrt(seeds/n) {
				t.Errorf("case %d comes %d-th %d times of %d", i, k, count[k][i], seeds)
			}
		}
	}
}

// TestExactValues compares fractions with the definition of the Shapley value,
// summed over all coalitions in rational arithmetic.
func TestExactValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + rng.IntN(7)
		table := make(game.Table, 1<<n)
		for i := range table {
			table[i] = float64(rng.IntN(2))
		}
		values, fractions := exactValues(table.Diagram())
		for i := range n {
			want := new(big.Rat)
			for s := range table {
				if s>>i&1 == 1 {
					continue
				}
				// |S|!(n−|S|−1)!/n! = 1/(n·C(n−1, |S|))
				weight := big.NewRat(1, int64(n)*new(big.Int).Binomial(int64(n-1), int64(bits.OnesCount(uint(s)))).Int64())
				gain := new(big.Rat).SetInt64(int64(table[s|1<<i] - table[s]))
				want.Add(want, gain.Mul(gain, weight))
			}
			if got := fractions[i]; got != want.RatString() {
				t.Fatalf("player %d of %v: %s, want %s", i, table, got, want.RatString())
			}
			if f, _ := want.Float64(); values[i] != f {
				t.Fatalf("player %d of %v: %v, want %v", i, table, values[i], f)
			}
		}
	}
	half := game.Table{0, 0.5}
	if _, fractions := exactValues(half.Diagram()); fractions != nil {
		t.Errorf("scores other than 0 and 1 have the fractions %v", fractions)
	}
}

// TestByPlayer keeps the order of players in JSON, and comes back.
func TestByPlayer(t *testing.T) {
	want := ByPlayer[float64]{{"writer", 0.5}, {"a#1", -1}, {"\"quoted\"\n", 0}}
	text, err := json.Marshal(want)
	if err != nil || string(text) != `{"writer":0.5,"a#1":-1,"\"quoted\"\n":0}` {
		t.Errorf("%s, %v", text, err)
	}
	var got ByPlayer[float64]
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read back (-want +got):\n%s", diff)
	}
	if got.Get("a#1") != -1 || got.Get("b") != 0 {
		t.Errorf("a#1 %v, b %v", got.Get("a#1"), got.Get("b"))
	}
	for _, wrong := range []string{`[]`, `{"a":"x"}`, `{"a":1`, `7`} {
		if err := json.Unmarshal([]byte(wrong), &got); err == nil {
			t.Errorf("%s was read", wrong)
		}
	}
	if _, err := json.Marshal(ByPlayer[float64]{{"a", math.NaN()}}); err == nil {
		t.Error("NaN was written")
	}
}

// TestOrderOfAllSizes goes through every size up to 2000.
func TestOrderOfAllSizes(t *testing.T) {
	for n := range 2001 {
		o, seen := newOrder(n, uint64(n)*7), make([]bool, n)
		for k := range n {
			i := o.at(k)
			if i < 0 || i >= n || seen[i] {
				t.Fatalf("of %d cases, %d comes %d-th, again or out of range", n, i, k)
			}
			seen[i] = true
		}
	}
}
