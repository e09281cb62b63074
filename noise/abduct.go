package noise

import "math"

// standing is how far l + g of an option other than the chosen one is above the
// maximum M that the observed choice had, under a new logit l.
//
// With Z = ln Σ e^logit and Gumbels g0, gi: M = Z + g0, and the option's
// posterior Gumbel plus its old logit is −ln(e^−M + e^−(old+gi)), which is
// M − softplus(x) for x = M − (old+gi) = (Z − old) + (g0 − gi). So the standing
// is (l − old) − softplus(x), and for x > 0 equally (l − Z) + (gi − g0) −
// ln(1+e^−x), where old has gone: that form holds for a masked option (old a
// huge negative number or −Inf, its Gumbel as in the prior) as well as for the
// runner-up. For l = old both are below 0, the chosen option's standing, in
// floating point too; so the observation is always repeated.
func (e *evidence) standing(l, old, g0, gi float64) float64 {
	x := ((e.top - old) + e.z) + (g0 - gi)
	if x > 0 {
		return (((l - e.top) - e.z) + (gi - g0)) - log1p(exp(-x))
	}
	return (l - old) - log1p(exp(x))
}

// option returns the standing of any named option under its new logit.
func (e *evidence) option(address []byte, option string, l, g0 float64) float64 {
	old, ok := e.draw.Logits[option]
	switch {
	case option == e.draw.Chosen:
		return l - old
	case !ok || math.IsInf(old, -1):
		return e.standing(l, math.Inf(-1), g0, optionGumbel(address, prior, option))
	}
	return e.standing(l, old, g0, optionGumbel(address, abducted, option))
}

// index returns the counterfactual choice under new logits, of which at least
// one is finite; own and abducted are the streams of the two domains.
func (e *evidence) index(own, abducted stream, logits []float64) int {
	c := counterfactual{evidence: e, own: own, logits: logits, best: best{at: -1}}
	winner := int(e.draw.Value)
	c.g0 = gumbel(uniform(abducted.bits(uint64(winner))))
	if winner < len(logits) && !math.IsInf(logits[winner], -1) {
		c.best = best{at: winner, value: logits[winner] - e.draw.IndexLogits[winner]}
	}
	for i := 0; i < len(logits); i += 2 {
		even, odd := abducted.block(uint64(i) / 2)
		if i != winner {
			c.consider(i, even)
		}
		if i+1 < len(logits) && i+1 != winner {
			c.consider(i+1, odd)
		}
	}
	return c.at
}

// counterfactual is the search for the choice under new logits.
type counterfactual struct {
	*evidence
	best
	own    stream
	logits []float64
	g0     float64
}

// consider offers option i, whose abducted bits are k.
func (c *counterfactual) consider(i int, k uint64) {
	l := c.logits[i]
	if math.IsInf(l, -1) {
		return
	}
	old := math.Inf(-1)
	if i < len(c.draw.IndexLogits) {
		old = c.draw.IndexLogits[i]
	}
	if math.IsInf(old, -1) {
		k = c.own.bits(uint64(i))
	}
	if c.at >= 0 && c.beaten(l, old, gumbelBound(k)) {
		return
	}
	v := c.standing(l, old, c.g0, gumbel(uniform(k)))
	if c.at < 0 {
		c.best = best{i, v}
		return
	}
	c.offer(i, v)
}

// beaten reports whether an option whose Gumbel is at most g surely stands
// below the best. Rounding is monotone, so x and the first terms of a positive
// x's standing are bounded in floating point too, and ln(1+e^−x) ≥ 0.
func (c *counterfactual) beaten(l, old, g float64) bool {
	x := ((c.top - old) + c.z) + (c.g0 - g)
	return x > 0 && ((l-c.top)-c.z)+(g-c.g0) < c.value
}
