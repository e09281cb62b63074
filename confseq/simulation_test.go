package confseq

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/agentblame/agentblame/bench/stopping/stream"
)

// The claims of the promises, by simulation with fixed seeds. The large tables are made by bench/stopping.

// tolerated is the share of misses in so many streams that a probability of delta still explains (one-sided 1 %).
func tolerated(delta float64, streams int) float64 {
	return delta + 2.33*math.Sqrt(delta*(1-delta)/float64(streams))
}

// watch runs streams until the rule stops or the horizon is reached, and returns the counts (horizon+1 if never) and
// the share of streams in which another answer was declared than want.
func watch(t *testing.T, name string, o Options, source func() stream.Source, want []int, streams, horizon int) (counts []int, wrong float64) {
	t.Helper()
	o.Players = stream.Steps
	x := make([]float64, stream.Steps)
	for s := range streams {
		rule, err := New(name, o)
		if err != nil {
			t.Fatal(err)
		}
		r, next := rand.New(rand.NewPCG(uint64(s), 2)), source()
		count := horizon + 1
		for rule.Count() < horizon {
			next(r, x)
			if err := rule.Add(x); err != nil {
				t.Fatal(err)
			}
			if _, ok := rule.Stopped(); ok {
				count = rule.Count()
				if !slices.Equal(rule.Leaders(), want) {
					wrong += 1 / float64(streams)
				}
				break
			}
		}
		counts = append(counts, count)
	}
	slices.Sort(counts)
	return counts, wrong
}

func always(s stream.Source) func() stream.Source { return func() stream.Source { return s } }

func TestStoppingTimes(t *testing.T) {
	pool := stream.Agent()
	batch := stream.NewBatch(pool, 154, rand.New(rand.NewPCG(154, 23)))
	for _, c := range []struct {
		rule      string
		options   Options
		source    func() stream.Source
		streams   int
		low, high int // bounds of the median
	}{
		{"elimination", Options{Spread: 1}, always(stream.SeedLike(pool)), 500, 30, 35},
		{"elimination-agrapa", Options{Spread: 1}, always(stream.SeedLike(pool)), 500, 29, 33},
		{"elimination-grid", Options{Spread: 1}, always(stream.SeedLike(pool)), 500, 35, 40},
		{"elimination", Options{Spread: 1, Delta: 0.01}, always(stream.SeedLike(pool)), 500, 44, 51},
		{"elimination", Options{Spread: 1, Batch: 154}, batch.Shuffled, 500, 25, 30},
		{"pairs", Options{Spread: 1}, always(stream.SeedLike(pool)), 200, 45, 53},
		{"hedged", Options{Spread: 1}, always(stream.SeedLike(pool)), 200, 38, 46},
		{"plugin", Options{Spread: 1}, always(stream.SeedLike(pool)), 200, 110, 127},
		{"asymptotic", Options{Spread: 1}, always(stream.SeedLike(pool)), 200, 26, 34},
		{"bernstein", Options{}, always(stream.SeedLike(pool)), 40, 1038, 1038},
		{"normal", Options{}, always(stream.SeedLike(pool)), 500, 61, 61},
	} {
		counts, wrong := watch(t, c.rule, c.options, c.source, []int{stream.Culprit}, c.streams, 1100)
		if m := counts[len(counts)/2]; m < c.low || m > c.high {
			t.Errorf("%s %+v: median %d: want %d to %d", c.rule, c.options, m, c.low, c.high)
		}
		if wrong > tolerated(0.05, c.streams) {
			t.Errorf("%s %+v: wrong in %.3f", c.rule, c.options, wrong)
		}
	}
}

func TestWrongSelections(t *testing.T) {
	pool := stream.Agent()
	for _, c := range []struct {
		data    string
		source  stream.Source
		best    int
		rules   []string
		horizon int
	}{
		{"tie", stream.Tie(pool), stream.Culprit, []string{"elimination", "elimination-agrapa", "elimination-grid"}, 200},
		{"tie, the other", stream.Tie(pool), 0, []string{"elimination"}, 200},
		{"all equal", stream.AllEqual(pool), 0, []string{"elimination"}, 100},
		{"rare", stream.Rare(), stream.Culprit, []string{"elimination"}, 200},
		{"skew", stream.Skew(), 0, []string{"elimination", "elimination-agrapa", "elimination-grid"}, 200},
	} {
		for _, rule := range c.rules {
			const streams = 400
			_, wrong := watch(t, rule, Options{Spread: 1}, always(c.source), []int{c.best}, streams, c.horizon)
			if wrong > tolerated(0.05, streams) {
				t.Errorf("%s by %s: wrong in %.3f of %d streams", c.data, rule, wrong, streams)
			}
		}
	}
}

// The labels of the asymptotic rules are deserved.
func TestAsymptoticRulesErr(t *testing.T) {
	for _, rule := range []string{"normal", "asymptotic"} {
		const streams = 200
		_, wrong := watch(t, rule, Options{}, always(stream.Skew()), []int{0}, streams, 200)
		if wrong < 2*tolerated(0.05, streams) {
			t.Errorf("%s on skewed data: wrong in %.3f only", rule, wrong)
		}
	}
}

