package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
)

// errEnded is what a program is told when its run no longer matters.
var errEnded = errors.New("this replay has ended")

// A walk is one run of the program. It answers the program's calls, either as a
// coalition says, or, for an explorer, as-run where nothing is decided yet and
// leaving a note that the fix is to be walked too.
type walk struct {
	session *Session
	ctx     context.Context // of the analysis
	world   int
	factual bool
	trace   *Trace    // nil: no one asked for it
	explore *explorer // nil: every player is decided
	all     bool      // every player runs its fix

	mu       sync.Mutex
	decided  game.Coalition
	fixed    game.Coalition // of the decided
	ended    error          // why the run no longer matters
	calls    []made // in the order in which they began
	accepted []made // those that have been answered
	expect   []made // what the run must begin with
	prepaid  bool   // the expected calls are accounted for by another walk
	overlaps bool
	running  *sync.WaitGroup // runs started ahead
	failed   bool // a step failed
	cost     float64

	// For an explorer: where the walk is, and where it began.
	slot    int32
	path    string // decisions so far: orders walks under a budget
	from    pipeline.Point
	resumed bool // the first call is the one the walk was forked at
	forks   []*walk
}

// made is a call that a run has made.
type made struct {
	step  int
	label uint32
	args  uint32
}

// run runs the program and scores its result. The score is only meaningful when
// err is nil; unknown outcomes and wrong uses are errors.
func (w *walk) run() (score float64, err error) {
	s := w.session
	out, runErr := s.engine.pipeline.Program.Run(w.ctx, s.input, w.from, w)
	w.mu.Lock()
	ended, missing := w.ended, len(w.calls) < len(w.expect)
	w.mu.Unlock()
	if ended != nil {
		return 0, ended
	}
	var fault *pipeline.FaultError
	if errors.As(runErr, &fault) {
		return 0, fault
	}
	if missing {
		return 0, w.notDeterministic(len(w.calls), "then ended")
	}
	if runErr != nil {
		if !w.failed {
			w.note(failure{step: -1, message: runErr.Error()})
		}
		return 0, nil
	}
	return w.score(out)
}

// score runs the score, the step after the last.
func (w *walk) score(args []*pipeline.Value) (float64, error) {
	s := w.session
	r := request{step: len(s.engine.specs) - 1, label: "1", args: args, world: w.world, factual: w.factual}
	out := w.one(w.ctx, r, nil)
	if out.fault != nil {
		return 0, out.fault
	}
	if out.unknown != nil {
		return 0, fmt.Errorf("score: %w", out.unknown)
	}
	w.addCost(out.cost)
	if err := out.value.Err(); err != nil {
		w.note(failure{step: r.step, message: err.Error()})
		return 0, &ScoreError{err}
	}
	score, err := scoreOf(out.value)
	if err != nil {
		w.note(failure{step: r.step, message: err.Error()})
		return 0, &ScoreError{err}
	}
	return score, nil
}

// A ScoreError says that a replay could not be scored: its value is unknown.
type ScoreError struct{ Err error }

func (e *ScoreError) Error() string { return "score: " + e.Err.Error() }
func (e *ScoreError) Unwrap() error { return e.Err }

func scoreOf(v *pipeline.Value) (float64, error) {
	switch x := v.Any().(type) {
	case bool:
		if x {
			return 1, nil
		}
		return 0, nil
	case float64:
		if x >= 0 && x <= 1 {
			return x, nil
		}
		return 0, fmt.Errorf("it is %v, and must lie in [0, 1]", x)
	}
	return 0, fmt.Errorf("it is %.60s, and must be a number in [0, 1]", v.JSON())
}

