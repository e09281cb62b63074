package noise

import (
	"fmt"
	"math"
	"slices"
	"testing"
)

// The tests here compare laws by simulation with fixed seeds. Their z-scores are
// about standard normal where the laws agree; 3.5 is exceeded with probability
// 0.0002.
const maxZ = 3.5

var minusInf = math.Inf(-1)

// A lawCase is an observed choice and other logits to choose under; NaN marks
// an option that isn't there.
type lawCase struct {
	name     string
	old, new []float64
	chosen   int
}

func lawCases() []lawCase {
	nan := math.NaN()
	return []lawCase{
		{"shifted", []float64{1, 1.3, 0.2, -1}, []float64{3, 0.2, 0.5, 0}, 1},
		{"unlikely choice", []float64{2, 0, -1.5, 1}, []float64{0, 0.5, 0, 1}, 2},
		{"masked options return", []float64{1, minusInf, 0, minusInf}, []float64{0.5, 1, 0, 0.7}, 0},
		{"masked by a number", []float64{1, -1e30, 0, -60}, []float64{0.5, 1, 0, 0.7}, 0},
		{"winner vanishes", []float64{1, 0.5, 0, -1}, []float64{minusInf, 0, 0.5, 1}, 0},
		{"winner is gone", []float64{1, 0.5, 0, -1}, []float64{nan, 0, 0.5, 1}, 0},
		{"new options", []float64{1, 0, nan, nan}, []float64{0, 0.3, 1, 0.5}, 1},
		{"offset", []float64{1e9, 1e9 + 1, 1e9 - 1, 1e9}, []float64{-1e9, -1e9, -1e9 + 1, -1e9}, 3},
	}
}

// present returns the logits with NaN, absent, made impossible.
func present(logits []float64) []float64 {
	l := slices.Clone(logits)
	for i := range l {
		if math.IsNaN(l[i]) {
			l[i] = minusInf
		}
	}
	return l
}

// worlds is how many worlds a law is simulated with.
const worlds = 10_000

// counterfactuals counts the choices under c.new in posterior worlds, drawn as
// named options and as numbered ones.
func counterfactuals(t *testing.T, c lawCase) (byName, byIndex []int) {
	byName, byIndex = make([]int, len(c.new)), make([]int, len(c.new))
	options := make(map[string]int)
	for i := range c.new {
		options[name(i)] = i
	}
	w := given(t, World{Seed: 77},
		Draw{Key: "c", Kind: Categorical, Logits: named(c.old), Chosen: name(c.chosen)},
		Draw{Key: "i", Kind: Index, IndexLogits: present(c.old), Value: float64(c.chosen)})
	var s Source
	for w.Index = range worlds {
		s.Reset(w, "writer", "1")
		byName[options[s.Categorical("c", named(c.new))]]++
		byIndex[s.Index("i", present(c.new))]++
	}
	return byName, byIndex
}

// rejection counts the choices under c.new in those prior worlds in which c's
// observation happens to be made.
func rejection(c lawCase) []int {
	counts := make([]int, len(c.new))
	old, new := present(c.old), present(c.new)
	w := World{Seed: 13}
	var s Source
	for accepted := 0; accepted < worlds; w.Index++ {
		s.Reset(w, "writer", "1")
		if s.Index("k", old) != c.chosen {
			continue
		}
		accepted++
		s.Reset(w, "writer", "1")
		counts[s.Index("k", new)]++
	}
	return counts
}

