package confseq

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestFamilyIsItsSequences(t *testing.T) {
	for _, kind := range []Kind{KindHedged, KindPlugIn, KindAsymptotic} {
		f, err := NewFamily(kind, Options{Players: 3, Delta: 0.06, Spread: 1})
		if err != nil {
			t.Fatal(err)
		}
		mean := newSequence(kind, SequenceOptions{Delta: 0.02, Low: -1, High: 1})
		diff := newSequence(kind, SequenceOptions{Delta: 0.06, Low: -1, High: 1}) // 2δ/(n−1), the level of the goal
		r := rand.New(rand.NewPCG(6, 6))
		for range 100 {
			x := []float64{r.Float64() / 2, r.Float64() / 2, r.Float64() / 2}
			if err := f.Add(x); err != nil {
				t.Fatal(err)
			}
			mean.add(x[1])
			diff.add(x[1] - x[2])
		}
		if d := cmp.Diff(mean.interval(0.02), f.Intervals()[1]); d != "" {
			t.Errorf("%s: mean of player 1 (-want +got):\n%s", kind, d)
		}
		want := diff.interval(0.02) // three differences share δ
		if d := cmp.Diff(want, f.Difference(1, 2)); d != "" {
			t.Errorf("%s: difference of 1 and 2 (-want +got):\n%s", kind, d)
		}
		back := f.Difference(2, 1)
		if back.Low != -want.High || back.High != -want.Low || back.Mean != -want.Mean {
			t.Errorf("%s: difference of 2 and 1 is %v: want the mirror of %v", kind, back, want)
		}
		if (f.Difference(1, 1) != Interval{}) {
			t.Errorf("%s: a player differs from itself by %v", kind, f.Difference(1, 1))
		}
		above, below := f.pair(1, 2).low.above(0, 0.06), f.pair(1, 2).high.below(0, 0.06)
		if f.beats(1, 2) != above || f.beats(2, 1) != below {
			t.Errorf("%s: beats disagrees with the interval", kind)
		}
	}
}

func TestFamilyWidth(t *testing.T) {
	f, err := NewFamily(KindHedged, Options{Players: 2, Low: 0, High: 1, Goal: Width, Width: 0.1, Running: true})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	for f.Count() < 2000 {
		if reason, ok := f.Stopped(); ok {
			if reason != ReasonWidth || f.Leaders() != nil {
				t.Errorf("stopped for %q with leaders %v", reason, f.Leaders())
			}
			break
		}
		if err := f.Add([]float64{r.Float64(), r.Float64()}); err != nil {
			t.Fatal(err)
		}
	}
	for i, interval := range f.Intervals() {
		if interval.Radius() > 0.1 || !interval.Contains(0.5) {
			t.Errorf("player %d has %v after %d vectors", i, interval, f.Count())
		}
	}
	if f.Count() > 300 {
		t.Errorf("a radius of 0.1 took %d vectors", f.Count())
	}
}

// Between two looks Close still finds what is decided.
func TestFamilyCloseLooks(t *testing.T) {
	stop := 0
	for n := 1; stop == 0; n++ {
		f, err := NewFamily(KindPlugIn, Options{Players: 2, Low: 0, High: 1})
		if err != nil {
			t.Fatal(err)
		}
		f.next = math.MaxInt // no look of its own
		for range n {
			if err := f.Add([]float64{.7, .3}); err != nil {
				t.Fatal(err)
			}
		}
		f.Close(ReasonBudget)
		if reason, _ := f.Stopped(); reason == ReasonTop1 {
			stop = n
		}
		if n > 500 {
			t.Fatal("never declared")
		}
	}
}

func TestFamilyBounds(t *testing.T) {
	for _, kind := range []Kind{KindHedged, KindPlugIn} {
		exact, err := NewFamily(kind, Options{Players: 2, Low: 0, High: 1})
		if err != nil {
			t.Fatal(err)
		}
		loose, err := NewFamily(kind, Options{Players: 2, Low: 0, High: 1})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(8, 8))
		sum := make([]float64, 2)
		for s := range 200 {
			x := []float64{.1 + .8*r.Float64(), .1 + .4*r.Float64()}
			w := 0.0
			if s%4 == 3 { // every fourth case was cut short
				w = 0.1
			}
			if err := exact.Add(x); err != nil {
				t.Fatal(err)
			}
			if err := loose.AddBounds([]float64{x[0] - w, x[1] - w}, []float64{x[0] + w, x[1] + w}); err != nil {
				t.Fatal(err)
			}
			sum[0] += x[0] / 200
			sum[1] += x[1] / 200
		}
		for i, got := range loose.Intervals() {
			want := exact.Intervals()[i]
			want.Low, want.High = want.Low-0.025, want.High+0.025 // the mean width of the bounds
			if d := cmp.Diff(want, got, cmpopts.EquateApprox(0, 0.01)); d != "" {
				t.Errorf("%s: player %d (-exact and room for bounds, +got):\n%s", kind, i, d)
			}
		}
		low, tight := loose.Difference(0, 1), exact.Difference(0, 1)
		if !(low.Low < tight.Low && low.High > tight.High && low.Contains(sum[0]-sum[1])) {
			t.Errorf("%s: difference is %v with bounds, %v without", kind, low, tight)
		}
	}
}
