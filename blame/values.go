package blame

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/replay"
)

// coalitionValues answers v(coalition) of a case, each once a world.
type coalitionValues struct {
	session     *replay.Session
	seed        uint64
	names       []string // of the players met so far
	worlds      []int
	independent bool // each coalition in a world of its own
	budgeted    bool
	atOnce      int // how many replays go on at once

	mu    sync.Mutex
	known map[worldCoalition]float64
}

type worldCoalition struct {
	world int
	fixed game.Coalition
}

func (a *analysis) newValues(s *replay.Session, worlds []int, seed uint64) *coalitionValues {
	v := &coalitionValues{
		session: s, seed: seed, worlds: worlds, independent: a.options.Independent, budgeted: a.options.Budget > 0,
		atOnce: 1, known: map[worldCoalition]float64{},
	}
	if a.options.Budget == 0 && a.engine.Waits() {
		v.atOnce = a.options.Concurrency
	}
	for _, p := range s.Players() {
		v.names = append(v.names, a.engine.Name(p))
	}
	return v
}

// in answers in one world.
func (v *coalitionValues) in(world int) game.ValueFunc {
	return func(ctx context.Context, c game.Coalition) (float64, error) {
		at := worldCoalition{world, c}
		v.mu.Lock()
		score, ok := v.known[at]
		fresh := len(v.known)
		v.mu.Unlock()
		if ok && !v.independent {
			return score, nil
		}
		if v.independent {
			w := v.session.World(world)
			w.Index = 1<<32 + uint64(fresh)
			at.world = v.session.AddWorld(w)
		}
		score, err := v.session.Value(ctx, at.world, c)
		if err != nil {
			return 0, err
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		v.known[at] = score
		return score, nil
	}
}

// means returns the values of coalitions, averaged over the worlds.
func (v *coalitionValues) means(ctx context.Context, coalitions []game.Coalition) ([]float64, error) {
	out := make([]float64, len(coalitions))
	errs := make([]error, len(coalitions))
	order := v.order(ctx, coalitions)
	each(v.atOnce, len(coalitions), func(k int) {
		i := order[k]
		for _, w := range v.worlds {
			score, err := v.in(w)(ctx, coalitions[i])
			if err != nil {
				errs[i] = err
				return
			}
			out[i] += score / float64(len(v.worlds))
		}
	})
	for i, err := range errs {
		if err != nil {
			return nil, &unansweredError{i, fmt.Errorf("replaying %d fixes: %w", coalitions[i].Len(), err)}
		}
	}
	return out, nil
}

// An unansweredError says which of the coalitions asked for is the first without
// a value.
type unansweredError struct {
	first int
	err   error
}

func (e *unansweredError) Error() string { return e.err.Error() }
func (e *unansweredError) Unwrap() error { return e.err }

// order returns the order in which to replay coalitions: under a budget those
// first that cost nothing, since all their steps are cached.
func (v *coalitionValues) order(ctx context.Context, coalitions []game.Coalition) []int {
	order := make([]int, len(coalitions))
	for i := range order {
		order[i] = i
	}
	if !v.budgeted {
		return order
	}
	known := make([]bool, len(coalitions))
	for i, c := range coalitions {
		known[i] = !slices.ContainsFunc(v.worlds, func(w int) bool { return !v.session.Known(ctx, w, c) })
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case known[a] == known[b]:
			return 0
		case known[a]:
			return -1
		}
		return 1
	})
	return order
}

// replayOrders replays what the k-th to the last order will ask for, at once.
// Errors come up again when it is asked.
func (v *coalitionValues) replayOrders(ctx context.Context, s game.Sampler, from, to int) {
	var ask []worldCoalition
	for k := from; k < to; k++ {
		order := s.Permutation(k, nil)
		world := v.worlds[k%len(v.worlds)]
		var up, down game.Coalition
		ask = append(ask, worldCoalition{world, up})
		for i := range order {
			up = up.With(order[i])
			ask = append(ask, worldCoalition{world, up})
			if down = down.With(order[len(order)-1-i]); s.Antithetic {
				ask = append(ask, worldCoalition{world, down})
			}
		}
	}
	each(v.atOnce, len(ask), func(i int) { v.in(ask[i].world)(ctx, ask[i].fixed) })
}

// exactIndependent values every coalition in worlds of its own: the exact
// values of averages over unshared noise. For comparison only.
func (v *coalitionValues) exactIndependent(ctx context.Context) (*caseGame, error) {
	n := len(v.names)
	if n > maxIndependent {
		return nil, fmt.Errorf("independent noise needs all coalitions replayed, and %d players have too many: at most %d", n, maxIndependent)
	}
	all := make([]game.Coalition, 1<<n)
	for mask := range all {
		all[mask] = game.FromMask(uint64(mask))
	}
	v.atOnce = 1 // each coalition's world is the next one
	table, err := v.means(ctx, all)
	if err != nil {
		return nil, err
	}
	return &caseGame{names: v.names, worlds: []*game.Diagram{game.Table(table).Diagram()}, fresh: true}, nil
}

// maxIndependent is the most players whose coalitions are all replayed.
const maxIndependent = 12