// The Gumbels themselves have their posterior law, each and jointly: compared
// with rejection by the law of every Gumbel and of every difference of two.
func TestPosteriorGumbels(t *testing.T) {
	old := []float64{1, 1.3, 0.2, -1}
	const chosen = 2
	abductedGumbels := make([][]float64, len(old))
	d := Draw{Key: "k", Kind: Index, IndexLogits: old, Value: chosen}
	e, err := newEvidence(d)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(worlds) {
		s := World{Seed: 5, Index: i}.Source("writer", "1")
		h := s.digest(abducted, "k")
		r := h.stream()
		g0 := gumbel(uniform(r.bits(chosen)))
		maximum := e.top + e.z + g0
		for o := range old {
			g := maximum - old[o]
			if o != chosen { // the standing under logit 0 is the Gumbel less the maximum
				g = e.standing(0, old[o], g0, gumbel(uniform(r.bits(uint64(o))))) + maximum
			}
			abductedGumbels[o] = append(abductedGumbels[o], g)
		}
	}
	rejected := make([][]float64, len(old))
	for i := uint64(0); len(rejected[0]) < worlds; i++ {
		s := World{Seed: 6, Index: i}.Source("writer", "1")
		if s.Index("k", old) != chosen {
			continue
		}
		h := s.digest(prior, "k")
		r := h.stream()
		for o := range old {
			rejected[o] = append(rejected[o], gumbel(uniform(r.bits(uint64(o)))))
		}
	}
	for a := range old {
		if d := ks2(abductedGumbels[a], rejected[a]); d > 1.95 {
			t.Errorf("Gumbel %d: Kolmogorov–Smirnov %.2f", a, d)
		}
		for b := range a {
			minus := func(x, y []float64) []float64 {
				z := slices.Clone(x)
				for i := range z {
					z[i] -= y[i]
				}
				return z
			}
			if d := ks2(minus(abductedGumbels[a], abductedGumbels[b]), minus(rejected[a], rejected[b])); d > 1.95 {
				t.Errorf("Gumbel %d − Gumbel %d: Kolmogorov–Smirnov %.2f", a, b, d)
			}
		}
	}
}

// joint is the exact law of two Gumbel-max choices with shared Gumbels under
// probabilities p and q: entry [k][i] is P(argmax(ln p+g) = k, argmax(ln q+g) = i).
//
// On the diagonal it is 1/Σⱼ max(pⱼ/p_k, qⱼ/q_k). Off it, it is
// ∫ p_k q_i / (p_k + q_i r + Σ max(pⱼ, qⱼ r))² dr over p_i/q_i < r < p_k/q_k, the
// sum over the other j, in closed form between the sorted breakpoints pⱼ/qⱼ.
func joint(p, q []float64) [][]float64 {
	law := make([][]float64, len(p))
	for k := range p {
		law[k] = make([]float64, len(q))
		for i := range q {
			law[k][i] = jointEntry(p, q, k, i)
		}
	}
	return law
}

func jointEntry(p, q []float64, k, i int) float64 {
	if p[k] == 0 || q[i] == 0 {
		return 0
	}
	if k == i {
		sum := 0.0
		for j := range p {
			sum += max(p[j]/p[k], q[j]/q[k])
		}
		return 1 / sum
	}
	lo, hi := p[i]/q[i], p[k]/q[k] // q[k] = 0: up to infinity
	if lo >= hi {
		return 0
	}
	cuts := []float64{lo, hi}
	for j := range p {
		if r := p[j] / q[j]; r > lo && r < hi {
			cuts = append(cuts, r)
		}
	}
	slices.Sort(cuts)
	total := 0.0
	for c := range len(cuts) - 1 {
		a, b := cuts[c], cuts[c+1]
		constant, slope := p[k], q[i]
		for j := range p {
			switch {
			case j == k || j == i:
			case p[j]/q[j] >= b:
				constant += p[j]
			default:
				slope += q[j]
			}
		}
		if math.IsInf(b, 1) {
			total += p[k] * q[i] / slope / (constant + slope*a)
		} else {
			total += p[k] * q[i] * (b - a) / ((constant + slope*a) * (constant + slope*b))
		}
	}
	return total
}

// The closed form's marginals are p and q: the formula itself is right.
func TestJointLawMarginals(t *testing.T) {
	r := testStream("joint")
	for c := range uint64(200) {
		n := 2 + int(c%6)
		var l, m []float64
		for i := range uint64(n) {
			l = append(l, 3*normal(uniform(r.bits(100*c+2*i))))
			m = append(m, 3*normal(uniform(r.bits(100*c+2*i+1))))
		}
		p, q := softmax(l), softmax(m)
		law := joint(p, q)
		for k := range law {
			row, column := 0.0, 0.0
			for i := range law {
				row += law[k][i]
				column += law[i][k]
			}
			if math.Abs(row-p[k]) > 1e-12 || math.Abs(column-q[k]) > 1e-12 {
				t.Fatalf("marginals of option %d are %v and %v, want %v and %v", k, row, column, p[k], q[k])
			}
		}
	}
}

