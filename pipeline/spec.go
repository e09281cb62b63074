package pipeline

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// A Spec is a step as the engine sees it, whatever it was declared with.
type Spec struct {
	// Name is the step's name, unique in its pipeline.
	Name string
	// Needs names the step's inputs, in the order of a call's Args. A step of a
	// Go function has one nameless input.
	Needs []string
	// Whole says that the step has one input, which is the object of all that it
	// is given by name: what a program elsewhere calls it with.
	Whole bool
	// Input says that the step stands for an input of the pipeline.
	Input bool
	// Impls are the as-run implementation followed by the variants.
	Impls []Impl
	// DecodeIn and DecodeOut read an input or output of the step from JSON as the
	// Go value that its runs have; nil where those are JSON values themselves.
	DecodeIn, DecodeOut func(text []byte) (any, error)
	// Key, if not nil, returns what of an output matters downstream, as any value
	// that encodes as JSON: outputs with equal keys count as the same.
	Key func(output *Value) (any, error)
	// Concurrency limits how many runs of the step go on at once; 0 means that
	// only the limit for all steps holds.
	Concurrency int
}

// Fix returns the index of the variant named, or of the first one for "".
// It is 0 when the step has no such variant.
func (s *Spec) Fix(name string) int {
	for i := 1; i < len(s.Impls); i++ {
		if name == "" || s.Impls[i].Name == name {
			return i
		}
	}
	return 0
}

// An Impl is one implementation of a step: the as-run one, or a variant.
type Impl struct {
	// Name is the variant's name; it is empty for the as-run implementation.
	Name string
	// Version tells runs of one text of the implementation from another's.
	Version string
	// Cost is the price of one run, in the user's unit.
	Cost float64
	// Run is the implementation. Its output is any value that encodes as JSON.
	Run func(ctx context.Context, in Args) (any, error)
	// Opaque says that the implementation may draw noise that the engine
	// doesn't see: a run in one world then proves nothing about another.
	Opaque bool
	// Blocking says that a run waits for something outside this program, so
	// that others may run meanwhile.
	Blocking bool
	// Timeout limits one attempt; 0 is no limit.
	Timeout time.Duration
	// Retries is how many more attempts follow a transient error.
	Retries int
}

// Args are the inputs of one step run.
type Args struct {
	// Case is the case that is replayed.
	Case   *Case
	names  []string
	values []*Value
}

// NewArgs returns the inputs of a run, named by needs.
func NewArgs(c *Case, needs []string, values []*Value) Args {
	return Args{Case: c, names: needs, values: values}
}

// Len returns the number of inputs.
func (a Args) Len() int { return len(a.values) }

// At returns the i-th input.
func (a Args) At(i int) *Value { return a.values[i] }

// Name returns the i-th input's name.
func (a Args) Name(i int) string {
	if i < len(a.names) {
		return a.names[i]
	}
	return ""
}

// Get returns the input of that name, or nil.
func (a Args) Get(name string) *Value {
	for i, n := range a.names {
		if n == name {
			return a.values[i]
		}
	}
	return nil
}

// Decode decodes the input of that name into the value that into points to.
func (a Args) Decode(name string, into any) error {
	v := a.Get(name)
	if v == nil {
		return fmt.Errorf("no input %q%s", name, didYouMean(name, a.names))
	}
	if err := v.Decode(into); err != nil {
		return fmt.Errorf("decoding input %s: %w", name, err)
	}
	return nil
}

// JSON returns all inputs as one JSON object.
func (a Args) JSON() json.RawMessage {
	b := []byte{'{'}
	for i, v := range a.values {
		if i > 0 {
			b = append(b, ',')
		}
		name, _ := json.Marshal(a.Name(i)) // a string always encodes
		b = append(append(append(b, name...), ':'), v.JSON()...)
	}
	return append(b, '}')
}

// A Score is the metric of a pipeline: a last step that is no player. It returns
// a number in [0, 1], as any type that encodes as a JSON number.
type Score struct {
	Impl
	// Needs names the steps and inputs that the score reads. What it doesn't
	// need isn't part of a replay's state.
	Needs []string
}

// Transient marks an error as one that may be gone at the next attempt: a rate
// limit, a connection that broke. Such a run is tried again; when its last
// attempt fails too, the replay is unknown rather than failed.
func Transient(err error) error {
	if err == nil {
		return nil
	}
	return &transientError{err}
}

type transientError struct{ err error }

func (e *transientError) Error() string   { return e.err.Error() }
func (e *transientError) Unwrap() error   { return e.err }
func (e *transientError) Transient() bool { return true }
