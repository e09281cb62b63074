package game

import (
	"math/bits"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func drawTable(t *rapid.T, maxPlayers int) Table {
	n := rapid.IntRange(0, maxPlayers).Draw(t, "players")
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	v := make(Table, 1<<n)
	for s := range v {
		v[s] = rng.Float64()
	}
	return v
}

func TestTableShapleyAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawTable(t, 12)
		near(t, "Shapley", v.Shapley(nil), bruteShapley(v.Players(), v), 1e-12)
	})
}

func TestTableAndDiagramAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiagram(t, 10)
		v := must(d.Table())
		near(t, "Table", v, enumerate(d), 0)
		back := v.Diagram()
		near(t, "Diagram", enumerate(back), v, 0)
		if want := d.Ordered(nil); back.Nodes() != want.Nodes() {
			t.Fatalf("from the table %d nodes, ordered %d", back.Nodes(), want.Nodes())
		}
		near(t, "Shapley", v.Shapley(nil), d.Shapley(nil), 1e-12)
	})
}

func TestTableShapleyOfSizes(t *testing.T) {
	for n := range 21 {
		v := make(Table, 1<<n)
		for s := range v {
			v[s] = indicator(2*bits.OnesCount(uint(s)) > n)
		}
		want := make([]float64, n)
		for i := range want {
			want[i] = 1 / float64(n)
		}
		near(t, "Shapley", v.Shapley(nil), want, 1e-13)
	}
}

func TestTablePanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Fatal("a table of 3 values has no players")
		}
	}()
	make(Table, 3).Players()
}

func table20() Table {
	rng := rand.New(rand.NewPCG(1, 1))
	v := make(Table, 1<<20)
	for s := range v {
		v[s] = rng.Float64()
	}
	return v
}

func BenchmarkTableShapley20(b *testing.B) {
	v := table20()
	var phi []float64
	b.SetBytes(int64(8 * len(v)))
	for b.Loop() {
		phi = v.Shapley(phi)
	}
}

// BenchmarkTableRead20 is one pass over the memory of BenchmarkTableShapley20.
func BenchmarkTableRead20(b *testing.B) {
	v := table20()
	b.SetBytes(int64(8 * len(v)))
	total := 0.0
	for b.Loop() {
		var a [4]float64
		for k := 0; k < len(v); k += 4 {
			a[0] += v[k]
			a[1] += v[k+1]
			a[2] += v[k+2]
			a[3] += v[k+3]
		}
		total += a[0] + a[1] + a[2] + a[3]
	}
	_ = total
}
