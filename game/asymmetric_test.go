package game

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestAsymmetricAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiagram(t, 6)
		n := d.Players()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 10))
		rank := rng.Perm(n)
		before := make([]Coalition, n)
		for i := range n {
			for j := range n {
				if rank[j] < rank[i] && rng.IntN(4) == 0 {
					before[i] = before[i].With(j)
				}
			}
		}
		admitted := func(order []int) bool {
			c := Coalition{}
			for _, p := range order {
				if !before[p].SubsetOf(c) {
					return false
				}
				c = c.With(p)
			}
			return true
		}
		got := must(Asymmetric(t.Context(), before, d.Ask))
		near(t, "Asymmetric", got, bruteOrders(n, enumerate(d), admitted), 1e-13)
	})
}

// In a full order a player gets what it adds to all before it, and 256! ways
// to go on overflow nothing.
func TestAsymmetricChain(t *testing.T) {
	n := MaxPlayers
	d := threshold(equalWeights(n), 100)
	before, want := make([]Coalition, n), make([]float64, n)
	for i := range before {
		before[i] = Full(i)
	}
	want[99] = 1
	calls := 0
	count := func(ctx context.Context, c Coalition) (float64, error) {
		calls++
		return d.Ask(ctx, c)
	}
	near(t, "chain", must(Asymmetric(t.Context(), before, count)), want, 1e-12)
	if calls != n+1 {
		t.Errorf("%d coalitions evaluated, want %d", calls, n+1)
	}
}

// Two chains of 100: about 10⁴ coalitions, 10⁵⁸ orders.
func TestAsymmetricTwoChains(t *testing.T) {
	const n = 200
	before := make([]Coalition, n)
	for i := 2; i < n; i++ {
		before[i] = Of(i - 2)
	}
	d := threshold(equalWeights(n), n)
	want := make([]float64, n)
	want[n-1], want[n-2] = 0.5, 0.5
	near(t, "two chains", must(Asymmetric(t.Context(), before, d.Ask)), want, 1e-12)
}

func TestAsymmetricMistakes(t *testing.T) {
	ctx, d := t.Context(), refund()
	if _, err := Asymmetric(ctx, []Coalition{Of(1), Of(0), {}, {}}, d.Ask); err == nil {
		t.Error("a cycle is accepted")
	}
	if _, err := Asymmetric(ctx, []Coalition{Of(4), {}, {}, {}}, d.Ask); err == nil {
		t.Error("a missing player is accepted")
	}
	if _, err := ideals(make([]Coalition, 8), 255); err == nil {
		t.Error("2⁸ coalitions are below 255")
	}
	if _, err := ideals(make([]Coalition, 8), 256); err != nil {
		t.Error(err)
	}
	broken := errors.New("broken")
	_, err := Asymmetric(ctx, make([]Coalition, 4), func(context.Context, Coalition) (float64, error) { return 0, broken })
	if !errors.Is(err, broken) {
		t.Errorf("a failing value gives %v", err)
	}
	b := NewBuilder(1)
	unknown := must(b.Build(Edge{To: b.Unknown()}))
	if _, err := Asymmetric(ctx, make([]Coalition, 1), unknown.Ask); err == nil {
		t.Error("an unknown value is accepted")
	}
	if phi, err := Asymmetric(ctx, nil, d.Ask); len(phi) != 0 || err != nil {
		t.Errorf("nobody: %v, %v", phi, err)
	}
}
