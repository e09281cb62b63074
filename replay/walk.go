package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
)

// errNotKnown says that a replay would have to run something.
var errNotKnown = errors.New("a step run is not known")

// errEnded is what a program is told when its run no longer matters.
var errEnded = errors.New("this replay has ended")

// errEndless says that a replay made more calls than it may.
var errEndless = errors.New("endless")

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
	// raw takes outputs as they are, whatever their keys.
	raw bool
	// peek ends the run at the first step run that isn't known, and runs nothing.
	peek bool
	// variants are the variants of steps that run whatever the coalition says.
	variants map[int]int
	running  *sync.WaitGroup // runs started ahead

	mu       sync.Mutex
	decided  game.Coalition
	fixed    game.Coalition // of the decided
	ended    error          // why the run no longer matters
	begun    int            // calls so far
	answered []answer       // of these
	overlaps bool           // calls go on at once, so that their order means nothing
	failed   bool           // a step failed

	// What the run must call again, see expect.go.
	expect  []answer
	prepaid bool // the expected calls are accounted for by another walk
	met     int  // how many of them were made
	other   *pipeline.Call

	// For an explorer: where the walk is, and where it began.
	slot    int32
	owed    []owed
	from    pipeline.Point
	resumed bool  // the first call is the one the walk was forked at
	forks   *walk // those that nobody else runs, the last one first
	next    *walk // another of the same list
}

// made identifies a call that a run has made.
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
	ended, failed := w.ended, w.failed
	var missing error
	if ended == nil || ended == errEndless {
		missing = w.missing()
		w.ended = errEnded // for calls that come late
	}
	w.mu.Unlock()
	switch {
	case ended != nil && ended != errEndless:
		return 0, ended
	case isFault(runErr):
		return 0, runErr
	case missing != nil:
		return 0, missing
	case ended == errEndless:
		// For the case it is a failure like any other: the run gives no answer.
		w.note(failure{step: -1, message: fmt.Sprintf("the replay made more than %d step calls and was ended: the pipeline function seems not to end", s.engine.options.MaxCalls)})
		return 0, nil
	case runErr != nil:
		if !failed {
			w.note(failure{step: -1, message: runErr.Error()})
		}
		return 0, nil
	}
	return w.score(out)
}

// Call implements [pipeline.Caller].
func (w *walk) Call(ctx context.Context, c pipeline.Call) (*pipeline.Value, error) {
	s := w.session
	at := made{c.Step, s.labelID(c.Label), s.tuple(c.Args)}
	if known, err := w.begin(c, at); known != nil || err != nil {
		return known, err
	}
	player := s.player(c.Step, c.Label)
	if player >= game.MaxPlayers {
		return nil, w.end(fmt.Errorf("there are more than %d players", game.MaxPlayers))
	}
	r := request{made: at, name: c.Label, inputs: c.Args, world: w.world, factual: w.factual}
	variant, decided := w.choice(player, c.Step)
	if !decided {
		return w.both(ctx, c, r, player)
	}
	r.variant = variant
	out, cached := w.one(ctx, r, w.ahead(c))
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.accept(r, out, cached)
}

// begin notes the call. It returns the output of one that an earlier walk has
// accounted for, and an error when the run is over.
func (w *walk) begin(c pipeline.Call, at made) (known *pipeline.Value, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.ended != nil:
	case w.ctx.Err() != nil:
		w.ended = context.Cause(w.ctx)
	case w.begun >= w.session.engine.options.MaxCalls:
		w.ended = errEndless
	default:
		w.begun++
		known, w.ended = w.match(c, at)
		w.overlaps = w.overlaps || c.Overlaps || known == nil && w.session.engine.elsewhere(c)
		if w.ended == nil && w.explore != nil && c.At != nil && !w.explore.enter(w, c.At) {
			w.ended = errMerged
		}
	}
	if w.ended != nil {
		return nil, errEnded
	}
	return known, nil
}

