package demo

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
)

// The variance study estimates the same failures' values over and over, from
// new worlds each time, once with worlds that coalitions share (common random
// numbers) and once with a fresh world for every replay.

// spread is how an estimator did: the variance of its values over replicates,
// averaged over cases and steps, and what one replicate of all cases cost.
type spread struct {
	variance, cost float64
}

// comparison is one estimator with shared and with independent noise.
type comparison struct {
	mode, estimator     string
	shared, independent spread
	byProduct           bool // costs nothing beyond another row's replays
}

// estimators names the rows of a mode, in the order of the fields of a trial.
var estimatorNames = [...]string{"fix-alone", "exact-avg", "mc-perm"}

// variances studies failing cases of a pipeline in the posterior and the prior.
type variances struct {
	pipeline   *pipeline.Pipeline
	cases      []pipeline.Case
	replicates int
	worlds     int // of exact-avg: worlds a coalition
	orders     int // of mc-perm: orders of the steps
}

// compare returns three rows a mode.
func (v variances) compare(ctx context.Context) ([]comparison, error) {
	var rows []comparison
	for _, mode := range []blame.Mode{blame.Posterior, blame.Prior} {
		sums := make([][len(estimatorNames)][2]spread, len(v.cases))
		if err := v.each(ctx, func(ctx context.Context, e *replay.Engine, i int) (err error) {
			sums[i], err = v.study(ctx, e, &v.cases[i], mode)
			return err
		}); err != nil {
			return nil, err
		}
		for k, name := range estimatorNames {
			row := comparison{mode: string(mode), estimator: name, byProduct: name == "fix-alone"}
			for _, s := range sums {
				for a, sum := range []*spread{&row.shared, &row.independent} {
					sum.variance += s[k][a].variance / float64(len(v.cases))
					sum.cost += s[k][a].cost
				}
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// each calls a function for every case, on all processors. Each goroutine has an
// engine of its own: they share nothing.
func (v variances) each(ctx context.Context, do func(ctx context.Context, e *replay.Engine, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	workers := min(runtime.GOMAXPROCS(0), len(v.cases))
	for w := range workers {
		g.Go(func() error {
			e, err := replay.New(v.pipeline, replay.Options{Concurrency: 1})
			for i := w; i < len(v.cases) && err == nil; i += workers {
				err = do(ctx, e, i)
			}
			return err
		})
	}
	return g.Wait()
}

// study makes all replicates of one case.
func (v variances) study(ctx context.Context, e *replay.Engine, c *pipeline.Case, mode blame.Mode) (out [len(estimatorNames)][2]spread, err error) {
	var values [len(estimatorNames)][2]game.Moments
	for r := range v.replicates {
		t, err := newTrial(ctx, e, c, mode, uint64(r))
		if err != nil {
			return out, err
		}
		for shared := range 2 {
			t.independent = shared == 1
			start := t.session.Cost()
			alone, exact, err := t.average(ctx, v.worlds)
			if err != nil {
				return out, err
			}
			average := t.session.Cost()
			perm, err := t.permutations(ctx, v.orders)
			if err != nil {
				return out, err
			}
			for k, x := range [][]float64{alone, exact, perm} {
				values[k][shared].Add(x)
			}
			out[1][shared].cost += (average - start) / float64(v.replicates)
			out[2][shared].cost += (t.session.Cost() - average) / float64(v.replicates)
		}
		t.session.Close()
	}
	players := len(e.Pipeline().Steps)
	for k := range values {
		for a := range values[k] {
			for i := range players {
				out[k][a].variance += values[k][a].Variance(i) / float64(players)
			}
		}
	}
	return out, nil
}

// trial is one replicate: a case, and fresh worlds to replay it in.
type trial struct {
	session     *replay.Session
	players     int
	next        noise.World // the world after the last one used
	independent bool        // a fresh world for every replay
}

func newTrial(ctx context.Context, e *replay.Engine, c *pipeline.Case, mode blame.Mode, replicate uint64) (*trial, error) {
	s, err := e.Case(c, 0)
	if err != nil {
		return nil, err
	}
	t := &trial{session: s, players: len(s.Players())}
	t.next = noise.World{Seed: s.World(0).Seed, Index: 1 + replicate<<32}
	factual := s.Run(ctx, 0, replay.Fixes{}, true)
	if factual.Err != nil {
		return nil, fmt.Errorf("case %s: %w", c.ID, factual.Err)
	}
	if mode != blame.Posterior {
		return t, nil
	}
	s.PinFactual(factual)
	var observed []noise.Observed
	for _, call := range factual.Calls {
		for _, d := range call.Draws {
			observed = append(observed, noise.Observed{Step: e.Pipeline().Steps[call.Step].Name, Call: call.Label, Draw: d})
		}
	}
	p, err := noise.NewPosterior(observed...)
	if err != nil {
		return nil, fmt.Errorf("case %s: %w", c.ID, err)
	}
	t.next = t.next.Given(p)
	return t, nil
}

// world returns a world that nothing has been replayed in.
func (t *trial) world() int {
	w := t.session.AddWorld(t.next)
	t.next.Index++
	return w
}

// average estimates the value of every coalition in a number of worlds, and from
// these what each fix gains alone, and the Shapley values.
func (t *trial) average(ctx context.Context, worlds int) (alone, shapley []float64, err error) {
	mean := make(game.Table, 1<<t.players)
	for range worlds {
		values, err := t.values(ctx)
		if err != nil {
			return nil, nil, err
		}
		for mask, v := range values {
			mean[mask] += v / float64(worlds)
		}
	}
	alone = make([]float64, t.players)
	for i := range alone {
		alone[i] = mean[1<<i] - mean[0]
	}
	return alone, mean.Shapley(nil), nil
}

// values returns the score of every coalition: in one world, which is explored
// at once, or in one each.
func (t *trial) values(ctx context.Context) (game.Table, error) {
	if !t.independent {
		x, err := t.session.Explore(ctx, t.world())
		if err != nil {
			return nil, err
		}
		if !x.Complete() {
			return nil, fmt.Errorf("exploring a world: %s", strings.Join(x.Unknown, "; "))
		}
		return x.Diagram.Table()
	}
	values := make(game.Table, 1<<t.players)
	for mask := range values {
		var err error
		if values[mask], err = t.session.Value(ctx, t.world(), game.FromMask(uint64(mask))); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// permutations estimates the Shapley values from random orders of the steps. All
// replays of an order are in one world, or in one each.
func (t *trial) permutations(ctx context.Context, orders int) ([]float64, error) {
	sampler := game.Sampler{Players: t.players, Seed: t.next.Seed ^ t.next.Index}
	mean, marginals := make([]float64, t.players), make([]float64, t.players)
	for k := range orders {
		world := t.world()
		value := func(ctx context.Context, c game.Coalition) (float64, error) {
			if t.independent {
				world = t.world()
			}
			return t.session.Value(ctx, world, c)
		}
		if _, err := sampler.Marginals(ctx, k, value, marginals); err != nil {
			return nil, err
		}
		for i, m := range marginals {
			mean[i] += m / float64(orders)
		}
	}
	return mean, nil
}

// ratio is how many times the variance with independent noise is that with
// shared noise, and gain the same of what precision costs.
func (c comparison) ratio() float64 { return c.independent.variance / c.shared.variance }
func (c comparison) gain() float64  { return c.ratio() * c.independent.cost / c.shared.cost }
