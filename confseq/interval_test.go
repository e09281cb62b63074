package confseq

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestIntervalMeet(t *testing.T) {
	for _, c := range []struct{ now, earlier, want Interval }{
		{Interval{.5, .2, .8}, Interval{.4, .3, .9}, Interval{.5, .3, .8}},
		{Interval{.5, .2, .8}, Interval{.4, .1, .9}, Interval{.5, .2, .8}},
		{Interval{.5, .4, .6}, Interval{.1, .0, .2}, Interval{.5, .4, .4}}, // nothing in common
		{Interval{.5, .4, .6}, Interval{.9, .8, 1}, Interval{.5, .6, .6}},
	} {
		if got := c.now.meet(c.earlier); got != c.want {
			t.Errorf("%v after %v is %v: want %v", c.now, c.earlier, got, c.want)
		}
	}
}

func TestIntervalClip(t *testing.T) {
	i := Interval{0.3, -12, 12}.Clip(-1, 1)
	if (i != Interval{0.3, -1, 1}) {
		t.Errorf("clipped to %v", i)
	}
	if i.Radius() != 1 || !i.Contains(-1) || i.Contains(1.5) {
		t.Errorf("radius %v or containment of %v is wrong", i.Radius(), i)
	}
}

func TestMomentsAgainstTwoPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1, 1), 2, 50).Draw(t, "values")
		var m moments
		mean, squares := 0.0, 0.0
		for _, x := range values {
			m.add(x)
			mean += x / float64(len(values))
		}
		for _, x := range values {
			squares += (x - mean) * (x - mean)
		}
		if want := squares / float64(len(values)-1); math.Abs(m.variance()-want) > 1e-12 || math.Abs(m.mean-mean) > 1e-12 {
			t.Fatalf("mean %v, variance %v: want %v, %v", m.mean, m.variance(), mean, want)
		}
	})
}

func TestMomentsOfOneValue(t *testing.T) {
	var m moments
	m.add(3)
	if !math.IsInf(m.variance(), 1) || m.mean != 3 {
		t.Errorf("mean %v, variance %v of a single value: want 3 and no bound", m.mean, m.variance())
	}
}
