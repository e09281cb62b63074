package game

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

func TestShapleyRefund(t *testing.T) {
	d := refund()
	near(t, "Shapley", d.Shapley(nil), []float64{5. / 12, 5. / 12, 1. / 12, 1. / 12}, 1e-15)
	near(t, "FixAlone", d.FixAlone(nil), []float64{1, 1, 0, 0}, 0)
	near(t, "LeaveOneOut", d.LeaveOneOut(nil), []float64{0, 0, 0, 0}, 0)
}

func TestShapleyDrafter(t *testing.T) {
	d := fixed(5, func(s uint64) float64 {
		return indicator(s&1 != 0 && s&6 != 0 && s&24 != 0)
	})
	near(t, "Shapley", d.Shapley(nil), []float64{8. / 15, 7. / 60, 7. / 60, 7. / 60, 7. / 60}, 1e-15)
}

func TestShapleyAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiagram(t, 12)
		n, v := d.Players(), enumerate(d)
		phi := d.Shapley(nil)
		near(t, "Shapley", phi, bruteShapley(n, v), 1e-12)
		if got, want := sum(phi), d.Full()-d.Empty(); math.Abs(got-want) > 1e-13 {
			t.Fatalf("Σ = %v, want v(N) − v(∅) = %v", got, want)
		}
		for i := range n {
			if !d.Asked().Has(i) && phi[i] != 0 {
				t.Fatalf("player %d is asked nowhere but has value %v", i, phi[i])
			}
		}
		near(t, "Banzhaf", d.Banzhaf(nil), bruteWeighted(n, v, func(int) float64 { return math.Ldexp(1, 1-n) }), 1e-12)

		alone, out := make([]float64, n), make([]float64, n)
		for i := range n {
			alone[i] = v[1<<i] - v[0]
			out[i] = v[len(v)-1] - v[len(v)-1-1<<i]
		}
		near(t, "FixAlone", d.FixAlone(nil), alone, 0)
		near(t, "LeaveOneOut", d.LeaveOneOut(nil), out, 0)
		mean, cost := 0.0, 0.0
		for s := range v {
			mean += v[s] / float64(len(v))
			cost += d.Cost(FromMask(uint64(s)))
		}
		near(t, "Expected", []float64{d.Expected(0), d.Expected(0.5), d.Expected(1)}, []float64{v[0], mean, v[len(v)-1]}, 1e-12)
		near(t, "CostUncached", []float64{d.CostUncached()}, []float64{cost}, 1e-9*cost)
	})
}

// TestShapleyOfManyPlayers compares with closed forms where nothing can be
// enumerated.
func TestShapleyOfManyPlayers(t *testing.T) {
	fill := func(n int, x float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = x
		}
		return v
	}
	apex := append([]int{62}, equalWeights(63)...)
	for _, test := range []struct {
		name string
		d    *Diagram
		want []float64
	}{
		{"conjunction of 64", threshold(equalWeights(64), 64), fill(64, 1./64)},
		{"conjunction of 256", threshold(equalWeights(256), 256), fill(256, 1./256)},
		{"disjunction of 64", threshold(equalWeights(64), 1), fill(64, 1./64)},
		{"majority of 64", threshold(equalWeights(64), 33), fill(64, 1./64)},
		{"majority of 200", threshold(equalWeights(200), 101), fill(200, 1./200)},
		// One player of weight 62 and 63 of weight 1, quota 63: the one is
		// pivotal unless first or last in the order.
		{"apex game", threshold(apex, 63), append([]float64{62. / 64}, fill(63, 2./64/63)...)},
		{"parity of 63", parity(63), fill(63, 1./63)},
	} {
		near(t, test.name, test.d.Shapley(nil), test.want, 1e-12)
	}
}

