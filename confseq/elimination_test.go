package confseq

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// slowWealth computes the e-value of a pair's bets from the whole history of differences d (d[s] is the difference bet
// on at s, history[s] those of the same pair before s), in logarithms, straight from the definition.
func slowWealth(kind Bet, batch int, bets []float64, pasts [][]float64) float64 {
	fitted, constant := 0.0, make([]float64, len(grid))
	for s, d := range bets {
		t := float64(len(pasts[s]) + 1)
		sum, square := 0.0, 0.0
		for _, x := range pasts[s] {
			sum += x
			square += x * x
		}
		null := 0.0
		if batch > 0 {
			null = -sum / float64(batch-len(pasts[s]))
		}
		if 1+null < 1e-9 {
			continue
		}
		m := sum / t
		v := math.Max((square+0.25)/t-m*m, 1e-4)
		worst := 1 / (1 + null) // the stake that may lose everything
		stake := math.Min(math.Max((m-null)/(v+(m-null)*(m-null)), 0), 0.8*worst)
		fitted += math.Log(1 + stake*(d-null))
		for k, g := range grid {
			constant[k] += math.Log(1 + g*worst*(d-null))
		}
	}
	mean := 0.0
	for _, l := range constant {
		mean += math.Exp(l) / float64(len(grid))
	}
	switch kind {
	case BetAGRAPA:
		return math.Exp(fitted)
	case BetGrid:
		return mean
	}
	return (math.Exp(fitted) + mean) / 2
}

// slowElimination returns the e-value of every candidate set, recomputing everything from the stream.
func slowElimination(o Options, sets [][]int, xs [][]float64) []float64 {
	out := make([]float64, len(sets))
	for c, set := range sets {
		inside := map[int]bool{}
		for _, p := range set {
			inside[p] = true
		}
		var bets []float64
		var pasts [][]float64
		for t := range xs {
			best, worst := -1, -1
			for p := range o.Players {
				sum := func(p int) (s float64) {
					for _, x := range xs[:t] {
						s += x[p]
					}
					return s
				}
				if !inside[p] && (best < 0 || sum(p) > sum(best)) {
					best = p
				}
				if inside[p] && (worst < 0 || sum(p) <= sum(worst)) {
					worst = p
				}
			}
			var past []float64
			for _, x := range xs[:t] {
				past = append(past, (x[best]-x[worst])/o.Spread)
			}
			bets = append(bets, (xs[t][best]-xs[t][worst])/o.Spread)
			pasts = append(pasts, past)
		}
		out[c] = slowWealth(o.Bet, o.Batch, bets, pasts)
	}
	return out
}

// eighths draws vectors of multiples of 1/8, so that sums are exact and ties are common.
func eighths(t *rapid.T, players, maxLen int) [][]float64 {
	vector := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) float64 {
		return float64(rapid.IntRange(-4, 4).Draw(t, "eighths")) / 8
	}), players, players)
	return rapid.SliceOfN(vector, 1, maxLen).Draw(t, "stream")
}

func TestEliminationAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "players")
		o := Options{
			Players: n, Delta: 1e-12, Low: -1, High: 1, Goal: TopK, TopK: rapid.IntRange(1, n-1).Draw(t, "k"),
			Spread: rapid.SampledFrom([]float64{1, 2}).Draw(t, "spread"),
			Bet:    rapid.SampledFrom([]Bet{BetMix, BetAGRAPA, BetGrid}).Draw(t, "bet"),
		}
		xs := eighths(t, n, 25)
		if rapid.Bool().Draw(t, "finite") {
			o.Batch = len(xs) + rapid.IntRange(0, 5).Draw(t, "more")
		}
		e, err := NewElimination(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range xs {
			if err := e.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		var sets [][]int
		for _, c := range e.Candidates() {
			sets = append(sets, c.Players)
		}
		want := slowElimination(o, sets, xs)
		for c, got := range e.Candidates() {
			if math.Abs(got.E-want[c]) > 1e-9*want[c] {
				t.Fatalf("e-value against %v is %v: want %v", got.Players, got.E, want[c])
			}
		}
	})
}