// Call implements [pipeline.Caller].
func (w *walk) Call(ctx context.Context, c pipeline.Call) (*pipeline.Value, error) {
	s := w.session
	known, err := w.begin(c)
	if err != nil {
		return nil, err
	}
	player := s.player(c.Step, c.Label)
	if player >= game.MaxPlayers {
		return nil, w.end(fmt.Errorf("there are more than %d players", game.MaxPlayers))
	}
	r := request{step: c.Step, label: c.Label, args: c.Args, world: w.world, factual: w.factual}
	variant, decided := w.choice(player, c.Step)
	if !decided {
		return w.both(ctx, c, r, player, known)
	}
	r.variant = variant
	out := w.one(ctx, r, w.ahead(c))
	return w.accept(c, r, out, known)
}

// begin notes the call and checks that the run begins as it must. known says
// that the call is one that an earlier walk has accounted for.
func (w *walk) begin(c pipeline.Call) (known bool, err error) {
	m := made{c.Step, w.session.labelID(c.Label), w.session.tuple(c.Args)}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return false, errEnded
	}
	at := len(w.calls)
	if at >= w.session.engine.options.MaxCalls {
		w.ended = fmt.Errorf("a replay made more than %d step calls: the pipeline function seems not to end", at)
		return false, errEnded
	}
	w.overlaps = w.overlaps || c.Overlaps
	if len(w.expect) > 0 {
		known, err = w.matches(at, m, c)
		if err != nil {
			w.ended = err
			return false, errEnded
		}
		known = known && w.prepaid
	}
	w.calls = append(w.calls, m)
	if w.explore != nil && c.At != nil && !w.explore.enter(w, c.At) {
		w.ended = errMerged
		return false, errEnded
	}
	return known, nil
}

// matches says whether the call is among those that the run must begin with. A
// sequential function must make them in the same order; calls that go on at
// once may come in another.
func (w *walk) matches(at int, m made, c pipeline.Call) (bool, error) {
	if !w.overlaps {
		if at >= len(w.expect) {
			return false, nil
		}
		if w.expect[at] == m {
			return true, nil
		}
	}
	for _, e := range w.expect {
		if e == m {
			return true, nil
		}
		if e.step == m.step && e.label == m.label {
			return false, w.notDeterministic(at, "then with other inputs: "+w.describe(c))
		}
	}
	if w.overlaps {
		return false, nil
	}
	return false, w.notDeterministic(at, "then "+w.describe(c))
}

// A NotDeterministicError says that a pipeline function, run again on the same
// outputs of its steps, did something else.
type NotDeterministicError struct{ Message string }

func (e *NotDeterministicError) Error() string { return e.Message }

func (w *walk) notDeterministic(at int, then string) error {
	e := w.expect[min(at, len(w.expect)-1)]
	label := fmt.Sprint(e.label)
	for name, id := range w.session.names {
		if id == e.label {
			label = name
		}
	}
	first := fmt.Sprintf("%s#%s", w.session.engine.specs[e.step].Name, label)
	return &NotDeterministicError{fmt.Sprintf(
		"the pipeline function is not deterministic given its steps' outputs: call %d was first %s, %s. It is run again on outputs that are known, so it must not depend on clocks, randomness of its own or state that it keeps", at+1, first, then)}
}

func (w *walk) describe(c pipeline.Call) string {
	var in []json.RawMessage
	for _, a := range c.Args {
		in = append(in, json.RawMessage(a.JSON()))
	}
	text, _ := json.Marshal(in) // values are JSON already
	return fmt.Sprintf("%s#%s with %.200s", w.session.engine.specs[c.Step].Name, c.Label, text)
}

// choice returns the variant that a call runs, or false when nothing has decided
// about its player yet.
func (w *walk) choice(player, step int) (variant int, decided bool) {
	if player < 0 {
		return 0, true
	}
	fix := w.session.engine.fixes[step]
	if w.all {
		return fix, true
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.fixed.Has(player):
		return fix, true
	case w.explore == nil || w.decided.Has(player):
		return 0, true
	}
	return 0, false
}

// one gets the outcome of a run that is decided, and starts others beside it.
func (w *walk) one(ctx context.Context, r request, ahead []request) outcome {
	refused := w.reserve(ctx, append([]request{r}, ahead...), 1)
	if refused[0] {
		return outcome{unknown: ErrBudget}
	}
	return w.session.get(w.ctx, ctx, r, w.payer())
}

