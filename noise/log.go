package noise

import "math"

// The functions of this file and of normal.go use only IEEE 754 double
// additions, multiplications, divisions and square roots, each rounded once.
// Go may fuse x*y + z into one operation with one rounding on some machines,
// and does not across an explicit conversion: hence float64(x*y) around every
// product. math.Log, math.Exp and math.Log1p won't do: they differ in the last
// bit between machines and from other languages' libraries.
//
// ln and exp follow FreeBSD's e_log.c and e_exp.c, which came with this notice:
//
//	====================================================
//	Copyright (C) 1993, 2004 by Sun Microsystems, Inc. All rights reserved.
//
//	Developed at SunPro, a Sun Microsystems, Inc. business.
//	Permission to use, copy, modify, and distribute this
//	software is freely granted, provided that this notice
//	is preserved.
//	====================================================

const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10

	sqrtHalf = 0x3FE6A09E667F3BCD // the bits of √½
)

// madd is x*y + z, rounded twice.
func madd(x, y, z float64) float64 { return float64(x*y) + z }

// ln is the natural logarithm of a positive normal number, within 1 ulp.
//
// With x = 2ᵏ(1+f), √½ ≤ 1+f < √2 and s = f/(2+f), it is
// k·ln 2 + f − (f²/2 − s(f²/2 + R(s²))), R a minimax polynomial.
func ln(x float64) float64 {
	const (
		l1 = 6.666666666666735130e-01
		l2 = 3.999999999940941908e-01
		l3 = 2.857142874366239149e-01
		l4 = 2.222219843214978396e-01
		l5 = 1.818357216161805012e-01
		l6 = 1.531383769920937332e-01
		l7 = 1.479819860511658591e-01
	)
	// Subtracting √½ as an integer leaves k in the exponent's place, the floor
	// taken, with no branch to mispredict.
	b := math.Float64bits(x)
	e := int64(b-sqrtHalf) >> 52
	f, k := math.Float64frombits(b-uint64(e)<<52)-1, float64(e)
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	t1 := float64(s2 * madd(s4, madd(s4, madd(s4, l7, l5), l3), l1))
	t2 := float64(s4 * madd(s4, madd(s4, l6, l4), l2))
	r := t1 + t2
	h := float64(float64(0.5*f) * f)
	return float64(k*ln2Hi) - ((h - (float64(s*(h+r)) + float64(k*ln2Lo))) - f)
}

// exp is eˣ for x ≤ 0, within 1 ulp, and 0 below −700, where nobody here can
// tell the difference.
//
// With x = k·ln 2 + r, |r| ≤ ln(2)/2, it is 2ᵏ(1 + r + r·c/(2−c)), where
// c = r − r²P(r²), P a minimax polynomial.
func exp(x float64) float64 {
	const (
		log2e = 1.44269504088896338700e+00
		p1    = 1.66666666666666657415e-01
		p2    = -2.77777777770155933842e-03
		p3    = 6.61375632143793436117e-05
		p4    = -1.65339022054652515390e-06
		p5    = 4.13813679705723846039e-08
	)
	if x < -700 {
		return 0
	}
	n := int(float64(log2e*x) - 0.5) // towards zero: the nearest integer
	k := float64(n)
	hi := x - float64(k*ln2Hi)
	lo := float64(k * ln2Lo)
	r := hi - lo
	t := float64(r * r)
	c := r - float64(t*madd(t, madd(t, madd(t, madd(t, p5, p4), p3), p2), p1))
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	return float64(y * math.Float64frombits(uint64(n+1023)<<52))
}

// log1p is ln(1+y) for y ≥ 0, within 2 ulp for small y as well: the rounding of
// 1+y is undone by the factor y/((1+y)−1).
func log1p(y float64) float64 {
	w := 1 + y
	if w == 1 {
		return y
	}
	return float64(ln(w)*y) / (w - 1)
}

// uniform maps 53 random bits to (0, 1): k/2⁵³, and 2⁻⁵⁴ for k = 0.
func uniform(k uint64) float64 {
	if k == 0 {
		return 0x1p-54
	}
	return float64(float64(k) * 0x1p-53)
}

// exponential maps a uniform to a standard exponential variable, in (0, 37.5).
func exponential(u float64) float64 { return -ln(u) }

// gumbel maps a uniform to a standard Gumbel variable, in (−3.63, 36.74).
func gumbel(u float64) float64 { return -ln(exponential(u)) }
