package confseq

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// feed adds a stream of 8 players in which player 6 has the given number of ones among n values, and the others zeros.
func feed(t *testing.T, rule Rule, ones, n int) {
	t.Helper()
	for i := range n {
		x := make([]float64, 8)
		if i < ones {
			x[6] = 1
		}
		if err := rule.Add(x); err != nil {
			t.Fatal(err)
		}
	}
}

// The radii are those which the worked example of the eight-step agent has in print (one permutation a vector).
func TestScheduledPrintedRadii(t *testing.T) {
	for _, c := range []struct {
		name     string
		radius   Radius
		schedule Schedule
		ones, n  int
		want     float64
	}{
		{"16 permutations, fixed", Bernstein, Schedule{Once: 16}, 12, 16, 2.412},
		{"64 permutations, fixed", Bernstein, Schedule{Once: 64}, 42, 64, 0.694},
		{"256 permutations, fixed", Bernstein, Schedule{Once: 256}, 129, 256, 0.231},
		{"adaptive, Bernstein", Bernstein, Schedule{}, 355, 692, 0.169},
		{"adaptive, Hoeffding", Hoeffding, Schedule{}, 355, 692, 0.177},
		{"budget ran out at 4", Bernstein, Schedule{}, 3, 4, 12.075},
	} {
		rule, err := NewScheduled(c.radius, Options{Players: 8, Schedule: c.schedule})
		if err != nil {
			t.Fatal(err)
		}
		feed(t, rule, c.ones, c.n)
		rule.Close(ReasonBudget)
		if got := rule.Intervals()[6].Radius(); math.Abs(got-c.want) > 0.0005 {
			t.Errorf("%s: radius is %.4f: want %v", c.name, got, c.want)
		}
	}
}

func TestRadii(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"hoeffding", HoeffdingRadius(2, 0.05, 100), 2 * math.Sqrt(math.Log(40)/200)},
		{"bernstein", BernsteinRadius(0.04, 1, 0.05, 101), math.Sqrt(0.08*math.Log(80)/101) + 7*math.Log(80)/300},
		{"normal", NormalRadius(0.04, 0.05, 100), 1.959963984540054 * 0.02},
		{"hoeffding of nothing", HoeffdingRadius(2, 0.05, 0), math.Inf(1)},
		{"bernstein of one", BernsteinRadius(0, 1, 0.05, 1), math.Inf(1)},
		{"normal of one", NormalRadius(0, 0.05, 1), math.Inf(1)},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s: radius is %v: want %v", c.name, c.got, c.want)
		}
	}
}

func TestScheduledLooksAtCheckpointsOnly(t *testing.T) {
	rule, err := NewScheduled(Normal, Options{Players: 8})
	if err != nil {
		t.Fatal(err)
	}
	whole := Interval{0, -1, 1}
	feed(t, rule, 3, 7)
	if got := rule.Intervals()[6]; got != whole {
		t.Errorf("before the first checkpoint the interval is %v: want the whole range", got)
	}
	feed(t, rule, 1, 1)
	at8 := rule.Intervals()
	if got := at8[6].Mean; got != 0.5 {
		t.Errorf("mean at 8 is %v: want 0.5", got)
	}
	feed(t, rule, 0, 3)
	if diff := cmp.Diff(at8, rule.Intervals()); diff != "" {
		t.Errorf("intervals changed between checkpoints (-at 8 +at 11):\n%s", diff)
	}
	feed(t, rule, 0, 1)
	if got := rule.Intervals()[6].Mean; got != 4.0/12 {
		t.Errorf("mean at 12 is %v: want 1/3", got)
	}
}

func TestScheduledCloseLooksOnce(t *testing.T) {
	for _, c := range []struct {
		name     string
		schedule Schedule
		n        int
		wantMean float64 // of 2 ones in all
	}{
		{"between checkpoints", Schedule{}, 10, 0.2},
		{"at a checkpoint", Schedule{}, 8, 0.25},
		{"the only look is spent", Schedule{Once: 4}, 10, 0.5},
		{"too few for a variance", Schedule{}, 1, 0},
	} {
		rule, err := NewScheduled(Bernstein, Options{Players: 8, Schedule: c.schedule})
		if err != nil {
			t.Fatal(err)
		}
		feed(t, rule, 2, c.n)
		rule.Close("cases")
		rule.Close("again")
		if got := rule.Intervals()[6].Mean; math.Abs(got-c.wantMean) > 1e-12 {
			t.Errorf("%s: mean after Close is %v: want %v", c.name, got, c.wantMean)
		}
		if reason, ok := rule.Stopped(); reason != "cases" || !ok {
			t.Errorf("%s: stopped is %q, %v: want the first reason", c.name, reason, ok)
		}
		if err := rule.Add(make([]float64, 8)); err == nil {
			t.Errorf("%s: a vector is taken after Close", c.name)
		}
	}
}

func TestScheduledGoals(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	values := func() []float64 { // means 0.8, 0.5, 0.2, 0.2 with little noise
		x := []float64{.8, .5, .2, .2}
		for i := range x {
			x[i] += (r.Float64() - .5) / 10
		}
		return x
	}
	for _, c := range []struct {
		name    string
		options Options
		reason  string
		leaders []int
	}{
		{"top1", Options{Goal: Top1}, ReasonTop1, []int{0}},
		{"topk", Options{Goal: TopK, TopK: 2}, ReasonTopK, []int{0, 1}},
		{"width", Options{Goal: Width, Width: 0.1}, ReasonWidth, nil},
		{"ranking of a tie", Options{Goal: Ranking}, "", nil},
		{"budget", Options{Goal: Budget}, "", nil},
	} {
		c.options.Players = 4
		rule, err := NewScheduled(Bernstein, c.options)
		if err != nil {
			t.Fatal(err)
		}
		for range 1600 {
			if err := rule.Add(values()); err != nil {
				t.Fatal(err)
			}
		}
		if reason, _ := rule.Stopped(); reason != c.reason {
			t.Errorf("%s: reason is %q: want %q", c.name, reason, c.reason)
		}
		if diff := cmp.Diff(c.leaders, rule.Leaders()); diff != "" {
			t.Errorf("%s: leaders (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestScheduledRunning(t *testing.T) {
	plain, err := NewScheduled(Normal, Options{Players: 8})
	if err != nil {
		t.Fatal(err)
	}
	running, err := NewScheduled(Normal, Options{Players: 8, Running: true})
	if err != nil {
		t.Fatal(err)
	}
	feed(t, plain, 0, 8)
	feed(t, running, 0, 8) // an interval without width
	feed(t, plain, 4, 4)
	feed(t, running, 4, 4)
	if got := running.Intervals()[6]; got.Low < 0 || got.High > plain.Intervals()[6].High || got.Radius() >= plain.Intervals()[6].Radius() {
		t.Errorf("running interval is %v beside %v: want it narrower", got, plain.Intervals()[6])
	}
}
