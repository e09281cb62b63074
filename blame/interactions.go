package blame

import (
	"cmp"
	"math"
	"slices"

	"github.com/agentblame/agentblame/game"
)

// An Interaction says what two fixes do together beyond what each does.
type Interaction struct {
	// Players are the two.
	Players [2]string `json:"players"`
	// Kind is "synergy" when they need each other (SII above 0), "redundancy"
	// when either does the other's work.
	Kind string `json:"kind"`
	// SII, STII, FSII and BII are the Shapley, Shapley–Taylor, faithful Shapley
	// and Banzhaf interaction indices of order 2. In a batch they are means.
	SII  float64 `json:"sii"`
	STII float64 `json:"stii"`
	FSII float64 `json:"fsii"`
	BII  float64 `json:"bii"`
	// Exact are the same as fractions, where scores are 0 or 1.
	Exact *ExactInteraction `json:"exact,omitempty"`
	// Synergies and Redundancies count a batch's cases of either kind.
	Synergies    int `json:"synergies,omitempty"`
	Redundancies int `json:"redundancies,omitempty"`
}

// ExactInteraction is an interaction in fractions.
type ExactInteraction struct {
	SII  string `json:"sii"`
	STII string `json:"stii"`
	FSII string `json:"fsii"`
	BII  string `json:"bii"`
}

// Effects are the effects of single players by indices other than the Shapley
// value. Those of KSII, STII and FSII add up, with the pairs', to v(N) − v(∅).
type Effects struct {
	Banzhaf ByPlayer[float64] `json:"banzhaf"`
	KSII    ByPlayer[float64] `json:"k_sii"`
	STII    ByPlayer[float64] `json:"stii"`
	FSII    ByPlayer[float64] `json:"fsii"`
}

// Limits of interactions: the most players for which they are computed, and the
// most pairs that a case lists.
const (
	interactionPlayers = 64
	maxInteractions    = 100
)

// indices in the order of Interaction's fields; KSII has SII's pairs.
func pairIndices() []game.Index { return []game.Index{game.SII, game.STII, game.FSII, game.BII} }

// interactions fills in a case's interactions: means over the worlds.
func (g *caseGame) interactions(r *CaseResult) {
	n := len(g.names)
	if n < 2 || n > interactionPlayers {
		return
	}
	share := 1 / float64(len(g.worlds))
	pairs := make([][]float64, len(pairIndices()))
	singles := make([][]float64, len(pairs)+1)
	for k := range singles {
		singles[k] = make([]float64, n)
	}
	for k, index := range pairIndices() {
		pairs[k] = make([]float64, n*n)
		for _, d := range g.worlds {
			x := d.Interactions(index)
			for i := range n {
				singles[k][i] += share * x.Single(i)
				for j := range n {
					pairs[k][i*n+j] += share * x.Pair(i, j)
				}
			}
		}
	}
	for i := range n {
		ksii := singles[0][i]
		for j := range n {
			ksii -= pairs[0][i*n+j] / 2
		}
		singles[len(pairs)][i] = ksii
	}
	unit := g.unit()
	for _, values := range slices.Concat(pairs, singles) {
		for at, v := range values {
			if units, ok := unitsOf(v, unit); ok {
				values[at] = float64(units) / float64(unit)
			}
		}
	}
	r.pairs = pairs
	r.Interactions = g.listed(pairs, unit)
	if len(r.Interactions) > 0 {
		r.Effects = &Effects{
			STII: byPlayer(g.names, singles[1]), FSII: byPlayer(g.names, singles[2]),
			Banzhaf: byPlayer(g.names, singles[3]), KSII: byPlayer(g.names, singles[4]),
		}
	}
}

// unit returns a number such that all indices are multiples of one over it, where
// scores are 0 or 1; else 0.
func (g *caseGame) unit() int64 {
	if len(g.worlds) == 1 && g.worlds[0].Depth()+1 <= exactPlayers && zeroOne(g.worlds[0]) {
		return lcm(g.worlds[0].Depth()+1) * int64(1<<g.worlds[0].Depth())
	}
	return 0
}

