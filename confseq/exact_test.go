package confseq

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func TestClopperPearsonPrinted(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		delta     float64
		low, high float64
	}{
		{0, 10, 0.05, 0, 0.308497},
		{10, 10, 0.05, 0.691503, 1},
		{1, 10, 0.05, 0.002529, 0.445016},
		{5, 10, 0.05, 0.187086, 0.812914},
		{0, 0, 0.05, 0, 1},
	} {
		got, err := ClopperPearson(c.k, c.n, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Low-c.low)+math.Abs(got.High-c.high) > 5e-6 {
			t.Errorf("%d of %d: %v: want [%v, %v]", c.k, c.n, got, c.low, c.high)
		}
	}
	for _, c := range []struct {
		k, n  int
		delta float64
	}{{-1, 3, .05}, {4, 3, .05}, {1, 3, 0}, {1, 3, 1}, {1, 3, math.NaN()}} {
		if _, err := ClopperPearson(c.k, c.n, c.delta); err == nil {
			t.Errorf("%d of %d at %v is accepted", c.k, c.n, c.delta)
		}
	}
}

// At the lower end, that many or more have probability delta/2; at the upper end, that many or fewer.
func TestClopperPearsonDefinition(t *testing.T) {
	for _, c := range []struct {
		k, n  int
		delta float64
	}{{81, 263, 0.05}, {1, 500, 0.05}, {499, 500, 0.01}, {3, 7, 0.1}, {20, 5000, 1e-6}} {
		i, err := ClopperPearson(c.k, c.n, c.delta)
		if err != nil {
			t.Fatal(err)
		}
		atLeast, atMost := 0.0, 0.0
		for k := range c.n + 1 {
			if k >= c.k {
				atLeast += distuv.Binomial{N: float64(c.n), P: i.Low}.Prob(float64(k))
			}
			if k <= c.k {
				atMost += distuv.Binomial{N: float64(c.n), P: i.High}.Prob(float64(k))
			}
		}
		if math.Abs(atLeast/(c.delta/2)-1) > 1e-6 || math.Abs(atMost/(c.delta/2)-1) > 1e-6 {
			t.Errorf("%d of %d: tails at %v are %v and %v: want %v", c.k, c.n, i, atLeast, atMost, c.delta/2)
		}
	}
}

// The coverage is summed exactly over all outcomes.
func TestClopperPearsonCovers(t *testing.T) {
	for _, n := range []int{1, 7, 40} {
		for _, delta := range []float64{0.05, 0.2} {
			intervals := make([]Interval, n+1)
			for k := range intervals {
				var err error
				if intervals[k], err = ClopperPearson(k, n, delta); err != nil {
					t.Fatal(err)
				}
			}
			for g := 1; g < 100; g++ {
				p := float64(g) / 100
				covered := 0.0
				for k, i := range intervals {
					if i.Contains(p) {
						covered += distuv.Binomial{N: float64(n), P: p}.Prob(float64(k))
					}
				}
				if covered < 1-delta-1e-9 {
					t.Errorf("n %d, share %v: covered with %v: want %v", n, p, covered, 1-delta)
				}
			}
		}
	}
}

func TestFixedMeans(t *testing.T) {
	values := []float64{1, 2, 3, 4, 5} // mean 3, variance 2.5
	se := math.Sqrt(0.5)
	for _, c := range []struct {
		name string
		f    func([]float64, float64) (Interval, error)
		want float64
	}{
		{"normal", NormalMean, 1.959963985 * se},
		{"student", StudentMean, 2.776445105 * se},
	} {
		got, err := c.f(values, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Radius()-c.want) > 1e-7 || math.Abs(got.Mean-3) > 1e-12 {
			t.Errorf("%s: %v: want 3 ± %v", c.name, got, c.want)
		}
		if _, err := c.f(values[:1], 0.05); err == nil {
			t.Errorf("%s takes a single value", c.name)
		}
		if _, err := c.f(values, 0); err == nil {
			t.Errorf("%s takes delta 0", c.name)
		}
	}
}
