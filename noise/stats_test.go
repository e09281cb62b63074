package noise

import (
	"math"
	"slices"
)

// ks is the Kolmogorov–Smirnov statistic times √n of a sample against a
// distribution function. Above 1.95 with probability 0.001.
func ks(sample []float64, cdf func(float64) float64) float64 {
	x := slices.Sorted(slices.Values(sample))
	n, d := float64(len(x)), 0.0
	for i, v := range x {
		f := cdf(v)
		d = max(d, float64(i+1)/n-f, f-float64(i)/n)
	}
	return d * math.Sqrt(n)
}

// ks2 is the two-sample statistic, scaled likewise.
func ks2(a, b []float64) float64 {
	x, y := slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	n, m := float64(len(x)), float64(len(y))
	d := 0.0
	for i, j := 0, 0; i < len(x) && j < len(y); {
		if x[i] <= y[j] {
			i++
		} else {
			j++
		}
		d = max(d, math.Abs(float64(i)/n-float64(j)/m))
	}
	return d * math.Sqrt(n*m/(n+m))
}

// chi2 is the z-score (Wilson and Hilferty's cube root) of the χ² statistic of
// counts against probabilities. Options of probability 0 must not occur.
func chi2(counts []int, p []float64) float64 {
	n, x, df := 0.0, 0.0, -1.0
	for _, c := range counts {
		n += float64(c)
	}
	for i, c := range counts {
		if p[i] == 0 {
			if c > 0 {
				return math.Inf(1)
			}
			continue
		}
		e := n * p[i]
		x += (float64(c) - e) * (float64(c) - e) / e
		df++
	}
	return wilsonHilferty(x, df)
}

// homogeneity is the z-score of the χ² statistic for two rows of counts having
// one law.
func homogeneity(a, b []int) float64 {
	var na, nb, x float64
	df := -1.0
	for i := range a {
		na += float64(a[i])
		nb += float64(b[i])
	}
	for i := range a {
		t := float64(a[i] + b[i])
		if t == 0 {
			continue
		}
		ea, eb := t*na/(na+nb), t*nb/(na+nb)
		x += (float64(a[i])-ea)*(float64(a[i])-ea)/ea + (float64(b[i])-eb)*(float64(b[i])-eb)/eb
		df++
	}
	return wilsonHilferty(x, df)
}

func wilsonHilferty(x, df float64) float64 {
	if df < 1 {
		return 0
	}
	v := 2 / (9 * df)
	return (math.Cbrt(x/df) - (1 - v)) / math.Sqrt(v)
}

// correlation is the sample correlation times √n: about standard normal for
// independent samples.
func correlation(a, b []float64) float64 {
	n := float64(len(a))
	var sa, sb, saa, sbb, sab float64
	for i := range a {
		sa += a[i]
		sb += b[i]
		saa += a[i] * a[i]
		sbb += b[i] * b[i]
		sab += a[i] * b[i]
	}
	return (sab - sa*sb/n) / math.Sqrt((saa-sa*sa/n)*(sbb-sb*sb/n)) * math.Sqrt(n)
}

// softmax returns the probabilities of logits.
func softmax(logits []float64) []float64 {
	top, sum := slices.Max(logits), 0.0
	p := make([]float64, len(logits))
	for i, l := range logits {
		p[i] = math.Exp(l - top)
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}