// unitsOf returns how many units of 1/unit a value is. Values that are then
// divided again have their last digits right, whatever order they were added up in.
func unitsOf(v float64, unit int64) (int64, bool) {
	units := math.Round(v * float64(unit))
	ok := unit > 0 && math.Abs(v*float64(unit)-units) <= 0.01 && math.Abs(units) <= 1<<52
	return int64(units), ok
}

// listed returns the pairs that interact, the strongest first.
func (g *caseGame) listed(pairs [][]float64, unit int64) []Interaction {
	n := len(g.names)
	var out []Interaction
	for i := range n {
		for j := i + 1; j < n; j++ {
			at := i*n + j
			x := Interaction{Players: [2]string{g.names[i], g.names[j]}, SII: pairs[0][at], STII: pairs[1][at], FSII: pairs[2][at], BII: pairs[3][at]}
			if !x.matters() {
				continue
			}
			x.name()
			x.fractions(unit)
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b Interaction) int { return cmp.Compare(math.Abs(b.SII), math.Abs(a.SII)) })
	return out[:min(len(out), maxInteractions)]
}

// negligible is more than what the quadrature's and sums' rounding may leave of a 0.
const negligible = 1e-10

func (x *Interaction) matters() bool {
	return max(math.Abs(x.SII), math.Abs(x.STII), math.Abs(x.FSII), math.Abs(x.BII)) > negligible
}

func (x *Interaction) name() {
	switch {
	case x.SII > negligible:
		x.Kind = "synergy"
	case x.SII < -negligible:
		x.Kind = "redundancy"
	default:
		x.Kind = "mixed"
	}
}

// fractions gives the values as fractions, which are multiples of 1/unit. Unit 0
// says that they aren't.
func (x *Interaction) fractions(unit int64) {
	var exact ExactInteraction
	for _, v := range []struct {
		value float64
		text  *string
	}{{x.SII, &exact.SII}, {x.STII, &exact.STII}, {x.FSII, &exact.FSII}, {x.BII, &exact.BII}} {
		units, ok := unitsOf(v.value, unit)
		if !ok {
			return
		}
		*v.text = fraction(units, unit)
	}
	x.Exact = &exact
}

// pairSums adds up the interactions of cases by pairs of steps.
type pairSums struct {
	names               []string
	sums                [][]float64
	synergy, redundancy []int
}

func (s *pairSums) add(pairs [][]float64) {
	n := len(s.names)
	if pairs == nil || len(pairs[0]) != n*n {
		return
	}
	if s.sums == nil {
		s.synergy, s.redundancy = make([]int, n*n), make([]int, n*n)
		for range pairs {
			s.sums = append(s.sums, make([]float64, n*n))
		}
	}
	for k, values := range pairs {
		for at, v := range values {
			s.sums[k][at] += v
		}
	}
	for at, v := range pairs[0] {
		if v > negligible {
			s.synergy[at]++
		} else if v < -negligible {
			s.redundancy[at]++
		}
	}
}

// means returns the mean interactions over cases, the strongest first.
func (s *pairSums) means(cases int) []Interaction {
	if s.sums == nil || cases == 0 {
		return nil
	}
	n, share := len(s.names), 1/float64(cases)
	var out []Interaction
	for i := range n {
		for j := i + 1; j < n; j++ {
			at := i*n + j
			x := Interaction{
				Players: [2]string{s.names[i], s.names[j]},
				SII:     share * s.sums[0][at], STII: share * s.sums[1][at], FSII: share * s.sums[2][at], BII: share * s.sums[3][at],
				Synergies: s.synergy[at], Redundancies: s.redundancy[at],
			}
			if !x.matters() && x.Synergies+x.Redundancies == 0 {
				continue
			}
			x.name()
			out = append(out, x)
		}
	}
	slices.SortStableFunc(out, func(a, b Interaction) int { return cmp.Compare(math.Abs(b.SII), math.Abs(a.SII)) })
	return out[:min(len(out), maxInteractions)]
}
