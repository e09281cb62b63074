package game

import (
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// brutePairs returns Σ weight(|S|)·(second difference by i and j) over S
// without i and j, for every pair.
func brutePairs(n int, v []float64, weight func(s int) float64) []float64 {
	pair := make([]float64, n*n)
	for i := range n {
		for j := range n {
			for s := range v {
				if i != j && s>>i&1 == 0 && s>>j&1 == 0 {
					pair[i*n+j] += weight(bits.OnesCount(uint(s))) * (v[s|1<<i|1<<j] - v[s|1<<i] - v[s|1<<j] + v[s])
				}
			}
		}
	}
	return pair
}

func TestInteractionsAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDiagram(t, 9)
		n, v := d.Players(), enumerate(d)
		for index, weight := range map[Index]func(s int) float64{
			SII:  func(s int) float64 { return 1 / (float64(n-1) * binomial(n-2, s)) },
			KSII: func(s int) float64 { return 1 / (float64(n-1) * binomial(n-2, s)) },
			STII: func(s int) float64 { return 2 / (float64(n) * binomial(n-1, s)) },
			// ∫ 6p(1−p)·pˢ(1−p)ⁿ⁻²⁻ˢ dp
			FSII: func(s int) float64 { return 6 / (float64(n+1) * binomial(n, s+1)) },
			BII:  func(int) float64 { return math.Ldexp(1, 2-n) },
			FBII: func(int) float64 { return math.Ldexp(1, 2-n) },
		} {
			x := d.Interactions(index)
			want := brutePairs(n, v, weight)
			near(t, fmt.Sprint("pairs by ", index), x.pair, want, 1e-12)
			var single []float64
			switch index {
			case SII, KSII:
				single = bruteShapley(n, v)
			case STII:
				single = d.FixAlone(nil)
			case FSII:
				// ∫ (4−6p)·pˢ(1−p)ⁿ⁻¹⁻ˢ dp
				single = bruteWeighted(n, v, func(s int) float64 {
					return 4/(float64(n)*binomial(n-1, s)) - 6/(float64(n+1)*binomial(n, s+1))
				})
			case BII, FBII:
				single = bruteWeighted(n, v, func(int) float64 { return math.Ldexp(1, 1-n) })
			}
			if index == KSII || index == FBII {
				for i := range n {
					single[i] -= sum(want[i*n:(i+1)*n]) / 2
				}
			}
			near(t, fmt.Sprint("singles by ", index), x.single, single, 1e-12)
			if index == KSII || index == STII || index == FSII {
				total := sum(x.single) + sum(x.pair)/2
				near(t, fmt.Sprint("Σ by ", index), []float64{total}, []float64{d.Full() - d.Empty()}, 1e-12)
			}
		}
	})
}

// The faithful indices are, by definition, the game of singles and pairs that
// fits best: no small change of them fits better.
func TestFaithfulIndicesFitBest(t *testing.T) {
	const n = 6
	rng := rand.New(rand.NewPCG(4, 8))
	for range 20 {
		d := randomDiagram(rng, n, 0)
		v := enumerate(d)
		shapleyKernel := func(s int) float64 {
			if s == 0 || s == n {
				return 0
			}
			return (n - 1) / (binomial(n, s) * float64(s) * float64(n-s))
		}
		for _, test := range []struct {
			index  Index
			weight func(s int) float64
		}{{FSII, shapleyKernel}, {FBII, func(int) float64 { return 1 }}} {
			x := d.Interactions(test.index)
			residual := make([]float64, len(v))
			mean := 0.0
			for s := range v {
				c := FromMask(uint64(s))
				residual[s] = v[s] - v[0]
				for i := range c.Players() {
					residual[s] -= x.Single(i)
					for j := range c.Players() {
						residual[s] -= x.Pair(i, j) / 2
					}
				}
				mean += residual[s] / float64(len(v))
			}
			if test.index == FBII { // its constant is free
				for s := range residual {
					residual[s] -= mean
				}
			}
			// Least squares: residuals are orthogonal to every change that
			// keeps v(N): a term up and another down.
			slope := func(term Coalition) float64 {
				sum := 0.0
				for s := range residual {
					if c := FromMask(uint64(s)); term.SubsetOf(c) {
						sum += test.weight(c.Len()) * residual[s]
					}
				}
				return sum
			}
			base := slope(Of(0))
			if test.index == FBII && math.Abs(base) > 1e-12 {
				t.Fatalf("FBII: residuals lean by %v along player 0", base)
			}
			for i := range n {
				for j := range i + 1 {
					if lean := slope(Of(i, j)) - base; math.Abs(lean) > 1e-12 {
						t.Fatalf("%v: residuals lean by %v along {%d,%d}", test.index, lean, i, j)
					}
				}
			}
		}
	}
}

func TestInteractionsOfRefund(t *testing.T) {
	x := refund().Interactions(BII)
	if x.Pair(0, 1) >= 0 || x.Pair(2, 3) <= 0 || x.Pair(3, 2) != x.Pair(2, 3) || x.Pair(1, 1) != 0 || x.Players() != 4 {
		t.Errorf("pairs %v", x.pair)
	}
}

func TestInteractionsPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("index 99 is known")
		}
	}()
	refund().Interactions(99)
}

// TestGoldenIndices compares with values that the shapiq project publishes.
func TestGoldenIndices(t *testing.T) {
	shared := os.Getenv("AGENTBLAME_SHARED")
	if shared == "" {
		t.Skip("NOT CHECKED against published index values: AGENTBLAME_SHARED is not set")
	}
	read := func(index string) map[Coalition]float64 {
		raw := must(os.ReadFile(filepath.Join(shared, "games", "golden", "california-imputer-"+index+".json")))
		var file struct{ Data map[string]float64 }
		if err := json.Unmarshal(raw, &file); err != nil {
			t.Fatal(err)
		}
		values := map[Coalition]float64{}
		for key, x := range file.Data {
			c := Coalition{}
			if key != "Empty" {
				for p := range strings.SplitSeq(key, ",") {
					c = c.With(must(strconv.Atoi(p)))
				}
			}
			values[c] = x
		}
		return values
	}
	const n = 8
	v := make(Table, 1<<n)
	for term, x := range read("Moebius-8") {
		for s := range v {
			if term.SubsetOf(FromMask(uint64(s))) {
				v[s] += x
			}
		}
	}
	d := v.Diagram()
	compare := func(name string, singles []float64, x *Interactions) {
		for c, want := range read(name) {
			players := c.Slice()
			got := math.NaN()
			switch {
			case len(players) == 1:
				got = singles[players[0]]
			case len(players) == 2:
				got = x.Pair(players[0], players[1])
			case len(players) == 0:
				continue
			}
			if !(math.Abs(got-want) <= 1e-9) {
				t.Errorf("%s of %v: %v, want %v", name, c, got, want)
			}
		}
	}
	compare("SV-1", d.Shapley(nil), nil)
	compare("SV-1", v.Shapley(nil), nil)
	compare("BV-1", d.Banzhaf(nil), nil)
	for _, index := range []Index{SII, KSII, STII, FSII, BII, FBII} {
		x := d.Interactions(index)
		compare(index.String()+"-2", x.single, x)
	}
}

func BenchmarkInteractions4(b *testing.B) {
	d := refund().Ordered(nil)
	b.ReportAllocs()
	for b.Loop() {
		d.Interactions(SII)
	}
}

func BenchmarkInteractions64Majority(b *testing.B) {
	d := threshold(equalWeights(64), 33)
	for b.Loop() {
		d.Interactions(SII)
	}
}
