package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// functionRun is one run of a pipeline function, and the function's context: it
// numbers the calls.
type functionRun struct {
	context.Context
	*function
	values *Values
	calls  Caller

	closed  atomic.Bool // the function has returned
	mu      sync.Mutex
	counts  []int32         // unnamed calls so far, by step
	open    []int32         // unnamed calls in progress, by step
	few     [16]int32       // holds both where there are few steps
	named   map[string]bool // "step#name" seen
	active  int             // calls in progress
	late    int             // calls since the engine ended the run
	faulted error
}

// Value implements context.Context.
func (r *functionRun) Value(key any) any {
	if key == (RunKey{}) {
		return r
	}
	return r.Context.Value(key)
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
	if r.faulted == nil {
		r.faulted = &FaultError{err}
	}
	r.mu.Unlock()
	return r.over(r.faulted)
}

// patience is how many more calls a function may make after its run has ended.
const patience = 1000

// errStopped unwinds a pipeline function that goes on after its run has ended.
var errStopped = errors.New("the run has ended")

// over says that the run has ended and returns why. A function that goes on
// calling steps all the same, since it tries again on any error, is stopped.
func (r *functionRun) over(why error) error {
	r.mu.Lock()
	r.late++
	stop := r.late > patience
	r.mu.Unlock()
	if !stop {
		return why
	}
	if InFunction() {
		panic(errStopped)
	}
	runtime.Goexit() // a goroutine that the function has started
	return nil
}

// InFunction says whether the goroutine that asks is the one that the engine runs
// a pipeline function on, rather than one that the function has started.
func InFunction() bool {
	var pcs [32]uintptr
	for skip := 2; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs[:])
		for _, pc := range pcs[:n] {
			// The function isn't inlined: it recovers panics.
			if f := runtime.FuncForPC(pc); f != nil && strings.HasSuffix(f.Name(), ".(*function).protected") {
				return true
			}
		}
		if n < len(pcs) {
			return false
		}
	}
}

// end closes the run when its function has returned. It is an error if the run
// ended in a fault.
func (r *functionRun) end() error {
	r.closed.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.faulted == nil && r.active > 0 && r.late == 0 && r.Err() == nil {
		r.faulted = &FaultError{fmt.Errorf("the pipeline function returned while a call of step %s was in progress: it must wait for the calls that it makes", r.inProgress())}
	}
	if r.faulted != nil {
		return r.faulted
	}
	return nil
}

// inProgress names a step of which a call is in progress.
func (r *functionRun) inProgress() string {
	for i, n := range r.open {
		if n > 0 {
			return r.steps[i].Name
		}
	}
	for call, open := range r.named {
		if open {
			return call
		}
	}
	return ""
}

func (r *functionRun) call(ctx context.Context, s *Spec, name string, in *Value) (*Value, error) {
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
	out, err := r.calls.Call(ctx, Call{Step: step, Label: label, Args: in.Alone(), Overlaps: overlaps})
	r.leave(step, name)
	if err != nil {
		return nil, r.over(err)
	}
	return out, nil
}

// enter gives the call its label and notes that it is in progress.
func (r *functionRun) enter(step int, name string) (label string, overlaps bool, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		n := len(r.steps)
		both := r.few[:]
		if 2*n > len(both) {
			both = make([]int32, 2*n)
		}
		r.counts, r.open = both[:n], both[n:2*n]
	}
	overlaps = r.active > 0
	if name == "" {
		if r.open[step] > 0 {
			return "", false, fmt.Errorf("step %s was called twice at once: name such calls with At, as the order they come in isn't fixed", r.steps[step].Name)
		}
		r.counts[step]++
		r.open[step]++
		r.active++
		return strconv.Itoa(int(r.counts[step])), overlaps, nil
	}
	if _, err := strconv.Atoi(name); err == nil {
		return "", false, fmt.Errorf("step %s: At(%q): a call's name must not be a number, as unnamed calls have numbers", r.steps[step].Name, name)
	}
	full := r.steps[step].Name + "#" + name
	if _, seen := r.named[full]; seen {
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
		return
	}
	r.named[r.steps[step].Name+"#"+name] = false
}
