package confseq

import (
	"math"
	"sort"
)

// EBH is the e-Benjamini-Hochberg procedure (Wang and Ramdas 2022): of K e-values it returns the indices of the
// k largest, where k is the largest number such that the k-th largest is at least K/(kδ).
// The expected share of false ones among them is at most delta, under any dependence.
// The e-values must be taken at one stopping time; largest values over time won't do.
func EBH(e []float64, delta float64) []int {
	order := byMean(func(i int) float64 { return e[i] }, len(e))
	k := len(order)
	for ; k > 0; k-- {
		if e[order[k-1]] >= float64(len(e))/(float64(k)*delta) {
			break
		}
	}
	rejected := order[:k]
	sort.Ints(rejected)
	return rejected
}

// Closed tests hypotheses by e-values and returns the indices of those that are rejected; the probability that even
// one of them is true is at most delta, under any dependence, and at any stopping time if the e-values are wealth
// processes. It dominates Bonferroni, which asks for K/δ.
//
// Hypothesis i is rejected when in every set of hypotheses that contains it the mean e-value is at least 1/δ
// (closed testing with the arithmetic mean, Vovk and Wang 2021). The worst set adds exactly those that are below 1/δ,
// so i has to make up for all their deficits.
func Closed(e []float64, delta float64) []int {
	threshold, deficit := 1/delta, 0.0
	for _, x := range e {
		deficit += max(threshold-x, 0)
	}
	var rejected []int
	for i, x := range e {
		if x >= threshold && (math.IsInf(x, 1) || x-threshold >= deficit) {
			rejected = append(rejected, i)
		}
	}
	return rejected
}