// reserve waits, under a budget, until the runs may start, and says which may
// not; then it starts those after the first n, which nobody waits for yet.
func (w *walk) reserve(ctx context.Context, runs []request, n int) (refused []bool) {
	if w.explore != nil && w.explore.gate != nil {
		refused = w.explore.gate.wait(w, runs)
	} else {
		refused = make([]bool, len(runs))
	}
	for i, r := range runs[n:] {
		if !refused[n+i] {
			w.running.Go(func() { w.session.get(w.ctx, ctx, r, w.payer()) })
		}
	}
	return refused
}

// payer returns what is asked before a run starts: nothing where the gate has
// been asked before.
func (w *walk) payer() func(float64) error {
	if w.explore != nil && w.explore.gate != nil {
		return func(float64) error { return nil }
	}
	return w.pay
}

// accept takes an outcome as the call's answer.
func (w *walk) accept(c pipeline.Call, r request, out outcome, known bool) (*pipeline.Value, error) {
	if out.fault != nil {
		return nil, w.end(out.fault)
	}
	if out.unknown != nil {
		spec := w.session.engine.specs[c.Step]
		return nil, w.end(&UnknownError{Step: spec.Name, Variant: spec.Impls[r.variant].Name, Err: out.unknown})
	}
	if !known {
		w.addCost(out.cost)
		if err := out.value.Err(); err != nil {
			w.note(failure{step: c.Step, variant: r.variant, message: err.Error()})
		}
	}
	w.mu.Lock()
	w.accepted = append(w.accepted, made{c.Step, w.session.labelID(c.Label), w.session.tuple(c.Args)})
	w.failed = w.failed || out.value.Err() != nil
	w.mu.Unlock()
	if w.trace != nil {
		w.trace.add(w.session, c, r, out)
	}
	return out.value, nil
}

// An UnknownError says that a replay's value is unknown since a step run came
// to nothing.
type UnknownError struct {
	Step, Variant string
	Err           error
}

func (e *UnknownError) Error() string {
	if e.Variant != "" {
		return fmt.Sprintf("step %s, variant %s: %v", e.Step, e.Variant, e.Err)
	}
	return fmt.Sprintf("step %s: %v", e.Step, e.Err)
}

func (e *UnknownError) Unwrap() error { return e.Err }

// end marks the run as one whose result no longer matters.
func (w *walk) end(why error) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended == nil {
		w.ended = why
	}
	return errEnded
}

// pay reserves the cost of a run outside a budgeted exploration.
func (w *walk) pay(cost float64) error {
	if w.factual || w.session.engine.meter.reserve(cost) {
		return nil
	}
	return ErrBudget
}

func (w *walk) addCost(cost float64) {
	if w.explore != nil {
		w.explore.addCost(w, cost)
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cost += cost
}

// note files a failure of a step, the score or the pipeline function.
func (w *walk) note(f failure) {
	switch {
	case w.explore != nil:
		w.explore.note(w, f)
	case w.trace != nil:
		w.trace.fail(w.session, f)
	}
}

// ahead returns runs that the program will ask for later and that are worth
// starting now. Under a budget that is all of them, so that what is run doesn't
// depend on how long things take.
func (w *walk) ahead(c pipeline.Call) []request {
	s := w.session
	if len(c.Ahead) == 0 || s.engine.options.Concurrency == 1 {
		return nil
	}
	gated := w.explore != nil && w.explore.gate != nil
	var runs []request
	add := func(r request) {
		if (gated || s.engine.waits(r.step, r.variant)) && !s.known(r) {
			runs = append(runs, r)
		}
	}
	for _, a := range c.Ahead {
		player := s.player(a.Step, a.Label)
		variant, decided := w.choice(player, a.Step)
		r := request{step: a.Step, label: a.Label, args: a.Args, world: w.world, factual: w.factual, variant: variant}
		add(r)
		if !decided {
			r.variant = s.engine.fixes[a.Step]
			add(r)
		}
	}
	return runs
}
