package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// program is the Program of a host's own pipeline function.
type program struct {
	host   *Host
	steps  []*pipeline.Spec
	byName map[string]int
	inputs []int // steps that stand for inputs
}

// prepared are a case's inputs: by name, in order.
type prepared struct {
	names  []string
	values []*pipeline.Value
}

// Prepare implements [pipeline.Program].
func (p *program) Prepare(c *pipeline.Case, values *pipeline.Values) (pipeline.Session, error) {
	in := prepared{names: slices.Sorted(maps.Keys(c.Inputs))}
	for _, declared := range p.host.manifest.Inputs {
		if _, ok := c.Inputs[declared.Name]; !ok {
			return pipeline.Session{}, fmt.Errorf("case %s has no input %q%s", c.ID, declared.Name, pipeline.Suggest(declared.Name, in.names))
		}
	}
	for _, name := range in.names {
		v, err := values.Intern(c.Inputs[name])
		if err != nil {
			return pipeline.Session{}, fmt.Errorf("input %s of case %s: %w", name, c.ID, err)
		}
		in.values = append(in.values, v)
	}
	return pipeline.Session{Case: c, Values: values, Input: in}, nil
}

// Run implements [pipeline.Program]. The program runs from its start, on outputs
// that are known.
func (p *program) Run(ctx context.Context, in pipeline.Session, _ pipeline.Point, calls pipeline.Caller) ([]*pipeline.Value, error) {
	r := &programRun{program: p, ctx: ctx, values: in.Values, calls: calls, known: map[call]*promise{}, over: make(chan struct{})}
	given := in.Input.(prepared)
	inputs := slices.Clone(given.values)
	for _, step := range p.inputs {
		at := slices.Index(given.names, p.steps[step].Name)
		v, err := calls.Call(ctx, pipeline.Call{Step: step, Label: "1", Args: inputs[at].Alone(), Foreign: true})
		if err != nil {
			return nil, err
		}
		if err := v.Err(); err != nil {
			return nil, fmt.Errorf("input %s: %w", p.steps[step].Name, err)
		}
		inputs[at] = v
	}
	r.inputs = []byte(pipeline.NewArgs(nil, given.names, inputs).JSON())
	result, err := p.host.link.program(ctx, r)
	ended := r.ending()
	r.end(errOver)
	r.running.Wait() // what was called must not outlive the run
	if ended != nil {
		return nil, ended
	}
	if err != nil {
		return nil, p.failed(err)
	}
	v, err := in.Values.InternJSON(result)
	if err != nil {
		return nil, &pipeline.FaultError{Err: fmt.Errorf("the output of %s's program: %w", p.host.who, err)}
	}
	return v.Alone(), nil
}

// errOver says that a run has come to its end.
var errOver = errors.New("the run is over")

// failed words the error of a run. What may be gone next time says nothing about
// the program.
func (p *program) failed(err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	switch {
	case e.Code == codeFailed && e.transient:
		return &pipeline.FaultError{Err: fmt.Errorf("the program of %s failed for a reason that may pass: %s", p.host.who, e.Message)}
	case e.Code == codeFailed, e.Code == codeEncoding:
		return e
	}
	return p.host.stepError(nil, "", err)
}

// programRun is one run of a program, whatever process it runs on. If that ends,
// the run begins again, and the calls that were made are not made again.
type programRun struct {
	*program
	ctx    context.Context
	values *pipeline.Values
	calls  pipeline.Caller
	inputs []byte // JSON

	running sync.WaitGroup // calls

	mu    sync.Mutex
	known map[call]*promise
	why   error         // why the run is over
	over  chan struct{} // closed then
}

// call identifies a call of a run.
type call struct {
	step  int
	label string
}

// promise is a call that was made: its outcome is there when done is closed.
type promise struct {
	args *pipeline.Value
	done chan struct{}
	out  *pipeline.Value
	err  error
}

// end ends the run: its result no longer matters.
func (r *programRun) end(why error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why == nil {
		r.why = why
		close(r.over)
	}
	return r.why
}

// fault ends the run since the program doesn't keep to the rules.
func (r *programRun) fault(format string, args ...any) error {
	return r.end(&pipeline.FaultError{Err: fmt.Errorf(format, args...)})
}

