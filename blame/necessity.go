package blame

// Necessity and sufficiency of a step's fix, over the analysed failures (Pearl,
// Causality, ch. 9). Where the noise is held fixed they are counted: sufficient
// is a fix that repairs the failure alone, necessary one without which all other
// fixes don't. In prior mode only success rates are known, and these bound them
// (Tian and Pearl 2000).
type Necessity struct {
	// Sufficient bounds the probability that the fix would have repaired a run
	// that failed, Necessary that a run that passes with it would have failed
	// without it.
	Sufficient Bounds `json:"sufficient"`
	Necessary  Bounds `json:"necessary"`
	// Exact says that both are known, not just bounded.
	Exact bool `json:"exact"`
}

// counted is what a batch knows of a step's necessity.
type counted struct {
	alone, needed  float64 // sums over cases
	asRun, withFix float64 // prior mode: sums of success rates
}

func (c counted) result(mode Mode, n float64) *Necessity {
	if n == 0 {
		return nil
	}
	if mode != Prior {
		s, k := c.alone/n, c.needed/n
		return &Necessity{Sufficient: Bounds{s, s}, Necessary: Bounds{k, k}, Exact: true}
	}
	s, k := tianPearl(c.asRun/n, c.withFix/n)
	return &Necessity{Sufficient: s, Necessary: k}
}

// tianPearl bounds the probabilities of sufficiency and of necessity from the
// rate a at which runs pass as they are and b at which they pass with the fix:
//
//	PS ∈ [max(0, (b−a)/(1−a)), min(1, b/(1−a))]
//	PN ∈ [max(0, (b−a)/b),     min(1, (1−a)/b)]
func tianPearl(a, b float64) (sufficient, necessary Bounds) {
	sufficient, necessary = Bounds{0, 1}, Bounds{0, 1}
	if a < 1 {
		sufficient = Bounds{max(0, (b-a)/(1-a)), min(1, b/(1-a))}
	}
	if b > 0 {
		necessary = Bounds{max(0, (b-a)/b), min(1, (1-a)/b)}
	}
	return sufficient, necessary
}
