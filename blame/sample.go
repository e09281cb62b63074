package blame

import (
	"context"
	"errors"
	"fmt"

	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/replay"
)

// sampled estimates a failing case's values from random orders of its players.
// It asks for coalitions one by one and shares the cache with whatever ran
// before. Each order is replayed in one world, so that the marginals of its
// players are told apart by their fixes and not by luck.
func (a *analysis) sampled(ctx context.Context, s *replay.Session, r *CaseResult, worlds []int, seed uint64) error {
	players := s.Players()
	n := len(players)
	names := make([]string, n)
	for i, p := range players {
		names[i] = a.engine.Name(p)
	}
	rule, err := a.sampleRule(n)
	if err != nil {
		return err
	}
	sampler := game.Sampler{Players: n, Seed: seed, Antithetic: a.options.Antithetic}
	values := &coalitionValues{session: s, seed: seed, independent: a.options.Independent, known: map[worldCoalition]float64{}}
	var sums game.Moments
	for k := range a.options.Permutations {
		world := worlds[k%len(worlds)]
		marginals, err := sampler.Marginals(ctx, k, values.in(world), nil)
		if errors.Is(err, replay.ErrBudget) {
			rule.Close(confseq.ReasonBudget)
			break
		}
		if err != nil {
			return err
		}
		sums.Add(marginals)
		if err := rule.Add(marginals); err != nil {
			return fmt.Errorf("sampling: %w", err)
		}
		if _, stopped := rule.Stopped(); stopped {
			break
		}
	}
	rule.Close("max permutations")
	if sums.Count() == 0 {
		return fmt.Errorf("%w before one order of the players was replayed", replay.ErrBudget)
	}
	a.sampledResult(r, names, rule, &sums, values, worlds)
	return nil
}

// sampleRule watches the marginals of one case's permutations, which lie in
// [−1, 1] and differ by at most 2.
func (a *analysis) sampleRule(players int) (confseq.Rule, error) {
	name := a.options.SampleRule
	if name == "" {
		name = "bernstein"
	}
	return confseq.New(name, confseq.Options{
		Players: players, Delta: a.options.Delta, Goal: a.options.goal(), Width: a.options.Width, TopK: a.options.TopK,
	})
}

func (a *analysis) sampledResult(r *CaseResult, names []string, rule confseq.Rule, sums *game.Moments, values *coalitionValues, worlds []int) {
	n := len(names)
	mean := make([]float64, n)
	for i := range mean {
		mean[i] = sums.Mean(i)
	}
	r.Method = string(Permutation)
	r.Permutations = sums.Count()
	r.Coalitions = float64(len(values.known))
	r.Shapley = byPlayer(names, mean)
	reason, _ := rule.Stopped()
	r.Stopped = reason
	if len(worlds) > 1 {
		r.Worlds = len(worlds)
	}
	if intervals := rule.Intervals(); intervals != nil {
		var bounds []Bounds
		for _, i := range intervals {
			i = i.Clip(-1, 1)
			bounds = append(bounds, Bounds{Low: i.Low, High: i.High})
		}
		r.Intervals = byPlayer(names, bounds)
		r.IntervalsCover = coverPermutations(len(worlds) > 1)
	}
}

func coverPermutations(worlds bool) string {
	if worlds {
		return "permutations and worlds"
	}
	return "permutations"
}

type worldCoalition struct {
	world int
	fixed game.Coalition
}

// coalitionValues answers v(coalition) in a world, each once.
type coalitionValues struct {
	session     *replay.Session
	seed        uint64
	independent bool // each coalition in a world of its own
	known       map[worldCoalition]float64
}

func (v *coalitionValues) in(world int) game.ValueFunc {
	return func(ctx context.Context, c game.Coalition) (float64, error) {
		at := worldCoalition{world, c}
		if score, ok := v.known[at]; ok && !v.independent {
			return score, nil
		}
		if v.independent {
			fresh := v.session.World(world)
			fresh.Index = 1<<32 + uint64(len(v.known))
			at.world = v.session.AddWorld(fresh)
		}
		score, err := v.session.Value(ctx, at.world, c)
		if err != nil {
			return 0, err
		}
		v.known[at] = score
		return score, nil
	}
}

// exactIndependent values every coalition in worlds of its own: the exact
// values of averages over unshared noise. For comparison only.
func (a *analysis) exactIndependent(ctx context.Context, s *replay.Session, r *CaseResult, worlds []int) (*caseGame, error) {
	players := s.Players()
	if len(players) > maxIndependent {
		return nil, fmt.Errorf("independent noise needs all coalitions replayed, and %d players have too many: at most %d", len(players), maxIndependent)
	}
	values := &coalitionValues{session: s, independent: true, known: map[worldCoalition]float64{}}
	table := make(game.Table, 1<<len(players))
	for mask := range table {
		for _, w := range worlds {
			score, err := values.in(w)(ctx, game.FromMask(uint64(mask)))
			if err != nil {
				return nil, err
			}
			table[mask] += score / float64(len(worlds))
		}
	}
	g := &caseGame{worlds: []*game.Diagram{table.Diagram()}}
	for _, p := range players {
		g.names = append(g.names, a.engine.Name(p))
	}
	return g, nil
}

// maxIndependent is the most players whose coalitions are all replayed.
const maxIndependent = 12
