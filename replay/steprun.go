package replay

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// An outcome is what a step run came to.
type outcome struct {
	// value is the output, or the step's error as a value; nil when unknown.
	value *pipeline.Value
	// raw is the output itself, where value is another with an equal key.
	raw *pipeline.Value
	// cost is the run's price: its declared cost for each attempt, and charges.
	cost  float64
	drew  bool
	draws []noise.Draw
	notes map[string]jsontext.Value // of a run that is traced
	took  time.Duration
	// pinned says that the output is a recorded one and nothing ran.
	pinned bool
	// unknown says why there is no output: the last attempt failed for a
	// transient reason, the budget ended, the analysis was cancelled.
	unknown error
	// fault is a wrong use of the pipeline, not a failure of the step.
	fault error
}

// err says why there is no value.
func (o *outcome) err(e *Engine, r request) error {
	switch {
	case o.fault != nil:
		return o.fault
	case o.unknown != nil:
		return &UnknownError{Step: e.specs[r.step].Name, Variant: e.specs[r.step].Impls[r.variant].Name, Err: o.unknown}
	}
	return nil
}

// stepContext is the context of a step's own run. Its values are those of the
// caller, for what user code keeps there, but its end is the analysis': the
// output serves other replays than the one that asked first.
type stepContext struct {
	context.Context // of the analysis
	values          context.Context
	session         *Session
	request         request
	world           noise.World
	onDraw          func()

	mu      sync.Mutex
	asked   bool // for the source
	source  noise.Source
	charged float64
	notes   map[string]jsontext.Value
}

func (c *stepContext) Value(key any) any {
	switch key.(type) {
	case noise.ContextKey:
		return c.noise()
	case pipeline.InsideKey:
		return true
	case pipeline.ChargeKey:
		return c.charge
	case pipeline.CaseKey:
		return c.session.input.Case
	case pipeline.NoteKey:
		if !c.request.factual {
			return nil
		}
		return c.note
	}
	if v := c.Context.Value(key); v != nil {
		return v
	}
	return c.values.Value(key)
}

// noise returns the source of the run's draws.
func (c *stepContext) noise() *noise.Source {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.asked {
		c.asked = true
		r := &c.request
		c.source.Reset(c.world, c.session.engine.specs[r.step].Name, r.name)
		c.source.OnDraw(c.onDraw)
		if r.factual {
			c.source.Record()
		}
	}
	return &c.source
}

// end returns what the run has charged and whether and what it drew.
func (c *stepContext) end() (charged float64, drew bool, draws []noise.Draw) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.asked {
		return c.charged, false, nil
	}
	if c.request.factual {
		draws = c.source.Draws()
	}
	return c.charged, c.source.Drew(), draws
}

func (c *stepContext) note(name string, value jsontext.Value) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.notes == nil {
		c.notes = map[string]jsontext.Value{}
	}
	c.notes[name] = value
}

// taken returns the notes that the run has made.
func (c *stepContext) taken() map[string]jsontext.Value {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.notes)
}

func (c *stepContext) charge(cost float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.charged += cost
}