// TestShapleyNeedsEveryPoint shows that the number of points is tight: with one
// less these games, whose polynomials have full degree, come out wrong.
func TestShapleyNeedsEveryPoint(t *testing.T) {
	for n := 3; n <= 12; n++ {
		games := map[string]*Diagram{
			"conjunction": threshold(equalWeights(n), n),
			"majority":    threshold(equalWeights(n), n/2+n%2),
		}
		if n%2 == 1 { // else the polynomial is odd about ½ and any rule gives 0
			games["parity"] = parity(n)
		}
		for name, d := range games {
			want := bruteShapley(n, enumerate(d))
			near(t, name, d.firstOrder(nil, newRule((n+1)/2)), want, 1e-14)
			worst := 0.0
			for i, x := range d.firstOrder(nil, newRule((n+1)/2-1)) {
				worst = max(worst, math.Abs(x-want[i]))
			}
			if worst < 1e-9 {
				t.Errorf("%s of %d: one point less errs by only %.1g", name, n, worst)
			}
		}
	}
}

func TestShapleySymmetry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiagram(t, 9)
		n := d.Players()
		i, j := rapid.IntRange(0, n-1).Draw(t, "i"), rapid.IntRange(0, n-1).Draw(t, "j")
		swap := make([]int, n)
		for k := range swap {
			swap[k] = k
		}
		swap[i], swap[j] = j, i
		phi, swapped := d.Shapley(nil), must(d.Relabel(n, swap)).Shapley(nil)
		phi[i], phi[j] = phi[j], phi[i]
		near(t, "relabelled", swapped, phi, 1e-13)

		// In the mean of a game and its mirror image the two are equal.
		v, w := enumerate(d), enumerate(must(d.Relabel(n, swap)))
		mean := fixed(n, func(s uint64) float64 { return (v[s] + w[s]) / 2 }).Shapley(nil)
		near(t, "symmetric players", mean[i:i+1], mean[j:j+1], 1e-13)
	})
}

func TestShapleyAdditivity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 6))
		a, b := randomDiagram(rng, n, 0), randomDiagram(rng, n, 0)
		va, vb := enumerate(a), enumerate(b)
		phi := fixed(n, func(s uint64) float64 { return va[s] + 3*vb[s] }).Shapley(nil)
		want := a.Shapley(nil)
		for i, x := range b.Shapley(nil) {
			want[i] += 3 * x
		}
		near(t, "Shapley", phi, want, 1e-12)
	})
}

// A null player may be asked and still moves nothing.
func TestShapleyNullPlayer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiagram(t, 8)
		n := d.Players()
		null := rapid.IntRange(0, n).Draw(t, "null")
		up := make([]int, n)
		for i := range up {
			up[i] = i
			if i >= null {
				up[i]++
			}
		}
		wide := must(d.Relabel(n+1, up))
		phi := fixed(n+1, func(s uint64) float64 { return wide.Value(FromMask(s)) }).Shapley(nil)
		near(t, "null player", phi[null:null+1], []float64{0}, 1e-14)
		near(t, "others", append(phi[:null:null], phi[null+1:]...), d.Shapley(nil), 1e-13)
	})
}

func BenchmarkBuildAndShapley4(b *testing.B) {
	var (
		builder Builder
		d       Diagram
		phi     []float64
	)
	b.ReportAllocs()
	for b.Loop() {
		builder.Reset(4)
		fail, ok := builder.Leaf(0), builder.Leaf(1)
		review := builder.Node(3, Edge{fail, 1}, Edge{ok, 1})
		write := builder.Node(2, Edge{fail, 1}, Edge{review, 1})
		retrieve := builder.Node(1, Edge{write, 1}, Edge{ok, 1})
		plan := builder.Node(0, Edge{retrieve, 1}, Edge{ok, 1})
		if err := builder.BuildInto(&d, Edge{plan, 0}); err != nil {
			b.Fatal(err)
		}
		phi = d.Shapley(phi)
	}
}

func BenchmarkShapley64Majority(b *testing.B) {
	d := threshold(equalWeights(64), 33)
	b.ReportMetric(float64(d.Nodes()), "nodes")
	var phi []float64
	b.ReportAllocs()
	for b.Loop() {
		phi = d.Shapley(phi)
	}
}
