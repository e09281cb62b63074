package confseq

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// anytime is a sequence with a guarantee.
type anytime interface {
	sequence
	Add(x float64) error
	Interval() Interval
	Count() int
	Promise() Promise
}

func newAnytime(t interface{ Fatal(...any) }, kind Kind, o SequenceOptions) anytime {
	var s anytime
	var err error
	switch kind {
	case KindHedged:
		s, err = NewHedged(o)
	case KindPlugIn:
		s, err = NewPlugIn(o)
	default:
		s, err = NewAsymptotic(o)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// slowHedged is the smaller log wealth margin of mean m straight from the definition: m is in the interval as long as
// it is positive.
func slowHedged(values []float64, batch int, delta, m float64) float64 {
	if batch > 0 { // what is left must be able to bring the mean about
		rest := float64(batch) * m
		for _, x := range values {
			rest -= x
		}
		if rest < 0 || rest > float64(batch-len(values)) {
			return math.Inf(-1)
		}
	}
	more, less := 0.0, 0.0
	for t := range values {
		mu, variance, seen := 0.5, 0.25, 0.0
		for s, x := range values[:t] {
			mu += x
			d := x - mu/float64(s+2)
			variance += d * d
			seen += x
		}
		n := float64(t + 1)
		stake := math.Sqrt(2 * math.Log(2/delta) / (variance / n * n * math.Log(1+n)))
		mean := m
		if batch > 0 {
			mean = (float64(batch)*m - seen) / float64(batch-t)
		}
		more += math.Log(1 + math.Min(stake, 0.9/mean)*(values[t]-mean))
		less += math.Log(1 - math.Min(stake, 0.9/(1-mean))*(values[t]-mean))
	}
	return math.Log(2/delta) - math.Max(more, less)
}

func TestHedgedAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 40).Draw(t, "values")
		if rapid.Bool().Draw(t, "binary") {
			for i, x := range values {
				values[i] = math.Round(x)
			}
		}
		batch := 0
		if rapid.Bool().Draw(t, "finite") {
			batch = len(values) + rapid.IntRange(1, 9).Draw(t, "more")
		}
		h := newAnytime(t, KindHedged, SequenceOptions{Delta: 0.1, Low: 0, High: 1, Batch: batch})
		seen := 0.0
		for _, x := range values {
			if err := h.Add(x); err != nil {
				t.Fatal(err)
			}
			seen += x
		}
		i := h.Interval()
		// Every mean of a grid is inside exactly where the definition has it, so the set is an interval.
		for g := range 201 {
			m := float64(g) / 200
			if math.Abs(m-i.Low) < 1e-6 || math.Abs(m-i.High) < 1e-6 {
				continue
			}
			margin := slowHedged(values, batch, 0.1, m)
			if i.Contains(m) != (margin > 0) {
				t.Fatalf("interval %v, mean %v: want inside %v", i, m, margin > 0)
			}
			if h.above(m, 0.1) != (m < i.Low) || h.below(m, 0.1) != (m > i.High) {
				t.Fatalf("interval %v, mean %v: above %v, below %v", i, m, h.above(m, 0.1), h.below(m, 0.1))
			}
		}
	})
}

func TestPlugInAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 40).Draw(t, "values")
		batch := 0
		if rapid.Bool().Draw(t, "finite") {
			batch = len(values) + rapid.IntRange(1, 9).Draw(t, "more")
		}
		const delta = 0.1
		p := newAnytime(t, KindPlugIn, SequenceOptions{Delta: delta, Low: 0, High: 1, Batch: batch})
		weight, weighted, spent, seen := 0.0, 0.0, 0.0, 0.0
		mu, variance := 0.5, 0.25
		for s, x := range values {
			if err := p.Add(x); err != nil {
				t.Fatal(err)
			}
			n := float64(s + 1)
			l := math.Min(math.Sqrt(2*math.Log(2/delta)/(variance/n*n*math.Log(1+n))), 0.5)
			spent += (x - mu) * (x - mu) * (-math.Log(1-l) - l)
			if batch > 0 {
				left := float64(batch - s)
				weight += l * (1 + float64(s)/left)
				weighted += l * (x + seen/left)
			} else {
				weight += l
				weighted += l * x
			}
			seen += x
			mu = (0.5 + seen) / (n + 1)
			variance += (x - mu) * (x - mu)
		}
		least, most := 0.0, 1.0
		if batch > 0 {
			least, most = seen/float64(batch), (seen+float64(batch-len(values)))/float64(batch)
		}
		center, r := weighted/weight, (math.Log(2/delta)+spent)/weight
		want := Interval{seen / float64(len(values)), math.Max(center-r, least), math.Min(center+r, most)}
		got := p.Interval()
		if math.Abs(got.Low-want.Low)+math.Abs(got.High-want.High)+math.Abs(got.Mean-want.Mean) > 1e-9 {
			t.Fatalf("interval is %v: want %v", got, want)
		}
	})
}

