package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime"
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

	book    CallBook
	closed  atomic.Bool // the function has returned
	mu      sync.Mutex
	late    int // calls since the engine ended the run
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
	if r.faulted == nil && r.late == 0 && r.Err() == nil {
		if open := r.book.InProgress(); open != "" {
			r.faulted = &FaultError{fmt.Errorf("the pipeline function returned while a call of step %s was in progress: it must wait for the calls that it makes", open)}
		}
	}
	if r.faulted != nil {
		return r.faulted
	}
	return nil
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
	label, overlaps, err := r.book.Enter(step, name)
	if err != nil {
		return nil, r.fault(err)
	}
	out, err := r.calls.Call(ctx, Call{Step: step, Label: label, Args: in.Alone(), Overlaps: overlaps})
	r.book.Leave(step, name)
	if err != nil {
		return nil, r.over(err)
	}
	return out, nil
}
