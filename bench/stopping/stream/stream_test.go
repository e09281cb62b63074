package stream

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestAgentHasThePrintedMeans(t *testing.T) {
	mean := Agent().Mean()
	total := 0.0
	for i, m := range mean {
		total += m
		if i == Culprit && math.Abs(m-0.296) > 0.005 || i != Culprit && (m < 0.055 || m > 0.115) {
			t.Errorf("mean of step %d is %.3f", i, m)
		}
	}
	if math.Abs(total-0.87) > 1e-9 {
		t.Errorf("means sum to %v: want the share of failures that can be repaired, 0.87", total)
	}
}

func TestAgentValuesAreShapleyValues(t *testing.T) {
	p := Agent()
	for i, x := range p.values {
		sum := 0.0
		for _, v := range x {
			sum += v
			if m := v * 840; math.Abs(m-math.Round(m)) > 1e-9 {
				t.Fatalf("kind %d has value %v: want a multiple of 1/840", i, v)
			}
		}
		if math.Abs(sum) > 1e-12 && math.Abs(sum-1) > 1e-12 {
			t.Fatalf("kind %d sums to %v: want 0 or 1", i, sum)
		}
	}
	if got := p.cumulative[len(p.cumulative)-1]; math.Abs(got-1) > 1e-12 {
		t.Errorf("probabilities sum to %v", got)
	}
	// (a or b) and (c or d) and e: 7/60 each, and 8/15 for e.
	phi := shapley([]clause{oneOf(0, 1), oneOf(2, 3), oneOf(6)}, false)
	if math.Abs(phi[0]-7.0/60) > 1e-12 || math.Abs(phi[6]-8.0/15) > 1e-12 || phi[4] != 0 {
		t.Errorf("values of the worked example are %v", phi)
	}
}

// mean averages many cases.
func mean(s Source, n int) []float64 {
	r, x, sum := rand.New(rand.NewPCG(1, 1)), make([]float64, Steps), make([]float64, Steps)
	for range n {
		s(r, x)
		for i, v := range x {
			sum[i] += v / float64(n)
		}
	}
	return sum
}

func TestSourcesHaveTheirMeans(t *testing.T) {
	p := Agent()
	m := p.Mean()
	tied := (m[0] + m[Culprit]) / 2
	for _, c := range []struct {
		name   string
		source Source
		want   map[int]float64
	}{
		{"seed-like", SeedLike(p), map[int]float64{0: m[0], 1: m[1], Culprit: m[Culprit]}},
		{"tie", Tie(p), map[int]float64{0: tied, 1: m[1], Culprit: tied}},
		{"all equal", AllEqual(p), map[int]float64{0: .87 / 8, 3: .87 / 8, Culprit: .87 / 8}},
		{"rare", Rare(), map[int]float64{0: .01, 5: .01, Culprit: .05, 7: .01}},
		{"skew", Skew(), map[int]float64{0: .052, 1: 0, Culprit: .05}},
	} {
		got := mean(c.source, 200000)
		for i, want := range c.want {
			if math.Abs(got[i]-want) > 0.003 {
				t.Errorf("%s: mean of step %d is %.4f: want %.4f", c.name, i, got[i], want)
			}
		}
	}
}

func TestBatchGivesEachCaseOnce(t *testing.T) {
	b := Batch{{0, 1, 0, 0, 0, 0, 0, 0}, {0, 2, 0, 0, 0, 0, 0, 0}, {0, 0, 4, 0, 0, 0, 0, 0}}
	got := mean(b.Shuffled(), 3)
	if math.Abs(got[1]-1) > 1e-12 || math.Abs(got[2]-4.0/3) > 1e-12 {
		t.Errorf("means of the shuffled batch are %v", got)
	}
	if b.Best() != 2 {
		t.Errorf("best step is %d: want 2", b.Best())
	}
}
