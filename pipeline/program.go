package pipeline

import "context"

// A Program is what replay explores: a pipeline that, run on a case, asks for
// one step run after another. Go functions and graphs both are programs, and
// nothing above replay knows which it has.
type Program interface {
	// Prepare reads a case's inputs, once for all its runs. An error says what
	// is wrong with them.
	Prepare(c *Case, values *Values) (Session, error)
	// Run runs the pipeline on a case and returns what the score is given.
	// An error means that the pipeline failed, unless it is a [FaultError].
	// With at it takes up a run at a point that one of its calls reported;
	// nil starts from the beginning.
	Run(ctx context.Context, in Session, at Point, calls Caller) ([]*Value, error)
}

// A Session is what a program's runs on one case share.
type Session struct {
	Case   *Case
	Values *Values
	// Input is what the program made of the case's inputs, for its own runs.
	Input any
}

// A Caller answers a program's calls of its steps: it decides which variant runs,
// or whether a known output serves. It may be used by several goroutines.
type Caller interface {
	// Call returns the output of the step run, which may be a step's error
	// (Value.Err). An error of Call itself ends the run: its result no longer
	// matters, and every further call returns an error too.
	Call(ctx context.Context, call Call) (*Value, error)
}

// A Call is one call of a step in a run.
type Call struct {
	// Step is the step's index in the pipeline's steps.
	Step int
	// Label is the call's iteration: "1", "2", … or a name given by At.
	Label string
	// Args are the step's inputs, in the order of its needs.
	Args []*Value
	// At is where the run can be taken up again just before this call, or nil.
	At Point
	// Ahead are calls that don't depend on this one's output and whose inputs
	// are known. The program will make them later; they may be run now.
	Ahead []Call
	// Overlaps says that another call of the run was in progress when this one
	// was made, so that their order may be another next time.
	Overlaps bool
	// Foreign says that the program runs in another process, and Aside that it
	// makes this call in a thread or task that it has started: the engine can't
	// see that for itself there.
	Foreign, Aside bool
}

// A Point is a place in a run, just before a call, where it can be taken up again.
type Point interface {
	// Key identifies what the rest of the run depends on: two runs on one case
	// at points with equal keys go on equally under equal decisions.
	Key() [2]uint32
}

// A FaultError says that the pipeline was used wrongly in a way that only
// showed when it ran: a step that wasn't given to New, two unnamed calls of one
// step at once. It is no failure of the pipeline on the case.
type FaultError struct{ Err error }

func (e *FaultError) Error() string { return e.Err.Error() }
func (e *FaultError) Unwrap() error { return e.Err }