// Pairs of choices have the joint law in prior worlds. The counterfactual choice
// has the law of its row in posterior worlds, as well as in prior ones in which
// the observation happens to be made. The law's zeros are
// counterfactual stability (Oberst and Sontag 2019): an option whose odds
// against the observed one haven't risen is never chosen instead of it.
func TestJointLaw(t *testing.T) {
	for _, c := range lawCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			old, new := present(c.old), present(c.new)
			p, q := softmax(old), softmax(new)
			law := joint(p, q)

			var pairs []int
			var flat []float64
			for k := range law {
				pairs = append(pairs, make([]int, len(law))...)
				flat = append(flat, law[k]...)
			}
			var s Source
			for i := range uint64(worlds) {
				w := World{Seed: 21, Index: i}
				s.Reset(w, "writer", "1")
				k := s.Index("k", old)
				s.Reset(w, "writer", "1")
				pairs[k*len(law)+s.Index("k", new)]++
			}
			if z := chi2(pairs, flat); z > maxZ {
				t.Errorf("prior worlds: %v, want %v of %d: z = %.1f", pairs, flat, worlds, z)
			}

			row := slices.Clone(law[c.chosen])
			for i := range row {
				row[i] /= p[c.chosen]
			}
			byName, byIndex := counterfactuals(t, c)
			rejected := rejection(c)
			check := func(how string, counts []int) {
				if z := chi2(counts, row); z > maxZ {
					t.Errorf("by %s: %v, want %.4f of %d: z = %.1f", how, counts, row, worlds, z)
				}
			}
			check("name", byName)
			check("index", byIndex)
			check("rejection", rejected)
			if z := homogeneity(byName, rejected); z > maxZ {
				t.Errorf("by name %v, by rejection %v: z = %.1f", byName, rejected, z)
			}
		})
	}
}

// An int or bool observation leaves the uniform its conditional law.
func TestPosteriorScalars(t *testing.T) {
	for _, c := range []struct {
		d      Draw
		lo, hi float64
	}{
		{Draw{Key: "k", Kind: Int, N: 10, Value: 3}, 0.3, 0.4},
		{Draw{Key: "k", Kind: Int, N: 1, Value: 0}, 0, 1},
		{Draw{Key: "k", Kind: Int, N: maxInt, Value: 7}, 7 / float64(maxInt), 8 / float64(maxInt)},
		{Draw{Key: "k", Kind: Bool, P: 0.35, Value: 1}, 0, 0.35},
		{Draw{Key: "k", Kind: Bool, P: 0.35, Value: 0}, 0.35, 1},
	} {
		w := given(t, World{Seed: 31}, c.d)
		var u []float64
		fifths := make([]int, 5)
		for w.Index = range worlds {
			u = append(u, w.Source("writer", "1").Float64("k"))
			fifths[w.Source("writer", "1").IntN("k", 5)]++
		}
		what := fmt.Sprintf("%s %v", c.d.Kind, c.d.Value)
		if d := ks(u, func(x float64) float64 { return min(1, max(0, (x-c.lo)/(c.hi-c.lo))) }); d > 1.95 {
			t.Errorf("%s: uniforms, Kolmogorov–Smirnov %.2f", what, d)
		}
		p := make([]float64, 5)
		for i := range p {
			p[i] = max(0, min(c.hi, float64(i+1)/5)-max(c.lo, float64(i)/5)) / (c.hi - c.lo)
			if p[i] < 1e-9 {
				p[i] = 0
			}
		}
		if z := chi2(fifths, p); z > maxZ {
			t.Errorf("%s: fifths %v, want %v: z = %.1f", what, fifths, p, z)
		}
	}
}
