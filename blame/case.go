package blame

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
}

// analyze runs a case and, when it fails, analyses it. turn, if not nil, is
// waited for between the two: under a budget, analyses take turns.
func (a *analysis) analyze(ctx context.Context, c *pipeline.Case, turn func()) *CaseResult {
	r := &CaseResult{ID: c.ID}
	s, err := a.engine.Case(c, a.options.Seed)
	if err != nil {
		r.Undefined = err.Error()
		return r
	}
	factual := s.Run(ctx, 0, replay.Fixes{}, true)
	r.CostFactual = s.FactualCost()
	r.Errors = a.errors(s, factual.Failures)
	if factual.Err != nil {
		r.Undefined = "the run as it was has no score: " + factual.Err.Error()
		return r
	}
	score := factual.Score
	r.Score = &score
	if score >= a.options.Pass {
		r.Passed = true
		return r
	}
	if turn != nil {
		turn()
	}
	a.explore(ctx, s, r, factual)
	r.Cost = s.Cost()
	return r
}

// explore replays a failing case under all coalitions and fills in its values.
func (a *analysis) explore(ctx context.Context, s *replay.Session, r *CaseResult, factual *replay.Trace) {
	x, err := s.Explore(ctx, 0)
	if err != nil {
		r.Undefined = err.Error()
		return
	}
	r.Errors = a.errors(s, x.Failures)
	if !x.Complete() {
		r.Undefined = unknownReason(x)
		return
	}
	players, d, err := a.canonical(s, x.Diagram)
	if err != nil {
		r.Undefined = err.Error()
		return
	}
	names := make([]string, len(players))
	for i, p := range players {
		names[i] = a.engine.Name(p)
	}
	r.Method = "exact"
	r.Coalitions = pow2(len(players))
	r.CostUncached = x.CostUncached
	fixed := d.Full()
	r.ScoreFixed = &fixed
	shapley, fractions := exactValues(d)
	r.Shapley = byPlayer(names, shapley)
	if fractions != nil {
		r.ShapleyExact = byPlayer(names, fractions)
	}
	r.FixAlone = byPlayer(names, d.FixAlone(nil))
	r.LeaveOneOut = byPlayer(names, d.LeaveOneOut(nil))
	a.repairs(r, d, names)
	all := s.Run(ctx, 0, replay.Fixes{All: true}, false)
	r.LastTouch = a.lastTouch(factual, all)
	r.CallsShift = a.callsShift(factual, all)
}

func unknownReason(x *replay.Exploration) string {
	reason := "the value of some coalitions is unknown"
	if len(x.Unknown) > 0 {
		reason += ": " + x.Unknown[0]
		if more := len(x.Unknown) - 1; more > 0 {
			reason += fmt.Sprintf(" (and %d more reasons)", more)
		}
	}
	return reason
}

// canonical numbers the players in the order of reports. Calls as players are
// discovered while exploring, in an order that says nothing.
func (a *analysis) canonical(s *replay.Session, d *game.Diagram) ([]replay.Player, *game.Diagram, error) {
	found := s.Players()
	players := slices.Clone(found)
	slices.SortStableFunc(players, replay.ComparePlayers)
	to := make([]int, len(found))
	for i, p := range found {
		to[i] = slices.Index(players, p)
	}
	d, err := d.Relabel(len(players), to)
	return players, d, err
}

func (a *analysis) repairs(r *CaseResult, d *game.Diagram, names []string) {
	all := d.Repairs(a.options.Pass)
	r.MinimalRepairs = [][]string{}
	for _, c := range all.Smallest(maxRepairs) {
		r.MinimalRepairs = append(r.MinimalRepairs, coalitionNames(c, names))
	}
	if count := all.Count(); !count.IsInt64() || count.Int64() > int64(len(r.MinimalRepairs)) {
		r.MinimalRepairsCut = true
		r.MinimalRepairsCount = count.String()
	}
}

// maxRepairs is how many minimal repairs a result lists.
const maxRepairs = 100

func coalitionNames(c game.Coalition, names []string) []string {
	out := []string{}
	for p := range c.Players() {
		out = append(out, names[p])
	}
	return out
}

// lastTouch returns the last player whose output the fixes change.
func (a *analysis) lastTouch(factual, all *replay.Trace) string {
	for _, c := range slices.Backward(factual.Calls) {
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
			if c.Label[0] >= '0' && c.Label[0] <= '9' {
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
	names := make([]string, len(s.Players()))
	for i, p := range s.Players() {
		names[i] = a.engine.Name(p)
	}
	var out []CaseError
	for _, f := range fs {
		out = append(out, CaseError{f.Step, f.Variant, coalitionNames(f.Coalition, names), f.Message})
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

// isCancelled says whether a case has no values only because the analysis was
// stopped.
func isCancelled(ctx context.Context) bool {
	return errors.Is(ctx.Err(), context.Canceled) || errors.Is(ctx.Err(), context.DeadlineExceeded)
}
