package blame

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
)

// Case analyses one case: it runs it, and if it fails, splits the credit for its
// repair between the steps. An error means that the pipeline or the options are
// wrong, or that ctx ended; a case that can't be analysed says so in its result.
func Case(ctx context.Context, p *pipeline.Pipeline, c pipeline.Case, o Options) (*CaseResult, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	e, err := o.engine(p)
	if err != nil {
		return nil, err
	}
	if err := checkGroups(e, o.Groups); err != nil {
		return nil, err
	}
	a := &analysis{engine: e, options: o}
	if o.Monitor != nil {
		o.Monitor.engine.Store(e)
	}
	r := a.analyze(ctx, &c, nil)
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	return r, nil
}

// analysis is what the cases of one analysis share.
type analysis struct {
	engine  *replay.Engine
	options Options
	inBatch bool
	// untold says that no further case's story is kept.
	untold atomic.Bool
}

// analyze runs a case and, when it fails, analyses it. turn, if not nil, is
// waited for between the two: under a budget, analyses take turns.
func (a *analysis) analyze(ctx context.Context, c *pipeline.Case, turn func()) *CaseResult {
	p := a.prepare(ctx, c)
	if p.fails && turn != nil {
		turn()
	}
	a.finish(ctx, p)
	return p.result
}

// A prepared case has been run as it was.
type prepared struct {
	input   *pipeline.Case
	result  *CaseResult
	session *replay.Session // of a failing case
	factual *replay.Trace
	fails   bool
}

// prepare makes a case's factual run.
func (a *analysis) prepare(ctx context.Context, c *pipeline.Case) *prepared {
	r := &CaseResult{ID: c.ID, Tags: c.Tags}
	p := &prepared{input: c, result: r}
	s, err := a.engine.Case(c, a.options.Seed)
	if err != nil {
		r.Undefined = err.Error()
		return p
	}
	factual := s.Run(ctx, 0, replay.Fixes{}, true)
	r.CostFactual = tidy(s.FactualCost())
	r.Errors = a.errors(s, factual.Failures)
	if factual.Err != nil {
		r.raw = a.newStory(c, factual)
		r.Undefined = "the run as it was has no score: " + factual.Err.Error()
		return p
	}
	score := factual.Score
	r.Score = &score
	if score >= a.options.Pass {
		r.Passed = true
		r.sampled = &sampledCase{s, a.noisy(factual)}
		return p
	}
	r.raw = a.newStory(c, factual)
	p.session, p.factual, p.fails = s, factual, true
	return p
}

// finish analyses a prepared case that fails.
func (a *analysis) finish(ctx context.Context, p *prepared) {
	if !p.fails {
		return
	}
	if err := a.values(ctx, p.session, p.input, p.result, p.factual); err != nil {
		p.result.Undefined = err.Error()
		p.result.budget = errors.Is(err, replay.ErrBudget)
		var cut *cutError
		p.result.cut = p.result.budget || errors.As(err, &cut)
	}
	if p.result.Undefined == "" {
		p.result.sampled = &sampledCase{p.session, a.noisy(p.factual)}
	}
	p.result.Cost = tidy(p.session.Cost())
	p.session, p.factual = nil, nil
}

// values replays a failing case under coalitions and fills in its values.
func (a *analysis) values(ctx context.Context, s *replay.Session, c *pipeline.Case, r *CaseResult, factual *replay.Trace) error {
	seed := c.WorldSeed(a.options.Seed)
	worlds, err := a.worlds(s, factual, seed)
	if err != nil {
		return err
	}
	switch {
	case a.options.Method == Permutation && a.hasFixes():
		// Players that the fixed replay meets are players too.
		s.Run(ctx, worlds[0], replay.Fixes{All: true}, false)
		err = a.sampled(ctx, r, a.newValues(s, worlds, seed), a.options.Permutations)
	case a.options.Independent:
		var g *caseGame
		if g, err = a.newValues(s, worlds, seed).exactIndependent(ctx); err == nil {
			r.Method = string(Exact)
			if a.options.Method == Auto {
				r.Reason = "every coalition is replayed, with noise of its own"
			}
			g.values(r, a.options.Pass)
		}
	default:
		err = a.explored(ctx, s, r, worlds, seed)
	}
	if err != nil {
		return err
	}
	return a.compareFixed(ctx, s, r, factual, worlds[0])
}

