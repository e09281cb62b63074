package blame

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/replay"
)

// A Mode says which noise counterfactual replays see.
type Mode string

// The modes.
const (
	// Recorded holds the factual noise fixed: the answer is exact.
	Recorded Mode = "recorded"
	// Posterior knows only the factual choices: noise that explains them is
	// drawn for a number of worlds.
	Posterior Mode = "posterior"
	// Prior draws fresh noise for a number of worlds. The answer is not about the
	// failed run but about fresh runs of its input.
	Prior Mode = "prior"
)

// estimand says in one sentence which question the values answer.
func (o Options) estimand() string {
	var s string
	switch o.Mode {
	case Recorded:
		s = "Would this failure have been avoided had the fixes been in place? The factual noise is known and held fixed."
	case Posterior:
		s = fmt.Sprintf("Would this failure have been avoided had the fixes been in place? Only the factual choices are known; %d worlds of noise that explains them are drawn.", o.Worlds)
	case Prior:
		s = fmt.Sprintf("How often would the fixes help on a fresh run of this input? Interventional, not counterfactual: %d worlds of fresh noise, whatever went wrong in the failed run.", o.Worlds)
	}
	if o.Independent {
		s += " Every coalition sees noise of its own, so effects of fixes are mixed with luck: for comparison only."
	}
	return s
}

// worlds returns the numbers of the session's worlds that a failing case is
// replayed in.
func (a *analysis) worlds(s *replay.Session, factual *replay.Trace, seed uint64) ([]int, error) {
	if a.options.Mode == Recorded {
		return []int{0}, nil
	}
	given, err := a.posterior(s, factual)
	if err != nil {
		return nil, err
	}
	var out []int
	for k := range a.options.Worlds {
		w := noise.World{Seed: seed, Index: uint64(k + 1)}
		if given != nil {
			w = w.Given(given)
		}
		out = append(out, s.AddWorld(w))
	}
	return out, nil
}

// posterior returns what the factual choices say about the noise, or nil in
// prior mode.
func (a *analysis) posterior(s *replay.Session, factual *replay.Trace) (*noise.Posterior, error) {
	if a.options.Mode != Posterior {
		return nil, nil
	}
	s.PinFactual(factual)
	var observed []noise.Observed
	seen := map[string]bool{}
	for _, c := range factual.Calls {
		step := a.engine.Pipeline().Steps[c.Step].Name
		if at := step + "#" + c.Label; seen[at] {
			continue
		} else {
			seen[at] = true
		}
		for _, d := range c.Draws {
			observed = append(observed, noise.Observed{Step: step, Call: c.Label, Draw: d})
		}
	}
	p, err := noise.NewPosterior(observed...)
	if err != nil {
		return nil, fmt.Errorf("drawing noise that explains the factual choices: %w", err)
	}
	return p, nil
}

