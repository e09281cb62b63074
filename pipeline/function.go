package pipeline

import (
	"context"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
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
		if s == nil || reflect.ValueOf(s).IsNil() {
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
	f.run = func(ctx context.Context, c *Case) (any, error) {
		in, err := caseInput[In](c)
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
				return nil, err
			}
			return score(ctx, *args.Case, out)
		}}}
	}
	if why := hidden(reflect.TypeFor[Out](), nil); why != "" {
		p.fault("the pipeline's output: %s", why)
	}
	return p
}

// caseInput decodes a case's inputs into the type of a pipeline function.
func caseInput[In any](c *Case) (In, error) {
	var in In
	t := reflect.TypeFor[In]()
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if k := t.Kind(); k == reflect.Struct || k == reflect.Map || k == reflect.Interface {
		err := convert(c.Inputs, &in, "inputs of case "+c.ID)
		return in, err
	}
	if len(c.Inputs) != 1 {
		return in, fmt.Errorf("case %s has the inputs %s, but the pipeline takes a single %v", c.ID, strings.Join(sortedKeys(c.Inputs), ", "), t)
	}
	for name, v := range c.Inputs {
		if typed, ok := v.(In); ok {
			return typed, nil
		}
		err := convert(v, &in, "input "+name+" of case "+c.ID)
		return in, err
	}
	return in, nil
}

// function is the Program of a Go function.
type function struct {
	name  string
	steps []*Spec
	run   func(context.Context, *Case) (any, error)
}

// Run implements Program. A function can't be taken up in the middle, so it
// reports no points: the engine runs it again on outputs it knows.
func (f *function) Run(ctx context.Context, in Session, _ Point, calls Caller) (out []*Value, err error) {
	r := &functionRun{function: f, values: in.Values, calls: calls}
	ctx = &runContext{Context: ctx, run: r}
	result, err := f.protected(ctx, in.Case)
	r.mu.Lock()
	fault := r.faulted
	r.mu.Unlock()
	if fault != nil {
		return nil, fault
	}
	if err != nil {
		return nil, err
	}
	v, err := in.Values.Intern(result)
	if err != nil {
		return nil, fmt.Errorf("encoding the pipeline's output: %w", err)
	}
	return []*Value{v}, nil
}

// protected runs the function and turns a panic of its own into an error.
func (f *function) protected(ctx context.Context, c *Case) (out any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = PanicError(f.name, p)
		}
	}()
	return f.run(ctx, c)
}

// runContext is the context of a pipeline function in an analysis.
type runContext struct {
	context.Context
	run *functionRun
}

func (c *runContext) Value(key any) any {
	if key == (RunKey{}) {
		return c.run
	}
	return c.Context.Value(key)
}

// functionRun is one run of a pipeline function: it numbers the calls.
type functionRun struct {
	*function
	values *Values
	calls  Caller

	mu      sync.Mutex
	counts  []int           // unnamed calls so far, by step
	open    []int           // unnamed calls in progress, by step
	named   map[string]bool // "step#name" seen
	active  int             // calls in progress
	faulted error
}

func (r *functionRun) index(s *Spec) (int, bool) {
	for i, have := range r.steps {
		if have == s {
			return i, true
		}
	}
	return 0, false
}

// fault records a wrong use of the pipeline: whatever its function makes of the
// error, the run ends in it.
func (r *functionRun) fault(err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.faulted == nil {
		r.faulted = &FaultError{err}
	}
	return r.faulted
}

func (r *functionRun) call(ctx context.Context, s *Spec, name string, in any) (*Value, error) {
	step, ok := r.index(s)
	if !ok {
		var names []string
		for _, have := range r.steps {
			names = append(names, have.Name)
		}
		return nil, r.fault(fmt.Errorf("step %s was called, but it is not among the steps given to New for pipeline %s: %s", s.Name, r.name, strings.Join(names, ", ")))
	}
	label, overlaps, err := r.enter(step, name)
	if err != nil {
		return nil, r.fault(err)
	}
	defer r.leave(step, name)
	v, err := r.values.Intern(in)
	if err != nil {
		return nil, r.fault(fmt.Errorf("encoding the input of step %s: %w", s.Name, err))
	}
	return r.calls.Call(ctx, Call{Step: step, Label: label, Args: []*Value{v}, Overlaps: overlaps})
}

// enter gives the call its label and notes that it is in progress.
func (r *functionRun) enter(step int, name string) (label string, overlaps bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		counts := make([]int, 2*len(r.steps))
		r.counts, r.open = counts[:len(r.steps)], counts[len(r.steps):]
	}
	overlaps = r.active > 0
	if name == "" {
		if r.open[step] > 0 {
			return "", false, fmt.Errorf("step %s was called twice at once: name such calls with At, as the order they come in isn't fixed", r.steps[step].Name)
		}
		r.counts[step]++
		r.open[step]++
		r.active++
		return strconv.Itoa(r.counts[step]), overlaps, nil
	}
	full := r.steps[step].Name + "#" + name
	if _, err := strconv.Atoi(name); err == nil {
		return "", false, fmt.Errorf("step %s: At(%q): a call's name must not be a number, as unnamed calls have numbers", r.steps[step].Name, name)
	}
	if r.named[full] {
		return "", false, fmt.Errorf("the call %s was made twice in a run: names given to At must differ", full)
	}
	if r.named == nil {
		r.named = map[string]bool{}
	}
	r.named[full] = true
	r.active++
	return name, overlaps, nil
}

func (r *functionRun) leave(step int, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active--
	if name == "" {
		r.open[step]--
	}
}