// compareFixed compares the run as it was with the replay of every fix.
func (a *analysis) compareFixed(ctx context.Context, s *replay.Session, r *CaseResult, factual *replay.Trace, world int) error {
	recorded := a.options.Mode == Recorded && !a.options.Independent
	if recorded {
		world = 0
	}
	if r.Method == string(Exact) && !a.options.Independent {
		// All replays are known and nothing runs: the case keeps its values, and
		// this one, though ctx may have ended meanwhile.
		ctx = context.WithoutCancel(ctx)
	}
	all := s.Run(ctx, world, replay.Fixes{All: true}, false)
	var noScore *replay.ScoreError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case all.Err != nil && !errors.As(all.Err, &noScore):
		return nil // cut off, by the budget say: there is nothing to compare with
	}
	if recorded {
		if all.Err == nil && r.ScoreFixed == nil {
			r.ScoreFixed = &all.Score
		}
		r.CallsShift = a.callsShift(factual, all)
	}
	r.LastTouch = a.lastTouch(factual, all)
	r.raw.fixed(a.engine.Pipeline(), factual, all, !recorded)
	r.raw.coalitions(r.game)
	return nil
}

// explored gets a case's values from exploring all coalitions, or, when there
// are too many states and the method allows it, from sampling.
func (a *analysis) explored(ctx context.Context, s *replay.Session, r *CaseResult, worlds []int, seed uint64) error {
	if a.certain(ctx, r, a.newValues(s, worlds, seed)) {
		return nil
	}
	xs, err := a.exploreAll(ctx, s, worlds)
	if err != nil {
		return err
	}
	for _, x := range xs {
		r.Errors = mergeErrors(r.Errors, a.errors(s, x.Failures))
	}
	for _, x := range xs {
		if x.Complete() {
			continue
		}
		if err := a.bounds(s, r, xs); err != nil {
			return err
		}
		if x.Cut && a.options.Method == Auto {
			why := fmt.Sprintf("there are more than %d states to explore", a.engine.Nodes())
			if err := a.estimated(ctx, r, a.newValues(s, worlds, seed), why); err != nil {
				return err
			}
			r.intersect()
			return nil
		}
		return unknownReason(x)
	}
	g, err := a.newCaseGame(s, xs)
	if err != nil {
		return err
	}
	r.Method = string(Exact)
	if a.options.Method == Auto {
		r.Reason = fmt.Sprintf("there are no more than %d states to explore", a.engine.Nodes())
	}
	g.values(r, a.options.Pass)
	g.repairs(r, a.options.Pass)
	r.MergedByKey = s.MergedByKey()
	if err := a.checkKeys(ctx, s, r, worlds, seed); err != nil {
		return err
	}
	g.interactions(r)
	a.responsibility(g, r)
	if err := a.levels(ctx, g, r); err != nil {
		return err
	}
	r.game = g
	return a.tryVariants(ctx, s, r, worlds)
}

func unknownReason(x *replay.Exploration) error {
	reason := "the value of some coalitions is unknown"
	if len(x.Unknown) > 0 {
		reason += ": " + x.Unknown[0]
		switch more := len(x.Unknown) - 1; {
		case more == 1:
			reason += " (and 1 more reason)"
		case more > 1:
			reason += fmt.Sprintf(" (and %d more reasons)", more)
		}
	}
	return &cutError{reason, x.Budget}
}

// hasFixes says whether any step has a fix: without one there is nothing to sample.
func (a *analysis) hasFixes() bool {
	for i := range a.engine.Pipeline().Steps {
		if a.engine.FixOf(i) != "" {
			return true
		}
	}
	return false
}

