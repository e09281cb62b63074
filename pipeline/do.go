package pipeline

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Do calls the step. In a plain context it just runs the as-run implementation.
// In an analysis the engine answers: with the output of the variant that the
// replay asks for, run at most once.
func (s *Step[In, Out]) Do(ctx context.Context, in In) (Out, error) {
	r, _ := ctx.Value(RunKey{}).(*functionRun)
	if r == nil {
		return s.run(ctx, in)
	}
	return do(ctx, r, s, "", in)
}

// At names a call of the step, for calls that go on at once, and for calls whose
// number may differ between replays. The name takes the place of the iteration:
// it must be used once in a run, and must not be a number.
func (s *Step[In, Out]) At(name string) NamedCall[In, Out] {
	return NamedCall[In, Out]{s, name}
}

// A NamedCall is a call of a step that At has named.
type NamedCall[In, Out any] struct {
	step *Step[In, Out]
	name string
}

// Do calls the step under the name.
func (c NamedCall[In, Out]) Do(ctx context.Context, in In) (Out, error) {
	r, _ := ctx.Value(RunKey{}).(*functionRun)
	if r == nil {
		return c.step.run(ctx, in)
	}
	if c.name == "" {
		var none Out
		return none, r.fault(fmt.Errorf("step %s: At needs a name", c.step.spec.Name))
	}
	return do(ctx, r, c.step, c.name, in)
}

func do[In, Out any](ctx context.Context, r *functionRun, s *Step[In, Out], name string, in In) (Out, error) {
	var none Out
	if _, inside := ctx.Value(InsideKey{}).(bool); inside {
		if _, given := r.index(s.spec); given {
			return none, r.fault(fmt.Errorf("step %s was called from inside another step's run, where it can't be replayed on its own: call it from the pipeline function, or don't give it to New", s.spec.Name))
		}
		return s.run(ctx, in)
	}
	if r.closed.Load() {
		return none, errStopped
	}
	var given *Value
	if s.plainIn {
		given = r.values.find(in)
	}
	if given == nil {
		var err error
		if given, err = r.values.Intern(in); err != nil {
			return none, r.fault(fmt.Errorf("encoding the input of step %s: %w", s.spec.Name, err))
		}
	}
	v, err := r.call(ctx, s.spec, name, given)
	if err != nil {
		return none, err
	}
	if err := v.Err(); err != nil {
		return none, err
	}
	out, err := as[Out](v)
	if err != nil {
		return none, r.fault(fmt.Errorf("step %s gave an output that its own type can't be read from: %w", s.spec.Name, err))
	}
	return out, nil
}

// RunKey is the key under which a context carries the run that intercepts calls
// of steps; InsideKey marks the context of a step's own run. The engine's
// contexts answer to them.
type (
	RunKey    struct{}
	InsideKey struct{}
)

// ChargeKey is the key under which a step run's context carries its meter, a
// func(float64).
type ChargeKey struct{}

// Charge adds to the cost of the step run whose context ctx is, on top of its
// declared cost. Outside an analysis it does nothing.
func Charge(ctx context.Context, cost float64) {
	if add, ok := ctx.Value(ChargeKey{}).(func(float64)); ok {
		add(cost)
	}
}

// NoteKey is the key under which the context of a step run that is traced takes
// notes, as a func(name string, value jsontext.Value).
type NoteKey struct{}

// Note keeps something about the step run whose context ctx is with its trace, as
// JSON under a name: the tokens that a model used, its log probabilities. No result
// depends on it. Where nothing is traced it does nothing.
func Note(ctx context.Context, name string, value jsontext.Value) {
	if note, ok := ctx.Value(NoteKey{}).(func(string, jsontext.Value)); ok {
		note(name, value)
	}
}
