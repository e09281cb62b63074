package game

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSamplerDrawsAreEfficientAndReproducible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiagram(t, 9)
		s := Sampler{d.Players(), rapid.Uint64().Draw(t, "seed"), rapid.Bool().Draw(t, "antithetic")}
		k := 0
		for draw, err := range s.Samples(t.Context(), d.Ask) {
			if err != nil {
				t.Fatal(err)
			}
			near(t, "Σ", []float64{sum(draw)}, []float64{d.Full() - d.Empty()}, 1e-14)
			again := must(s.Marginals(t.Context(), k, d.Ask, nil))
			if !slices.Equal(draw, again) {
				t.Fatalf("draw %d is %v, then %v", k, draw, again)
			}
			if k++; k == 5 {
				break
			}
		}
	})
}

// All 24 orders of four players are equally likely, also given the draw before.
func TestPermutationsAreUniform(t *testing.T) {
	const draws = 48000
	s := Sampler{Players: 4, Seed: 11}
	single, follow := map[string]int{}, map[string]int{}
	previous, order := "", []int(nil)
	for k := range draws {
		order = s.Permutation(k, order)
		name := fmt.Sprint(order)
		single[name]++
		follow[previous+name]++
		previous = name
	}
	// χ² with f degrees of freedom has mean f, variance 2f; 4 standard
	// deviations are exceeded once in some ten thousand seeds.
	check := func(what string, counts map[string]int, cells int) {
		expect, chi := draws/float64(cells), 0.0
		for _, c := range counts {
			chi += (float64(c) - expect) * (float64(c) - expect) / expect
		}
		chi += float64(cells-len(counts)) * expect
		f := float64(cells - 1)
		if math.Abs(chi-f) > 4*math.Sqrt(2*f) {
			t.Errorf("%s: χ² = %.0f with %.0f degrees of freedom", what, chi, f)
		}
	}
	check("orders", single, 24)
	check("pairs of orders in a row", follow, 24*24)
}

func TestSamplerConverges(t *testing.T) {
	d := refund()
	want := d.Shapley(nil)
	for _, antithetic := range []bool{false, true} {
		var m Moments
		s := Sampler{Players: 4, Seed: 5, Antithetic: antithetic}
		for draw, err := range s.Samples(t.Context(), d.Ask) {
			if err != nil {
				t.Fatal(err)
			}
			if m.Add(draw); m.Count() == 20000 {
				break
			}
		}
		for i := range want {
			if off := math.Abs(m.Mean(i) - want[i]); off > 4*m.StdErr(i) {
				t.Errorf("antithetic %v: player %d: %.4f ± %.4f, want %.4f", antithetic, i, m.Mean(i), m.StdErr(i), want[i])
			}
		}
		// The plain draws of player 0 are 1 with probability 5/12.
		if want := 5. / 12 * 7 / 12; !antithetic && math.Abs(m.Variance(0)-want) > 0.01 {
			t.Errorf("variance %.4f, want %.4f", m.Variance(0), want)
		}
	}
}

// One antithetic draw is exact when no more than two players interact.
func TestAntitheticIsExactForPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	const n = 8
	single, pair := [n]float64{}, [n][n]float64{}
	for i := range n {
		single[i] = rng.Float64()
		for j := range i {
			pair[i][j] = rng.NormFloat64()
		}
	}
	d := fixed(n, func(s uint64) float64 {
		c, v := FromMask(s), 0.0
		for i := range c.Players() {
			v += single[i]
			for j := range c.Players() {
				v += pair[i][j]
			}
		}
		return v
	})
	draw := must(Sampler{n, 3, true}.Marginals(t.Context(), 0, d.Ask, nil))
	near(t, "draw", draw, d.Shapley(nil), 1e-13)
}

func TestSamplerFails(t *testing.T) {
	broken := errors.New("broken")
	calls := 0
	v := func(context.Context, Coalition) (float64, error) {
		if calls++; calls > 20 {
			return 0, broken
		}
		return 0, nil
	}
	var last error
	for draw, err := range (Sampler{Players: 5, Antithetic: true}).Samples(t.Context(), v) {
		if last = err; err != nil && draw != nil {
			t.Errorf("error and draw %v", draw)
		}
	}
	if !errors.Is(last, broken) || calls != 21 {
		t.Errorf("after %d calls: %v", calls, last)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, err := range (Sampler{Players: 5}).Samples(ctx, refund().Ask) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	}
}

func TestSamplerOfNobody(t *testing.T) {
	draw, err := Sampler{}.Marginals(t.Context(), 0, refund().Ask, nil)
	if len(draw) != 0 || err != nil {
		t.Errorf("%v, %v", draw, err)
	}
}

func TestMoments(t *testing.T) {
	var m Moments
	if !math.IsNaN(m.Mean(0)) || !math.IsNaN(m.Variance(0)) {
		t.Error("moments of nothing")
	}
	for _, x := range []float64{2, 4, 4, 4, 5, 5, 7, 9} {
		m.Add([]float64{x, -1})
	}
	got := []float64{m.Mean(0), m.Variance(0), m.StdErr(0), m.Mean(1), m.Variance(1)}
	near(t, "moments", got, []float64{5, 32. / 7, math.Sqrt(4. / 7), -1, 0}, 1e-15)
}

func BenchmarkMarginals16(b *testing.B) {
	d := threshold(equalWeights(16), 9)
	var dst []float64
	k := 0
	for b.Loop() {
		dst, _ = Sampler{Players: 16}.Marginals(b.Context(), k, d.Ask, dst)
		k++
	}
}
