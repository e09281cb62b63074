package confseq

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPairsAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := eighths(t, 3, 25)
		o := Options{Players: 3, Bet: rapid.SampledFrom([]Bet{BetMix, BetAGRAPA, BetGrid}).Draw(t, "bet"), Delta: 1e-9}
		if rapid.Bool().Draw(t, "finite") {
			o.Batch = len(xs) + rapid.IntRange(0, 5).Draw(t, "more")
		}
		p, err := NewPairs(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range xs {
			if err := p.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 3 {
			for j := range 3 {
				if i == j {
					continue
				}
				var bets []float64
				var pasts [][]float64
				for t, x := range xs {
					bets = append(bets, (x[i]-x[j])/2)
					pasts = append(pasts, bets[:t:t])
				}
				if got, want := p.E(i, j), slowWealth(o.Bet, o.Batch, bets, pasts); math.Abs(got-want) > 1e-9*want {
					t.Fatalf("e-value for %d against %d is %v: want %v", i, j, got, want)
				}
			}
		}
	})
}

func TestPairsGoals(t *testing.T) {
	for _, c := range []struct {
		name    string
		options Options
		means   []float64
		want    []int
	}{
		{"top1", Options{}, []float64{.1, .5, .1, .1}, []int{1}},
		{"top2", Options{Goal: TopK, TopK: 2}, []float64{.1, .6, .1, .4}, []int{1, 3}},
		{"ranking", Options{Goal: Ranking}, []float64{.2, .5, .8, 0}, []int{2, 1, 0, 3}},
		{"ranking with a tie", Options{Goal: Ranking}, []float64{.2, .5, .2, 0}, nil},
		{"budget", Options{Goal: Budget}, []float64{.1, .5, .1, .1}, nil},
	} {
		c.options.Players = 4
		for _, name := range []string{"pairs", "hedged"} {
			rule, err := New(name, c.options)
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			for range 600 {
				x := make([]float64, 4)
				for i, m := range c.means {
					x[i] = m + (r.Float64()-.5)*.3
				}
				if err := rule.Add(x); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(c.want, rule.Leaders()); diff != "" {
				t.Errorf("%s by %s: leaders (-want +got):\n%s", c.name, name, diff)
			}
		}
	}
}

// At the end of a batch the order of the totals is known, whatever delta is.
func TestPairsCertainAtTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := eighths(t, 4, 30)
		for _, name := range []string{"pairs", "hedged", "plugin"} {
			rule, err := New(name, Options{Players: 4, Delta: 1e-9, Goal: Ranking, Batch: len(xs)})
			if err != nil {
				t.Fatal(err)
			}
			total := make([]float64, 4)
			for _, x := range xs {
				if err := rule.Add(x); err != nil {
					t.Fatal(err)
				}
				for i := range total {
					total[i] += x[i]
				}
			}
			tied := false
			for i := range total {
				for j := range i {
					tied = tied || total[i] == total[j]
				}
			}
			if tied != (rule.Leaders() == nil) {
				t.Fatalf("%s: totals %v at the end: leaders %v", name, total, rule.Leaders())
			}
			for i, p := range rule.Leaders() {
				if i > 0 && total[p] > total[rule.Leaders()[i-1]] {
					t.Fatalf("%s: totals %v are ranked %v", name, total, rule.Leaders())
				}
			}
		}
	})
}

func TestPairsBounds(t *testing.T) {
	p, err := NewPairs(Options{Players: 2, Low: 0, High: 1, Batch: 4, Delta: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := p.AddBounds([]float64{.5, 0}, []float64{1, .5}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Add([]float64{.5, .5}); err != nil {
		t.Fatal(err)
	}
	if p.Beats(0, 1) || p.E(0, 1) > 1 {
		t.Errorf("player 0 beats player 1 (e-value %v), though they may be equal", p.E(0, 1))
	}
}
