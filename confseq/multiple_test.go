package confseq

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func eValues(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 400), func(i int) float64 { return float64(i) / 4 }),
		rapid.Just(math.Inf(1)),
	), 0, 9).Draw(t, "e-values")
}

// slowClosed goes through all sets of hypotheses.
func slowClosed(e []float64, delta float64) (rejected []int) {
	for i := range e {
		all := true
		for set := range 1 << len(e) {
			if set>>i&1 == 0 {
				continue
			}
			sum, n := 0.0, 0.0
			for j, x := range e {
				if set>>j&1 == 1 {
					sum, n = sum+x, n+1
				}
			}
			all = all && sum/n >= 1/delta
		}
		if all {
			rejected = append(rejected, i)
		}
	}
	return rejected
}

func TestClosedAgainstAllSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := eValues(t)
		const delta = 0.0625 // 1/delta is exact
		got := Closed(e, delta)
		if diff := cmp.Diff(slowClosed(e, delta), got); diff != "" {
			t.Fatalf("closed test of %v (-want +got):\n%s", e, diff)
		}
		k := 0
		for i, x := range e { // never fewer than Bonferroni
			if x < float64(len(e))/delta {
				continue
			}
			for k < len(got) && got[k] < i {
				k++
			}
			if k == len(got) || got[k] != i {
				t.Fatalf("closed test of %v rejects %v, Bonferroni also %d", e, got, i)
			}
		}
	})
}

func TestEBHAgainstDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := eValues(t)
		const delta = 0.0625
		// The largest self-consistent set: k hypotheses with an e-value of at least K/(kδ) each.
		var want []int
		for k := len(e); k > 0 && want == nil; k-- {
			var enough []int
			for i, x := range e {
				if x >= float64(len(e))/(float64(k)*delta) {
					enough = append(enough, i)
				}
			}
			if len(enough) >= k {
				want = enough
			}
		}
		got := EBH(e, delta)
		if len(got) == 0 {
			got = nil
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("e-BH of %v (-want +got):\n%s", e, diff)
		}
	})
}

func TestMultipleTable(t *testing.T) {
	e := []float64{90, 1, 30, 45, 0}
	if diff := cmp.Diff([]int{0}, Closed(e, 0.05)); diff != "" {
		t.Errorf("closed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0}, EBH([]float64{100, 1, 30, 45, 0}, 0.05)); diff != "" {
		t.Errorf("e-BH with one (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0, 2, 3}, EBH([]float64{100, 1, 34, 45, 0}, 0.05)); diff != "" {
		t.Errorf("e-BH with three (-want +got):\n%s", diff)
	}
}

func TestPositive(t *testing.T) {
	for _, batch := range []int{0, 400} {
		p, err := NewPositive(Options{Players: 4, Batch: batch})
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(3, 3))
		for range 400 {
			// means 0.2, 0, −0.1, 0.3
			x := []float64{r.Float64() - .3, r.Float64() - .5, -.1, float64(r.IntN(2)) * .6}
			if batch > 0 {
				x[1] = 0
			}
			if err := p.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]int{0, 3}, p.Above()); diff != "" {
			t.Errorf("batch %d: players above 0 (-want +got):\n%s", batch, diff)
		}
		if e := p.E(); batch > 0 && !(math.IsInf(e[0], 1) && math.IsInf(e[3], 1) && e[1] <= 1) {
			t.Errorf("e-values at the end of the batch are %v: want certainty for 0 and 3, nothing for 1", e)
		}
		if !p.Promise().Valid {
			t.Error("the test doesn't claim validity")
		}
	}
}

func TestPositiveRefuses(t *testing.T) {
	if _, err := NewPositive(Options{Players: 2, Low: 0, High: 1}); err == nil {
		t.Error("values that can't be negative are accepted")
	}
	if _, err := NewPositive(Options{}); err == nil {
		t.Error("no players are accepted")
	}
	p, err := NewPositive(Options{Players: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Add([]float64{0, 2}); err == nil {
		t.Error("a value out of range is accepted")
	}
}