// noisy says whether a run drew noise, or may have drawn some that isn't seen.
func (a *analysis) noisy(factual *replay.Trace) bool {
	return slices.ContainsFunc(factual.Calls, func(c replay.TraceCall) bool { return len(c.Draws) > 0 }) ||
		slices.ContainsFunc(a.engine.Pipeline().Steps, func(s *pipeline.Spec) bool { return s.Impls[0].Opaque })
}

// A cutError says why a case's values are not known.
type cutError struct {
	reason string
	budget bool // the budget ended
}

func (e *cutError) Error() string { return e.reason }

func (e *cutError) Is(target error) bool { return e.budget && target == replay.ErrBudget }

// mergeErrors adds the errors of another world: each once, in order.
func mergeErrors(to, more []CaseError) []CaseError {
	for _, e := range more {
		if !slices.ContainsFunc(to, func(have CaseError) bool {
			return have.Step == e.Step && have.Variant == e.Variant && have.Message == e.Message
		}) {
			to = append(to, e)
		}
	}
	return to
}

func coalitionNames(c game.Coalition, names []string) []string {
	out := []string{}
	for p := range c.Players() {
		out = append(out, names[p])
	}
	return out
}

// lastTouch returns the last player whose output the fixes change. Where calls
// went on at once, last means the last in the order of reports.
func (a *analysis) lastTouch(factual, all *replay.Trace) string {
	calls := factual.Calls
	if factual.AtOnce {
		calls = slices.Clone(calls)
		slices.SortFunc(calls, func(x, y replay.TraceCall) int {
			return replay.ComparePlayers(replay.Player{Step: x.Step, Label: x.Label}, replay.Player{Step: y.Step, Label: y.Label})
		})
	}
	for _, c := range slices.Backward(calls) {
		if a.engine.FixOf(c.Step) == "" {
			continue
		}
		if other := sameCall(all, c); other == nil || other.Output != c.Output {
			return a.engine.Name(a.player(c))
		}
	}
	return ""
}

func (a *analysis) player(c replay.TraceCall) replay.Player {
	p := replay.Player{Step: c.Step}
	if a.options.Calls {
		p.Label = c.Label
	}
	return p
}

func sameCall(t *replay.Trace, c replay.TraceCall) *replay.TraceCall {
	for i := range t.Calls {
		if t.Calls[i].Step == c.Step && t.Calls[i].Label == c.Label {
			return &t.Calls[i]
		}
	}
	return nil
}

// callsShift names the steps that are called another number of times with every
// fix in place, by number rather than by name.
func (a *analysis) callsShift(factual, all *replay.Trace) []string {
	if all.Err != nil {
		return nil
	}
	counts := map[int]int{}
	for sign, t := range map[int]*replay.Trace{1: factual, -1: all} {
		for _, c := range t.Calls {
			if _, err := strconv.Atoi(c.Label); err == nil {
				counts[c.Step] += sign
			}
		}
	}
	var out []string
	for step, name := range a.engine.Pipeline().StepNames() {
		// A step that isn't called at all in one of them has no later calls to shift.
		if counts[step] != 0 && called(factual, step) && called(all, step) {
			out = append(out, name)
		}
	}
	return out
}

func called(t *replay.Trace, step int) bool {
	return slices.ContainsFunc(t.Calls, func(c replay.TraceCall) bool { return c.Step == step })
}

func (a *analysis) errors(s *replay.Session, fs []replay.Failure) []CaseError {
	players := s.Players()
	var out []CaseError
	for _, f := range fs {
		var fixed []replay.Player
		for p := range f.Coalition.Players() {
			fixed = append(fixed, players[p])
		}
		slices.SortFunc(fixed, replay.ComparePlayers)
		names := []string{}
		for _, p := range fixed {
			names = append(names, a.engine.Name(p))
		}
		out = append(out, CaseError{f.Step, f.Variant, names, f.Message, f.Traceback})
	}
	return out
}

func byPlayer[T any](names []string, values []T) ByPlayer[T] {
	out := make(ByPlayer[T], len(names))
	for i, n := range names {
		out[i] = PlayerValue[T]{n, values[i]}
	}
	return out
}