// The names of the players must not matter, beyond which of two equal ones comes first.
func TestEliminationIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64Range(-0.9, 0.9), 4, 4), 2, 40).Draw(t, "stream")
		perm := rapid.Permutation([]int{0, 1, 2, 3}).Draw(t, "perm")
		var a, b *Elimination
		for _, e := range []**Elimination{&a, &b} {
			var err error
			if *e, err = NewElimination(Options{Players: 4, Bet: BetAGRAPA}); err != nil {
				t.Fatal(err)
			}
		}
		for i := range xs[0] {
			xs[0][i] += float64(i*i) * math.Pi * 1e-6 // no ties later on
		}
		for _, x := range xs {
			y := make([]float64, 4)
			for i, p := range perm {
				y[p] = x[i]
			}
			if err := errors.Join(a.Add(x), b.Add(y)); err != nil {
				t.Fatal(err)
			}
		}
		for i, c := range a.Candidates() {
			if d := b.Candidates()[perm[i]]; math.Abs(c.E-d.E) > 1e-9*c.E || c.Out != d.Out {
				t.Fatalf("player %d has %+v, under its other name %+v", i, c, d)
			}
		}
	})
}

func TestEliminationNeverNegative(t *testing.T) {
	for _, kind := range []Bet{BetMix, BetAGRAPA, BetGrid} {
		for _, batch := range []int{0, 500} {
			e, err := NewElimination(Options{Players: 2, Low: 0, High: 1, Bet: kind, Batch: batch})
			if err != nil {
				t.Fatal(err)
			}
			for s := range 500 {
				x := []float64{1, 0} // for the bets against player 0 the difference is −1
				if s < 40 {
					x = []float64{0, 1} // first player 1 leads, so that stakes are high
				}
				if err := e.Add(x); err != nil {
					t.Fatal(err)
				}
				for _, c := range e.Candidates() {
					if !(c.E >= 0) || math.IsInf(c.E, 0) || !(c.P > 0 && c.P <= 1) {
						t.Fatalf("bet %s, vector %d: %+v", kind, s, c)
					}
				}
			}
		}
	}
}

// When the batch ends, exactly those that aren't a best one are out.
func TestEliminationCertainAtTheEnd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "players")
		k := rapid.IntRange(1, n-1).Draw(t, "k")
		xs := eighths(t, n, 20)
		e, err := NewElimination(Options{Players: n, Delta: 1e-9, Goal: TopK, TopK: k, Batch: len(xs)})
		if err != nil {
			t.Fatal(err)
		}
		total := make([]float64, n)
		for _, x := range xs {
			if err := e.Add(x); err != nil {
				t.Fatal(err)
			}
			for i := range total {
				total[i] += x[i]
			}
		}
		best := 0
		for _, c := range e.Candidates() {
			inside := map[int]bool{}
			for _, p := range c.Players {
				inside[p] = true
			}
			wrong := false
			for a := range total {
				for b := range total {
					wrong = wrong || !inside[a] && inside[b] && total[a] > total[b]
				}
			}
			if c.Out != wrong {
				t.Fatalf("totals %v: set %v is out %v: want %v", total, c.Players, c.Out, wrong)
			}
			if !wrong {
				best++
			}
		}
		if _, ok := e.Stopped(); ok != (best == 1) {
			t.Fatalf("totals %v: stopped %v with %d best sets", total, ok, best)
		}
	})
}

// A loser whom the remaining cases could still lift to a tie isn't out; one case later it is.
func TestEliminationCertainBeforeTheEnd(t *testing.T) {
	e, err := NewElimination(Options{Players: 2, Low: 0, High: 1, Batch: 10, Delta: 1e-9})
	if err != nil {
		t.Fatal(err)
	}
	for s := range 6 {
		if _, ok := e.Stopped(); ok {
			t.Fatalf("declared after %d of 10", s)
		}
		if err := e.Add([]float64{1, 0}); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]int{0}, e.Leaders()); diff != "" {
		t.Errorf("6 of 10 won: leaders (-want +got):\n%s", diff)
	}
}

