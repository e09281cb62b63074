package noise

import (
	"fmt"
	"math"
	"strconv"
	"testing"
)

// addresses are sequences of uniforms along which one part of the address, or
// the number in a stream, counts up.
func addresses() map[string]func(i int) float64 {
	at := func(w World, step, call, key string) float64 { return w.Source(step, call).Float64(key) }
	n := strconv.Itoa
	r := testStream("quality")
	return map[string]func(i int) float64{
		"seed":  func(i int) float64 { return at(World{Seed: uint64(i)}, "writer", "1", "k") },
		"index": func(i int) float64 { return at(World{Index: uint64(i)}, "writer", "1", "k") },
		"step":  func(i int) float64 { return at(World{}, "writer"+n(i), "1", "k") },
		"call":  func(i int) float64 { return at(World{}, "writer", n(i), "k") },
		"key":   func(i int) float64 { return at(World{}, "writer", "1", "k"+n(i)) },
		"option": func(i int) float64 {
			s := World{}.Source("writer", "1")
			return math.Exp(-math.Exp(-optionGumbel(s.address(nil, prior, "k"), prior, n(i))))
		},
		"stream": func(i int) float64 { return uniform(r.bits(uint64(i))) },
		"streams": func(i int) float64 {
			s := World{Index: uint64(i)}.Source("writer", "1")
			d := s.digest(prior, "k")
			r := d.stream()
			return uniform(r.bits(0))
		},
	}
}

func sequence(f func(i int) float64, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = f(i)
	}
	return x
}

func TestUniformity(t *testing.T) {
	const n = 20_000
	for name, f := range addresses() {
		u := sequence(f, n)
		if d := ks(u, func(x float64) float64 { return x }); d > 1.95 {
			t.Errorf("%s: Kolmogorov–Smirnov %.2f", name, d)
		}
		high, low := make([]int, 256), make([]int, 256)
		for _, x := range u {
			k := uint64(x * 0x1p53)
			high[k>>45]++
			if name != "option" { // its uniforms are recovered from rounded Gumbels
				low[k&255]++
			}
		}
		flat := make([]float64, 256)
		for i := range flat {
			flat[i] = 1.0 / 256
		}
		if z := chi2(high, flat); z > 3.5 {
			t.Errorf("%s: high bits z = %.2f", name, z)
		}
		if z := chi2(low, flat); name != "option" && z > 3.5 {
			t.Errorf("%s: low bits z = %.2f", name, z)
		}
	}
}

// Neighbours along every part of an address, and different parts counting up
// together, are uncorrelated.
func TestNoCorrelation(t *testing.T) {
	const n = 20_000
	u := make(map[string][]float64)
	for name, f := range addresses() {
		u[name] = sequence(f, n+2)
	}
	check := func(name string, a, b []float64) {
		if z := correlation(a, b); math.Abs(z) > 4 {
			t.Errorf("%s: correlation z = %.2f", name, z)
		}
	}
	for a := range u {
		for lag := 1; lag <= 2; lag++ {
			check(fmt.Sprintf("%s, lag %d", a, lag), u[a][:n], u[a][lag:n+lag])
		}
		for b := range u {
			if a < b {
				check(a+" and "+b, u[a], u[b])
			}
		}
	}
}

// The draws that one digest gives are independent of each other: its own
// uniform, the stream's, and both domains'.
func TestDigestPartsAreIndependent(t *testing.T) {
	const n = 20_000
	parts := make([][]float64, 6)
	for i := range n {
		s := World{Index: uint64(i)}.Source("writer", "1")
		for j, domain := range []byte{prior, abducted} {
			d := s.digest(domain, "k")
			r := d.stream()
			parts[3*j] = append(parts[3*j], uniform(d.bits()))
			parts[3*j+1] = append(parts[3*j+1], uniform(r.bits(0)))
			parts[3*j+2] = append(parts[3*j+2], uniform(r.bits(1)))
		}
	}
	for i := range parts {
		for j := range i {
			if z := correlation(parts[i], parts[j]); math.Abs(z) > 4 {
				t.Errorf("parts %d and %d: correlation z = %.2f", i, j, z)
			}
		}
	}
}

func TestDistributions(t *testing.T) {
	const n = 20_000
	draw := func(f func(*Source) float64) []float64 {
		return sequence(func(i int) float64 { return f(World{Seed: 9, Index: uint64(i)}.Source("writer", "1")) }, n)
	}
	for name, c := range map[string]struct {
		sample []float64
		cdf    func(float64) float64
	}{
		"normal":      {draw(func(s *Source) float64 { return s.Norm("k") }), func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }},
		"exponential": {draw(func(s *Source) float64 { return s.Exp("k") }), func(x float64) float64 { return -math.Expm1(-x) }},
		"gumbel": {draw(func(s *Source) float64 { return optionGumbel(s.address(nil, prior, "k"), prior, "o") }),
			func(x float64) float64 { return math.Exp(-math.Exp(-x)) }},
		"seed": {draw(func(s *Source) float64 { return float64(s.Seed("k")) * 0x1p-53 }), func(x float64) float64 { return x }},
	} {
		if d := ks(c.sample, c.cdf); d > 1.95 {
			t.Errorf("%s: Kolmogorov–Smirnov %.2f", name, d)
		}
	}
}

func TestDiscreteDistributions(t *testing.T) {
	const n = 20_000
	logits := []float64{1, 1.3, -0.5, math.Inf(-1), 2, 0, -3}
	named := make(map[string]float64)
	for i, l := range logits {
		named[strconv.Itoa(i)] = l
	}
	flat := func(n int) []float64 { return softmax(make([]float64, n)) }
	for name, c := range map[string]struct {
		p    []float64
		draw func(*Source) int
	}{
		"int":  {flat(7), func(s *Source) int { return s.IntN("k", 7) }},
		"bool": {[]float64{0.3, 0.7}, func(s *Source) int { return map[bool]int{true: 0, false: 1}[s.Bool("k", 0.3)] }},
		"perm": {flat(24), func(s *Source) int { // its rank in Lehmer's code
			p, rank := s.Perm("k", 4), 0
			for i := range p {
				smaller := 0
				for _, v := range p[i+1:] {
					if v < p[i] {
						smaller++
					}
				}
				rank = rank*(4-i) + smaller
			}
			return rank
		}},
		"categorical": {softmax(logits), func(s *Source) int { i, _ := strconv.Atoi(s.Categorical("k", named)); return i }},
		"index":       {softmax(logits), func(s *Source) int { return s.Index("k", logits) }},
	} {
		counts := make([]int, len(c.p))
		for i := range n {
			counts[c.draw(World{Seed: 4, Index: uint64(i)}.Source("writer", "1"))]++
		}
		if z := chi2(counts, c.p); z > 3.5 {
			t.Errorf("%s: z = %.2f, counts %v", name, z, counts)
		}
	}
}
