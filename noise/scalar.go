package noise

import "math"

// maxInt is the largest n of IntN and Perm. With it, 53 random bits give every
// outcome its probability with a relative error below 2⁻²².
const maxInt = math.MaxInt32

// Float64 draws a uniform number in the open interval (0, 1).
func (s *Source) Float64(key string) float64 {
	return s.real(key, Uniform, func(u float64) float64 { return u })
}

// Norm draws from the standard normal distribution.
func (s *Source) Norm(key string) float64 { return s.real(key, Normal, normal) }

// Exp draws from the exponential distribution with mean 1.
func (s *Source) Exp(key string) float64 { return s.real(key, Exponential, exponential) }

// real draws f(uniform).
func (s *Source) real(key string, kind Kind, f func(float64) float64) float64 {
	s.claim(key)
	var v float64
	if e := s.known[key]; e != nil && e.draw.Kind == kind {
		v = e.draw.Value
	} else {
		v = f(uniform(s.bits(key, e)))
	}
	if s.recording {
		s.record(Draw{Key: key, Kind: kind, Value: v})
	}
	return v
}

// IntN draws a whole number from 0 to n−1, for n from 1 to 2³¹−1.
func (s *Source) IntN(key string, n int) int {
	if n < 1 || n > maxInt {
		s.fail(key, "IntN(%d): n must be from 1 to 2^31-1", n)
	}
	s.claim(key)
	v := int(below(s.bits(key, s.known[key]), uint64(n)))
	if s.recording {
		s.record(Draw{Key: key, Kind: Int, N: n, Value: float64(v)})
	}
	return v
}

// Bool draws true with probability p.
func (s *Source) Bool(key string, p float64) bool {
	if !(p >= 0 && p <= 1) {
		s.fail(key, "Bool(%v): p must be from 0 to 1", p)
	}
	s.claim(key)
	v := uniform(s.bits(key, s.known[key])) < p
	if s.recording {
		d := Draw{Key: key, Kind: Bool, P: p}
		if v {
			d.Value = 1
		}
		s.record(d)
	}
	return v
}

// Seed draws a number from 0 to 2⁵³−1 to seed a third party's generator with.
// It is exact in JSON and in JavaScript.
func (s *Source) Seed(key string) int64 {
	s.claim(key)
	k := s.bits(key, s.known[key])
	if s.recording {
		s.record(Draw{Key: key, Kind: Seed, Value: float64(k)})
	}
	return int64(k)
}

// Perm draws a permutation of 0 … n−1, for n from 0 to 2³¹−1. Permutations of
// different lengths at one address share their swaps: swap i of the
// Fisher–Yates shuffle depends on i only.
func (s *Source) Perm(key string, n int) []int {
	if n < 0 || n > maxInt {
		s.fail(key, "Perm(%d): n must be from 0 to 2^31-1", n)
	}
	s.claim(key)
	var swaps []int
	if e := s.known[key]; e != nil {
		swaps = e.swaps
	}
	d := s.digest(prior, key)
	r := d.stream()
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	for i := n - 1; i > 0; i-- {
		var j int
		if i < len(swaps) {
			j = swaps[i]
		} else {
			j = int(below(r.bits(uint64(i)), uint64(i)+1))
		}
		p[i], p[j] = p[j], p[i]
	}
	if s.recording {
		s.record(Draw{Key: key, Kind: Perm, Perm: append([]int(nil), p...)})
	}
	return p
}

// bits returns the 53 bits behind the scalar draws at key, given what is known
// of them.
func (s *Source) bits(key string, e *evidence) uint64 {
	if e == nil || !e.draw.Kind.scalar() {
		d := s.digest(prior, key)
		return d.bits()
	}
	if e.lo == e.hi {
		return e.lo
	}
	d := s.digest(abducted, key)
	return e.lo + below(d.bits(), e.hi-e.lo+1)
}

// below scales 53 random bits to a whole number from 0 to n−1, n ≤ 2⁵³.
func below(k, n uint64) uint64 {
	return min(uint64(float64(uniform(k)*float64(n))), n-1)
}