// At the end of a batch bounds leave in doubt what their widths leave open, and nothing else.
func TestEliminationBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		xs := eighths(t, 2, 15)
		batch := 0
		if rapid.Bool().Draw(t, "finite") {
			batch = len(xs)
		}
		e, err := NewElimination(Options{Players: 2, Delta: 1e-9, Batch: batch})
		if err != nil {
			t.Fatal(err)
		}
		total, open := 0.0, 0.0
		for _, x := range xs {
			w := float64(rapid.IntRange(0, 2).Draw(t, "width")) / 8
			if err := e.AddBounds([]float64{x[0] - w, x[1] - w}, []float64{x[0] + w, x[1] + w}); err != nil {
				t.Fatal(err)
			}
			total += x[0] - x[1]
			open += 2 * w
		}
		c := e.Candidates()
		for i, lead := range []float64{-total, total} {
			if batch > 0 && c[i].Out != (lead > open) {
				t.Fatalf("player %d is behind by %v ± %v at the end: out is %v", i, lead, open, c[i].Out)
			}
			if c[i].E < 0 {
				t.Fatalf("wealth %v", c[i].E)
			}
		}
	})
}

func TestEliminationBoundsSlowerThanValues(t *testing.T) {
	count := func(width float64) int {
		e, err := NewElimination(Options{Players: 3, Spread: 1})
		if err != nil {
			t.Fatal(err)
		}
		for e.Count() < 1000 {
			if _, ok := e.Stopped(); ok {
				break
			}
			x := []float64{.1, .1, .4}
			if e.Count()%2 == 0 {
				x = []float64{.2, .1, .2}
			}
			low, high := make([]float64, 3), make([]float64, 3)
			for i := range x {
				low[i], high[i] = x[i]-width, x[i]+width
			}
			if err := e.AddBounds(low, high); err != nil {
				t.Fatal(err)
			}
		}
		return e.Count()
	}
	exact, near, useless := count(0), count(0.02), count(0.2)
	if !(exact < near && near < useless && useless == 1000) {
		t.Errorf("stopped after %d, with bounds ±0.02 after %d, with ±0.2 after %d", exact, near, useless)
	}
}

func TestEliminationKeepsWhatItDeclared(t *testing.T) {
	e, err := NewElimination(Options{Players: 2, Low: 0, High: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		if err := e.Add([]float64{0, 1}); err != nil {
			t.Fatal(err)
		}
	}
	for range 200 {
		if err := e.Add([]float64{1, 0}); err != nil {
			t.Fatal(err)
		}
	}
	e.Close(ReasonBudget)
	if reason, _ := e.Stopped(); reason != ReasonTop1 || e.Leaders()[0] != 1 {
		t.Errorf("after the tide has turned: %q, %v: want what was declared first", reason, e.Leaders())
	}
}

func TestTooManySets(t *testing.T) {
	_, err := NewElimination(Options{Players: 30, Goal: TopK, TopK: 4})
	if !errors.Is(err, ErrTooManySets) {
		t.Errorf("choosing 4 of 30: %v: want ErrTooManySets", err)
	}
	if _, err := NewElimination(Options{Players: 1000}); err != nil {
		t.Errorf("one of 1000 players: %v", err)
	}
}

func TestSubsets(t *testing.T) {
	sets, ok := subsets(4, 2, 6)
	want := [][]int{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}
	if diff := cmp.Diff(want, sets); diff != "" || !ok {
		t.Errorf("pairs of 4 (-want +got), ok %v:\n%s", ok, diff)
	}
	if _, ok := subsets(4, 2, 5); ok {
		t.Error("6 sets are within a limit of 5")
	}
}

func BenchmarkEliminationAdd(b *testing.B) {
	for _, n := range []int{8, 64} {
		b.Run(fmt.Sprintf("players=%d", n), func(b *testing.B) {
			xs := make([][]float64, 100)
			for t := range xs {
				xs[t] = make([]float64, n)
				xs[t][t%n], xs[t][t*t%n] = 0.5, 0.25
			}
			e, err := NewElimination(Options{Players: n, Spread: 1})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := e.Add(xs[i%len(xs)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