// exploreAll explores the case in each of the worlds.
func (a *analysis) exploreAll(ctx context.Context, s *replay.Session, worlds []int) ([]*replay.Exploration, error) {
	out := make([]*replay.Exploration, len(worlds))
	errs := make([]error, len(worlds))
	// Where explorations may be cut off, worlds come one after another.
	if len(worlds) == 1 || s.MayBeCut() || !a.engine.Waits() {
		for i, w := range worlds {
			if out[i], errs[i] = s.Explore(ctx, w); errs[i] != nil {
				return nil, errs[i]
			}
		}
		return out, nil
	}
	var all sync.WaitGroup
	for i, w := range worlds {
		all.Go(func() { out[i], errs[i] = s.Explore(ctx, w) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// a caseGame is a failing case's game: a diagram a world, over the same players.
type caseGame struct {
	names    []string
	worlds   []*game.Diagram
	fresh    bool // the worlds are not the factual one
	uncached float64
}

// newCaseGame numbers the players of explorations in the order of reports.
// Calls as players are discovered while exploring, in an order that says nothing.
func (a *analysis) newCaseGame(s *replay.Session, xs []*replay.Exploration) (*caseGame, error) {
	found := s.Players()
	players := slices.Clone(found)
	slices.SortStableFunc(players, replay.ComparePlayers)
	g := &caseGame{fresh: a.options.Mode != Recorded}
	for _, p := range players {
		g.names = append(g.names, a.engine.Name(p))
	}
	to := make([]int, len(found))
	for i, p := range found {
		to[i] = slices.Index(players, p)
	}
	for _, x := range xs {
		d, err := x.Diagram.Relabel(len(players), to)
		if err != nil {
			return nil, err
		}
		g.worlds = append(g.worlds, d)
		// Calls that other worlds found later double what enumerating would cost.
		g.uncached += math.Ldexp(x.CostUncached, len(players)-x.Diagram.Players())
	}
	return g, nil
}

// values fills in a case's values: means over the worlds.
func (g *caseGame) values(r *CaseResult, pass float64) {
	n := len(g.names)
	shapley, alone, loo := make([]float64, n), make([]float64, n), make([]float64, n)
	resolves, needed := make([]float64, n), make([]float64, n)
	var fixed, asRun float64
	var fractions []string
	share := 1 / float64(len(g.worlds))
	for _, d := range g.worlds {
		values, exact := exactValues(d)
		if len(g.worlds) == 1 {
			fractions = exact
		}
		one, rest := d.FixAlone(nil), d.LeaveOneOut(nil)
		empty, full := d.Empty(), d.Full()
		if empty >= pass {
			r.passes += share
		}
		for i := range n {
			shapley[i] += share * values[i]
			alone[i] += share * one[i]
			loo[i] += share * rest[i]
			if empty+one[i] >= pass-1e-12 {
				resolves[i] += share
			}
			if full >= pass && full-rest[i] < pass-1e-12 {
				needed[i] += share
			}
		}
		fixed += share * full
		asRun += share * empty
	}
	r.Coalitions = pow2(n)
	r.CostUncached = tidy(g.uncached)
	r.ScoreFixed = &fixed
	if g.fresh {
		r.ScoreAsRun = &asRun
	}
	if len(g.worlds) > 1 {
		r.Worlds = len(g.worlds)
	}
	r.Shapley = byPlayer(g.names, shapley)
	if fractions != nil {
		r.ShapleyExact = byPlayer(g.names, fractions)
	}
	r.FixAlone = byPlayer(g.names, alone)
	r.LeaveOneOut = byPlayer(g.names, loo)
	r.resolves, r.needed = resolves, needed
}

// repairs fills in the minimal repairs: of the one world exactly, of several as
// the share of worlds in which each is one.
func (g *caseGame) repairs(r *CaseResult, pass float64) {
	r.MinimalRepairs = [][]string{}
	if len(g.worlds) == 1 {
		all := g.worlds[0].Repairs(pass)
		for _, c := range all.Smallest(maxRepairs) {
			r.MinimalRepairs = append(r.MinimalRepairs, coalitionNames(c, g.names))
		}
		if count := all.Count(); !count.IsInt64() || count.Int64() > int64(len(r.MinimalRepairs)) {
			r.MinimalRepairsCut = true
			r.MinimalRepairsCount = count.String()
		}
		return
	}
	worlds := map[game.Coalition]int{}
	for _, d := range g.worlds {
		for _, c := range d.Repairs(pass).Smallest(maxRepairs) {
			worlds[c]++
		}
	}
	var order []game.Coalition
	for c := range worlds {
		order = append(order, c)
	}
	slices.SortFunc(order, func(a, b game.Coalition) int {
		if d := worlds[b] - worlds[a]; d != 0 {
			return d
		}
		return game.Compare(a, b)
	})
	if len(order) > maxRepairs {
		order, r.MinimalRepairsCut = order[:maxRepairs], true
	}
	for _, c := range order {
		r.MinimalRepairs = append(r.MinimalRepairs, coalitionNames(c, g.names))
		r.MinimalRepairsFrequency = append(r.MinimalRepairsFrequency, float64(worlds[c])/float64(len(g.worlds)))
	}
}

// maxRepairs is how many minimal repairs a result lists.
const maxRepairs = 100
