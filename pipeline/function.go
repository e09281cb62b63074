package pipeline

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
)

// New makes a pipeline of an ordinary Go function, a score, and the steps that
// the function calls: the players, in the order of reports. In is decoded from
// the case's inputs: a struct or map from all of them by name, any other type
// from the only one.
//
// What is wrong with the declaration is reported, all of it, by [Pipeline.Check],
// which every analysis calls first.
func New[In, Out any](name string, run func(context.Context, In) (Out, error), score func(context.Context, Case, Out) (float64, error), steps ...AnyStep) *Pipeline {
	p := &Pipeline{Name: name}
	f := &function{name: name}
	for _, s := range steps {
		if v := reflect.ValueOf(s); s == nil || v.Kind() == reflect.Pointer && v.IsNil() {
			p.fault("a nil step was given")
			continue
		}
		spec, typeFault := s.stepSpec()
		if typeFault != "" {
			p.fault("%s", typeFault)
		}
		p.Steps = append(p.Steps, spec)
	}
	f.steps = p.Steps
	if run == nil {
		p.fault("the pipeline function is nil")
	}
	f.read = readInput[In]
	f.run = func(ctx context.Context, input any) (any, error) {
		in, err := takeInput[In](input)
		if err != nil {
			return nil, &FaultError{err}
		}
		return run(ctx, in)
	}
	p.Program = f
	if score != nil {
		p.Score = Score{Impl: Impl{Run: func(ctx context.Context, args Args) (any, error) {
			out, err := as[Out](args.At(0))
			if err != nil {
				return nil, &FaultError{err}
			}
			return score(ctx, *args.Case, out)
		}}}
	}
	if why := hidden(reflect.TypeFor[Out](), nil); why != "" {
		p.fault("the pipeline's output: %s", why)
	}
	return p
}

// readInput makes of a case's inputs what a run takes its In from: the value
// itself if runs can share it, or its JSON.
func readInput[In any](c *Case) (any, error) {
	var given any = c.Inputs
	t, what := reflect.TypeFor[In](), "inputs of case "+c.ID
	elem := t
	for elem.Kind() == reflect.Pointer {
		elem = elem.Elem()
	}
	if k := elem.Kind(); k != reflect.Struct && k != reflect.Map && k != reflect.Interface {
		if len(c.Inputs) != 1 {
			return nil, fmt.Errorf("case %s has the inputs %s, but the pipeline takes a single %v", c.ID, strings.Join(sortedKeys(c.Inputs), ", "), elem)
		}
		for name, v := range c.Inputs {
			given, what = v, "input "+name+" of case "+c.ID
		}
	}
	if typed, ok := given.(In); ok && isPlain(t) {
		return typed, nil
	}
	var in In
	text, err := canonical(given)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", what, err)
	}
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return nil, fmt.Errorf("decoding %s: %w", what, jsonError(err))
	}
	if isPlain(t) {
		return in, nil
	}
	return inputText(text), nil
}

// inputText is the JSON of an input of which every run needs a copy of its own.
type inputText string

func takeInput[In any](input any) (In, error) {
	text, encoded := input.(inputText)
	if !encoded {
		return input.(In), nil
	}
	var in In
	err := json.Unmarshal([]byte(text), &in)
	return in, err
}

// function is the Program of a Go function.
type function struct {
	name  string
	steps []*Spec
	read  func(*Case) (any, error)
	run   func(ctx context.Context, input any) (any, error)
}

// Prepare implements Program.
func (f *function) Prepare(c *Case, values *Values) (Session, error) {
	input, err := f.read(c)
	return Session{Case: c, Values: values, Input: input}, err
}

// Run implements Program. A function can't be taken up in the middle, so it
// reports no points: the engine runs it again on outputs it knows.
func (f *function) Run(ctx context.Context, in Session, _ Point, calls Caller) (out []*Value, err error) {
	r := &functionRun{Context: ctx, function: f, values: in.Values, calls: calls, book: CallBook{Steps: f.steps, Naming: "At"}}
	result, err := f.protected(r, in.Input)
	if err := r.end(); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, err
	}
	v, err := in.Values.Intern(result)
	if err != nil {
		return nil, fmt.Errorf("encoding the pipeline's output: %w", err)
	}
	return v.Alone(), nil
}

// protected runs the function and turns a panic of its own into an error.
func (f *function) protected(ctx context.Context, input any) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			if p == errStopped {
				err = errStopped
				return
			}
			err = PanicError(f.name, p)
		}
	}()
	return f.run(ctx, input)
}