// choice returns the variant that a call runs, or false when nothing has decided
// about its player yet.
func (w *walk) choice(player, step int) (variant int, decided bool) {
	if v, given := w.variants[step]; given {
		return v, true
	}
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
func (w *walk) one(ctx context.Context, r request, ahead []request) (out *outcome, cached bool) {
	if w.peek && !w.session.known(r) {
		return &outcome{unknown: errNotKnown}, false
	}
	if !w.gated() {
		w.startAhead(ctx, ahead, nil)
		return w.session.get(w, ctx, r)
	}
	refused, waited := w.explore.gate.wait(w, slices.Concat([]request{r}, ahead), false)
	if waited {
		defer w.explore.gate.done(w)
	}
	w.startAhead(ctx, ahead, refused[1:])
	if refused[0] {
		return &outcome{unknown: ErrBudget}, false
	}
	return w.session.get(w, ctx, r)
}

// startAhead starts runs that nobody waits for yet, but for those refused.
func (w *walk) startAhead(ctx context.Context, ahead []request, refused []bool) {
	for i, r := range ahead {
		if refused == nil || !refused[i] {
			w.running.Go(func() { w.session.get(w, ctx, r) })
		}
	}
}

// gated says whether a gate decides about the walk's runs.
func (w *walk) gated() bool { return w.explore != nil && w.explore.gate != nil }

// pay reserves the cost of a run that starts, where no gate has done so.
func (w *walk) pay(cost float64) error {
	if w.gated() || w.factual || w.session.engine.meter.reserve(cost) {
		return nil
	}
	return ErrBudget
}

// accept takes an outcome as the call's answer. The caller holds the lock.
func (w *walk) accept(r request, out *outcome, cached bool) (*pipeline.Value, error) {
	if w.ended == nil {
		if w.ended = out.err(w.session.engine, r); isTransient(out.unknown) {
			w.note(failure{r.step, r.variant, out.unknown.Error()})
		}
	}
	if w.ended != nil {
		return nil, errEnded
	}
	var fails *failure
	if err := out.value.Err(); err != nil {
		w.failed = true
		fails = &failure{step: r.step, variant: r.variant, message: err.Error()}
	}
	switch {
	case w.explore != nil:
		w.explore.account(w, out.cost, fails)
	case w.trace != nil:
		w.trace.add(w.session, r, out, cached)
		if fails != nil {
			w.trace.fail(w, *fails)
		}
	}
	value := out.value
	if w.raw && out.raw != nil {
		value = out.raw
	}
	if w.explore != nil || w.factual { // another run will have to make the call again
		if w.answered == nil {
			w.answered = make([]answer, 0, len(w.session.engine.specs))
		}
		w.answered = append(w.answered, answer{r.made, value})
	}
	return value, nil
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

// note files a failure of the score or the pipeline function.
func (w *walk) note(f failure) {
	switch {
	case w.explore != nil:
		w.explore.account(w, 0, &f)
	case w.trace != nil:
		w.trace.fail(w, f)
	}
}

// ahead returns runs that the program will ask for later and that are worth
// starting now. Under a budget that is all of them, so that what is run doesn't
// depend on how long things take; but the factual replay, which no gate puts in
// order, then starts nothing that might turn out needless.
func (w *walk) ahead(c pipeline.Call) []request {
	s, gated := w.session, w.gated()
	if len(c.Ahead) == 0 || !gated && (s.engine.options.Concurrency == 1 || s.engine.meter.budget > 0) {
		return nil
	}
	var runs []request
	add := func(r request) {
		if (gated || s.engine.waits(r.step, r.variant)) && !s.known(r) {
			runs = append(runs, r)
		}
	}
	for _, a := range c.Ahead {
		at := made{a.Step, s.labelID(a.Label), s.tuple(a.Args)}
		r := request{made: at, name: a.Label, inputs: a.Args, world: w.world, factual: w.factual, ahead: true}
		variant, decided := w.choice(s.player(a.Step, a.Label), a.Step)
		r.variant = variant
		add(r)
		if !decided {
			r.variant = s.engine.fixes[a.Step]
			add(r)
		}
	}
	return runs
}