// ending says why the run is over, or nil.
func (r *programRun) ending() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

// asked is a call of a step as the program makes it.
type asked struct {
	run, step, name string
	inputs          jsontext.Value
	aside           bool
}

func parseCall(params jsontext.Value) (a asked, err error) {
	err = object(params, func(name string, v jsontext.Value) error {
		text := func(into *string) error {
			if v.Kind() == 'n' {
				return nil
			}
			if v.Kind() != '"' {
				return fmt.Errorf("%q must be a string", name)
			}
			*into = unquote(v)
			return nil
		}
		switch name {
		case "run":
			return text(&a.run)
		case "step":
			return text(&a.step)
		case "name":
			return text(&a.name)
		case "inputs":
			if v.Kind() != '{' {
				return errors.New(`"inputs" must be an object`)
			}
			a.inputs = v.Clone()
		case "aside":
			a.aside = v.Kind() == 't'
		}
		return nil
	})
	if err == nil && a.step == "" {
		err = errors.New(`there is no "step"`)
	}
	if err == nil && a.inputs == nil {
		err = errors.New(`there is no "inputs"`)
	}
	return a, err
}

// make makes a call, in the order in which the program does: book numbers them.
// An error means that the run is over.
func (r *programRun) make(book *pipeline.CallBook, a asked) (at call, p *promise, err error) {
	if err := r.ending(); err != nil {
		return at, nil, err
	}
	step, ok := r.byName[a.step]
	if !ok {
		return at, nil, r.fault("step %s was called, but it is not in the manifest of %s%s", a.step, r.host.who, pipeline.Suggest(a.step, r.stepNames()))
	}
	args, err := r.values.InternJSON(a.inputs)
	if err != nil {
		return at, nil, r.fault("the inputs of a call of step %s: %w", a.step, err)
	}
	label, overlaps, err := book.Enter(step, a.name)
	if err != nil {
		return at, nil, r.fault("%w", err)
	}
	at = call{step, label}
	p, err = r.promised(at, pipeline.Call{Step: step, Label: label, Args: args.Alone(), Overlaps: overlaps, Foreign: true, Aside: a.aside})
	if err != nil {
		book.Leave(step, a.name)
	}
	return at, p, err
}

// promised makes a call unless it was made when the run was begun before.
func (r *programRun) promised(at call, c pipeline.Call) (*promise, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.why != nil {
		return nil, r.why
	}
	if have := r.known[at]; have != nil {
		if have.args != c.Args[0] {
			r.why = &pipeline.FaultError{Err: fmt.Errorf("the program of %s is not deterministic given its steps' outputs: begun again on the same outputs, it called %s#%s with other inputs: %s", r.host.who, r.steps[at.step].Name, at.label, outside.Excerpt(c.Args[0].JSON(), 200))}
			close(r.over)
			return nil, r.why
		}
		return have, nil
	}
	p := &promise{args: c.Args[0], done: make(chan struct{})}
	r.known[at] = p
	r.running.Go(func() {
		defer close(p.done)
		if p.out, p.err = r.calls.Call(r.ctx, c); p.err != nil {
			r.end(p.err)
		}
	})
	return p, nil
}

func (r *programRun) stepNames() []string {
	var names []string
	for _, s := range r.steps {
		if !s.Input {
			names = append(names, s.Name)
		}
	}
	return names
}

// appendOutcome appends a call's outcome as the members of an object: its output,
// or the step's error.
func appendOutcome(b []byte, v *pipeline.Value) []byte {
	err := v.Err()
	if err == nil {
		return append(append(b, `"output":`...), v.JSON()...)
	}
	return appendStepError(append(b, `"error":`...), err)
}

// appendStepError appends a step's own error, as the step has told it.
func appendStepError(b []byte, err error) []byte {
	b = quote(append(b, `{"code":1,"message":`...), err.Error())
	var e interface{ Details() jsontext.Value }
	if errors.As(err, &e) && e.Details() != nil {
		b = append(append(b, `,"data":`...), e.Details()...)
	}
	return append(b, '}')
}