// run runs a step: the one place where anything is run. The first attempt's
// declared cost has been reserved; onDraw, if any, is called at its first draw.
func (s *Session) run(ctx, values context.Context, r request, onDraw func()) outcome {
	e := s.engine
	impl := &e.specs[r.step].Impls[r.variant]
	if e.waits(r.step, r.variant) {
		release, err := e.limits.acquire(ctx, r.step)
		if err != nil {
			return outcome{unknown: err}
		}
		defer release()
	}
	e.stats.Started.Add(1)
	defer e.stats.Finished.Add(1)
	var out outcome
	for attempt := 0; ; attempt++ {
		run := &stepContext{Context: ctx, values: values, session: s, request: r, world: s.World(r.world), onDraw: onDraw}
		start := time.Now()
		result, err := attemptOnce(run, impl, s, r)
		out.took = time.Since(start)
		e.speeds[r.step][r.variant].Store(max(1, int64(out.took)))
		charged := 0.0
		charged, out.drew, out.draws = run.end()
		if r.factual {
			out.notes = run.taken()
		}
		out.cost += impl.Cost + charged
		if charged != 0 && !r.factual {
			e.meter.charge(charged)
		}
		if ctx.Err() != nil {
			out.unknown = context.Cause(ctx)
			return out
		}
		if !isTransient(err) {
			s.settle(&out, r, result, err)
			return out
		}
		if attempt >= impl.Retries {
			if attempt > 0 {
				err = fmt.Errorf("%w (%d attempts)", err, attempt+1)
			}
			out.unknown = err
			return out
		}
		e.stats.Retried.Add(1)
		select {
		case <-time.After(e.options.Backoff << min(attempt, 10)):
		case <-ctx.Done():
			out.unknown = context.Cause(ctx)
			return out
		}
		if !r.factual && !e.meter.reserve(impl.Cost) {
			out.unknown = fmt.Errorf("%w before attempt %d", ErrBudget, attempt+2)
			return out
		}
	}
}

// settle turns what the implementation returned into a value.
func (s *Session) settle(out *outcome, r request, result any, err error) {
	if isFault(err) {
		out.fault = err
		return
	}
	if err == nil {
		out.value, err = s.values.Intern(result)
		if err != nil {
			err = fmt.Errorf("the output has no JSON form: %w", err)
		}
	}
	if err != nil {
		out.value = s.values.InternError(err)
		return
	}
	if spec := s.engine.specs[r.step]; spec.Key != nil {
		if err := s.mergeByKey(out, r.step, spec); err != nil {
			out.fault = fmt.Errorf("key of step %s: %w", spec.Name, err)
		}
	}
}

// isFault says whether an error is no failure of the step but of who declared it,
// or of the case.
func isFault(err error) bool {
	if err == nil {
		return false
	}
	var noGold *pipeline.NoGoldError
	var fault *pipeline.FaultError
	return errors.As(err, &noGold) || errors.As(err, &fault)
}

// attemptOnce makes one attempt: panics become errors, and what overruns its
// time is left behind.
func attemptOnce(ctx *stepContext, impl *pipeline.Impl, s *Session, r request) (any, error) {
	args := pipeline.NewArgs(s.input.Case, s.engine.specs[r.step].Needs, r.inputs)
	if impl.Timeout <= 0 {
		return guarded(ctx, impl, args)
	}
	limited, cancel := context.WithTimeout(ctx, impl.Timeout)
	defer cancel()
	type result struct {
		out any
		err error
	}
	done := make(chan result, 1)
	go func() {
		out, err := guarded(limited, impl, args)
		done <- result{out, err}
	}()
	expired := pipeline.Transient(fmt.Errorf("timed out after %v", impl.Timeout))
	// What stops by itself when its time is over gets a moment to say so: a
	// process group to be killed, a connection to be closed.
	select {
	case res := <-done:
		if res.err != nil && limited.Err() != nil && ctx.Err() == nil {
			return nil, expired
		}
		return res.out, res.err
	case <-limited.Done():
	}
	select {
	case <-done:
	case <-time.After(grace):
		s.mu.Lock()
		s.leftBehind = true
		s.mu.Unlock()
	}
	return nil, expired
}

// grace is how long a run that is out of time may take to end by itself.
const grace = 3 * time.Second

func guarded(ctx context.Context, impl *pipeline.Impl, args pipeline.Args) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			if drawn, ok := p.(*noise.Error); ok {
				out, err = nil, drawn
				return
			}
			out, err = nil, pipeline.PanicError("the step", p)
		}
	}()
	return impl.Run(ctx, args)
}

// isTransient says whether an error may be gone at the next attempt.
func isTransient(err error) bool {
	if err == nil {
		return false
	}
	var t interface{ Transient() bool }
	return errors.As(err, &t) && t.Transient()
}