// A tie at the boundary, or anywhere in the order: the answer fixed beforehand is right, any other counts as wrong.
func TestWrongSetsAndRankings(t *testing.T) {
	tie := func(r *rand.Rand, x []float64) {
		for i := range x {
			x[i] = -float64(i) / 10
		}
		x[1] = 0.3 * float64(r.IntN(2))
		x[2] = 0.3 * float64(r.IntN(2))
		x[0] = 0.5
	}
	const streams = 400
	for _, c := range []struct {
		rule    string
		options Options
		want    []int
	}{
		{"elimination", Options{Goal: TopK, TopK: 2}, []int{0, 1}},
		{"pairs", Options{Goal: TopK, TopK: 2}, []int{0, 1}},
		{"pairs", Options{Goal: Ranking}, []int{0, 1, 2, 3, 4, 5, 6, 7}},
		{"hedged", Options{Goal: Ranking}, []int{0, 1, 2, 3, 4, 5, 6, 7}},
	} {
		n := streams
		if c.rule != "elimination" {
			n = 100
		}
		counts, wrong := watch(t, c.rule, c.options, always(tie), c.want, n, 120)
		if wrong > tolerated(0.05, n) {
			t.Errorf("%s %s: wrong in %.3f of %d streams", c.rule, c.options.Goal, wrong, n)
		}
		if counts[n/2] <= 120 {
			t.Errorf("%s %s: the tie was decided in half of the streams", c.rule, c.options.Goal)
		}
	}
}

func TestSequencesCoverAtAllTimes(t *testing.T) {
	const streams, horizon, delta = 250, 120, 0.1
	rare := func(r *rand.Rand) float64 {
		if r.Float64() < 0.05 {
			return 1
		}
		return 0
	}
	uniform := func(r *rand.Rand) float64 { return r.Float64() }
	for _, c := range []struct {
		name  string
		draw  func(r *rand.Rand) float64
		mean  float64
		batch int
	}{
		{"rare", rare, 0.05, 0},
		{"uniform", uniform, 0.5, 0},
		{"rare in a batch", rare, 0.05, horizon},
		{"uniform in a batch", uniform, 0.5, horizon},
	} {
		for _, kind := range []Kind{KindHedged, KindPlugIn} {
			missed := 0
			for s := range streams {
				r := rand.New(rand.NewPCG(uint64(s), 9))
				seq := newSequence(kind, mustComplete(t, SequenceOptions{Delta: delta, Low: 0, High: 1, Batch: c.batch}))
				mean := c.mean
				values := make([]float64, horizon)
				for i := range values {
					values[i] = c.draw(r)
				}
				if c.batch > 0 {
					mean = 0
					for _, x := range values {
						mean += x / horizon
					}
				}
				for _, x := range values {
					seq.add(x)
					if seq.above(mean+1e-9, delta) || seq.below(mean-1e-9, delta) {
						missed++
						break
					}
				}
			}
			if share := float64(missed) / streams; share > tolerated(delta, streams) {
				t.Errorf("%s by %s: missed in %.3f of streams", c.name, kind, share)
			}
		}
	}
}

func mustComplete(t *testing.T, o SequenceOptions) SequenceOptions {
	t.Helper()
	o, err := o.complete()
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// A player is named as mattering though its mean is 0: at most in δ of the streams, whenever one looks.
func TestPositiveErrs(t *testing.T) {
	const streams, horizon, delta = 500, 150, 0.1
	for _, batch := range []int{0, horizon} {
		wrong, found := 0, 0
		for s := range streams {
			p, err := NewPositive(Options{Players: 4, Delta: delta, Batch: batch})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(uint64(s), 10))
			erred, hit := false, false
			var order [4][]int
			for i := range order {
				order[i] = r.Perm(horizon)
			}
			for k := range horizon {
				x := []float64{0, 0, 0, float64(r.IntN(3)) / 2} // the last one matters
				x[0] = 1 - 2*float64(order[0][k]%2)             // mean 0
				for i := 1; i < 3; i++ {
					x[i] = -1.0 / 9 // mean 0, skewed
					if batch > 0 && order[i][k] < horizon/10 || batch == 0 && r.Float64() < 0.1 {
						x[i] = 1
					}
				}
				if err := p.Add(x); err != nil {
					t.Fatal(err)
				}
				if e := slices.Min(p.E()); e < 0 {
					t.Fatalf("e-value %v is negative", e)
				}
				for _, i := range p.Above() {
					erred = erred || i < 3
					hit = hit || i == 3
				}
			}
			if erred {
				wrong++
			}
			if hit {
				found++
			}
		}
		if share := float64(wrong) / streams; share > tolerated(delta, streams) {
			t.Errorf("batch %d: a player that doesn't matter was named in %.3f of streams", batch, share)
		}
		if found != streams {
			t.Errorf("batch %d: the player that matters was found in %d of %d streams", batch, found, streams)
		}
	}
}

// The intervals by betting are at most 60 % as wide as the empirical Bernstein intervals of the same data.
func TestHedgedIsNarrow(t *testing.T) {
	source := stream.SeedLike(stream.Agent())
	for _, n := range []int{100, 1000} {
		hedged, bernstein := 0.0, 0.0
		for s := range 3 {
			o := Options{Players: stream.Steps, Goal: Budget}
			h, err := New("hedged", o)
			if err != nil {
				t.Fatal(err)
			}
			b, err := New("bernstein", o)
			if err != nil {
				t.Fatal(err)
			}
			r, x := rand.New(rand.NewPCG(uint64(s), 11)), make([]float64, stream.Steps)
			for range n {
				source(r, x)
				for _, rule := range []Rule{h, b} {
					if err := rule.Add(x); err != nil {
						t.Fatal(err)
					}
				}
			}
			b.Close(ReasonBudget)
			for i, interval := range h.Intervals() {
				hedged += interval.Radius()
				bernstein += b.Intervals()[i].Clip(-1, 1).Radius()
			}
		}
		t.Logf("%d cases: %.3f of the width", n, hedged/bernstein)
		if hedged > 0.6*bernstein {
			t.Errorf("%d cases: intervals by betting have %.3f of the width: want at most 0.6", n, hedged/bernstein)
		}
	}
}
