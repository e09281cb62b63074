package blame

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/agentblame/agentblame/game"
)

// A FixPlan says which fixes are worth making together: for k = 1, 2, … the best
// set of k fixes over the analysed failures.
type FixPlan struct {
	// Exact says that each set is the best of all sets of its size; otherwise it
	// was found greedily, and Gap bounds what a better one could resolve more.
	Exact bool      `json:"exact"`
	Sets  []PlanSet `json:"sets"`
}

// A PlanSet is a set of fixes of a plan.
type PlanSet struct {
	Fixes []string `json:"fixes"`
	// Resolves is the share of the analysed failures that pass with them.
	Resolves float64 `json:"resolves"`
	// Gap bounds by how much the best set of this size could resolve more.
	Gap float64 `json:"gap"`
	// Cost is what a run of a failing case costs with them in place, on average.
	Cost float64 `json:"cost"`
	// Breaks is the share of passing cases that fail with them, where measured.
	Breaks *Rate `json:"breaks,omitempty"`
	// Net is what they change in the share of all cases that pass.
	Net *float64 `json:"net,omitempty"`
}

// A Rate is a share that was counted on a sample, with an exact interval
// (Clopper–Pearson) that holds for all rates beside it at once.
type Rate struct {
	Rate  float64 `json:"rate"`
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Count int     `json:"count"`
	Of    int     `json:"of"`
}

// tablePlayers is the most players for which a suite is held as a table over all
// coalitions; beyond, its cases' diagrams are kept, up to suiteCases of them.
const (
	tablePlayers = 16
	suiteCases   = 2000
)

// suite adds up the games of failing cases: how many pass under each coalition,
// and what a run then costs.
type suite struct {
	names []string
	pass  float64
	cases int
	// One of the two is used.
	passing, cost []float64   // by coalition
	games         []*caseGame // for many players
	smallest      []float64   // these, by the size of their smallest repair
}

func newSuite(names []string, pass float64) *suite {
	s := &suite{names: names, pass: pass, smallest: make([]float64, len(names)+1)}
	if n := len(names); n <= tablePlayers {
		s.passing, s.cost = make([]float64, 1<<n), make([]float64, 1<<n)
	}
	return s
}

// add counts a failing case whose game is known.
func (s *suite) add(g *caseGame) {
	s.cases++
	share := 1 / float64(len(g.worlds))
	if s.passing == nil && len(s.games) < suiteCases {
		s.games = append(s.games, g)
		for _, d := range g.worlds {
			if size := d.Repairs(s.pass).SmallestSize(); size >= 0 {
				s.smallest[size] += share
			}
		}
		return
	}
	for _, d := range g.worlds {
		for mask := range s.passing {
			c := game.FromMask(uint64(mask))
			if d.Value(c) >= s.pass {
				s.passing[mask] += share
			}
			s.cost[mask] += share * d.Cost(c)
		}
	}
}

// plan returns the best sets of 1, 2, … fixes, until no more would help, or nil
// when none does.
func (s *suite) plan() *FixPlan {
	if s.cases == 0 || len(s.names) == 0 {
		return nil
	}
	p := s.greedyPlan
	if s.passing != nil {
		p = s.exactPlan
	}
	return p().trim()
}

// exactPlan compares all sets. Of sets that resolve the same, the cheapest to
// run is the best, then the first by the order of steps.
func (s *suite) exactPlan() *FixPlan {
	n := len(s.names)
	best := make([]int, n+1)
	for i := range best {
		best[i] = -1
	}
	for mask := range s.passing {
		k := bits.OnesCount(uint(mask))
		if best[k] < 0 || s.better(mask, best[k]) {
			best[k] = mask
		}
	}
	p := &FixPlan{Exact: true}
	for k := 1; k <= n; k++ {
		c := game.FromMask(uint64(best[k]))
		p.Sets = append(p.Sets, PlanSet{
			Fixes:    coalitionNames(c, s.names),
			Resolves: s.passing[best[k]] / float64(s.cases),
			Cost:     s.cost[best[k]] / float64(s.cases),
		})
	}
	return p
}

func (s *suite) better(a, b int) bool {
	const tie = 1e-9
	switch d := s.passing[a] - s.passing[b]; {
	case d > tie:
		return true
	case d < -tie:
		return false
	}
	switch d := s.cost[a] - s.cost[b]; {
	case d < -tie:
		return true
	case d > tie:
		return false
	}
	return game.Compare(game.FromMask(uint64(a)), game.FromMask(uint64(b))) < 0
}

// greedyPlan adds the fix that helps most, one after another. A case can't pass
// with k fixes unless it has a repair of at most k, which bounds the gap.
func (s *suite) greedyPlan() *FixPlan {
	p := &FixPlan{}
	var at game.Coalition
	reachable := s.smallest[0]
	for k := 1; k <= len(s.names); k++ {
		bestPlayer, bestPassing := -1, -1.0
		for i := range s.names {
			if at.Has(i) {
				continue
			}
			if passing := s.passingWith(at.With(i)); passing > bestPassing {
				bestPlayer, bestPassing = i, passing
			}
		}
		at = at.With(bestPlayer)
		reachable += s.smallest[k]
		cost := 0.0
		for _, g := range s.games {
			for _, d := range g.worlds {
				cost += d.Cost(at) / float64(len(g.worlds))
			}
		}
		n := float64(len(s.games))
		p.Sets = append(p.Sets, PlanSet{
			Fixes: coalitionNames(at, s.names), Resolves: bestPassing / n, Cost: cost / n,
			Gap: max(0, (reachable-bestPassing)/n),
		})
	}
	return p
}

func (s *suite) passingWith(c game.Coalition) float64 {
	sum := 0.0
	for _, g := range s.games {
		for _, d := range g.worlds {
			if d.Value(c) >= s.pass {
				sum += 1 / float64(len(g.worlds))
			}
		}
	}
	return sum
}

// trim leaves out the sets after the first that resolves the most.
func (p *FixPlan) trim() *FixPlan {
	most := slices.MaxFunc(p.Sets, func(a, b PlanSet) int { return cmp.Compare(a.Resolves, b.Resolves) })
	if most.Resolves == 0 {
		return nil
	}
	for i, set := range p.Sets {
		if set.Resolves >= most.Resolves-1e-12 {
			p.Sets = p.Sets[:i+1]
			break
		}
	}
	return p
}