func TestAsymptoticFormula(t *testing.T) {
	a := newAnytime(t, KindAsymptotic, SequenceOptions{Delta: 0.05, Low: 0, High: 1})
	for i := range 100 {
		if i < 20 && a.Interval().Radius() != 0.5 {
			t.Fatalf("with %d values the interval is %v: want the whole range", i, a.Interval())
		}
		if err := a.Add(float64(i % 2)); err != nil {
			t.Fatal(err)
		}
	}
	l := -2 * math.Log(0.05)
	rho2 := (l + math.Log(l+1)) / 50
	want := 0.5 * math.Sqrt(2*(100*rho2+1)/(100*100*rho2)*math.Log(math.Sqrt(100*rho2+1)/0.05))
	if got := a.Interval(); math.Abs(got.Radius()-want) > 1e-12 || got.Mean != 0.5 {
		t.Errorf("interval is %v: want 0.5 ± %v", got, want)
	}
	if a.Promise().Valid {
		t.Error("the asymptotic sequence claims validity")
	}
}

func TestSequenceRangeScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, 1), 1, 30).Draw(t, "values")
		for _, kind := range []Kind{KindHedged, KindPlugIn} {
			a := newAnytime(t, kind, SequenceOptions{Low: 0, High: 1})
			b := newAnytime(t, kind, SequenceOptions{}) // [−1, 1]
			c := newAnytime(t, kind, SequenceOptions{Low: 0, High: 1})
			for _, x := range values {
				for s, y := range map[anytime]float64{a: x, b: 2*x - 1, c: 1 - x} {
					if err := s.Add(y); err != nil {
						t.Fatal(err)
					}
				}
			}
			i, j, k := a.Interval(), b.Interval(), c.Interval()
			if math.Abs(2*i.Low-1-j.Low)+math.Abs(2*i.High-1-j.High) > 1e-7 {
				t.Fatalf("%s: %v on [0, 1] is %v on [−1, 1]", kind, i, j)
			}
			if math.Abs(i.Low-(1-k.High))+math.Abs(i.High-(1-k.Low)) > 1e-7 {
				t.Fatalf("%s: %v mirrored is %v", kind, i, k)
			}
		}
	})
}

func TestSequenceEndsInAPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), 1, 30).Draw(t, "values")
		for _, kind := range []Kind{KindHedged, KindPlugIn} {
			s := newAnytime(t, kind, SequenceOptions{Batch: len(values)})
			sum := 0.0
			for _, x := range values {
				if err := s.Add(x); err != nil {
					t.Fatal(err)
				}
				sum += x
			}
			i, mean := s.Interval(), sum/float64(len(values))
			if math.Abs(i.Low-mean)+math.Abs(i.High-mean) > 1e-9 {
				t.Fatalf("%s: at the end of the batch the interval is %v: want the mean %v", kind, i, mean)
			}
			if err := s.Add(0); err == nil {
				t.Fatalf("%s takes more than the batch has", kind)
			}
		}
	})
}

func TestSequenceRunning(t *testing.T) {
	for _, kind := range []Kind{KindHedged, KindPlugIn, KindAsymptotic} {
		s := newAnytime(t, kind, SequenceOptions{Low: 0, High: 1, Running: true})
		last := Interval{0.5, 0, 1}
		r := rand.New(rand.NewPCG(4, 4))
		for range 300 {
			if err := s.Add(r.Float64()); err != nil {
				t.Fatal(err)
			}
			i := s.Interval()
			if i.Low < last.Low || i.High > last.High {
				t.Fatalf("%s: %v follows %v: want it inside", kind, i, last)
			}
			last = i
		}
		if last.Radius() > 0.15 || s.Count() != 300 {
			t.Errorf("%s: interval of 300 uniform values is %v", kind, last)
		}
	}
}

func TestSequenceRefuses(t *testing.T) {
	for _, kind := range []Kind{KindHedged, KindPlugIn, KindAsymptotic} {
		s := newAnytime(t, kind, SequenceOptions{Low: 0, High: 1})
		for _, x := range []float64{-0.1, 1.1, math.NaN()} {
			if err := s.Add(x); err == nil || s.Count() != 0 {
				t.Errorf("%s takes %v in [0, 1]", kind, x)
			}
		}
	}
	if _, err := NewHedged(SequenceOptions{Delta: 2}); err == nil {
		t.Error("hedged takes delta 2")
	}
	if _, err := NewPlugIn(SequenceOptions{Low: 1, High: -1}); err == nil {
		t.Error("plugin takes an empty range")
	}
	if _, err := NewAsymptotic(SequenceOptions{Batch: 3}); err == nil {
		t.Error("asymptotic takes a batch")
	}
}

func BenchmarkHedgedInterval(b *testing.B) {
	h := newHedged(SequenceOptions{Delta: 0.05, Low: 0, High: 1})
	r := rand.New(rand.NewPCG(5, 5))
	for range 1000 {
		h.add(r.Float64())
	}
	for b.Loop() {
		h.interval(0.05)
	}
}
