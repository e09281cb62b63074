package replay

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agentblame/agentblame/pipeline"
)

// An answer is a call that was made and what it was answered; nil, where the call
// must be made and no walk has accounted for it.
type answer struct {
	made
	out *pipeline.Value
}

// match holds the call against those that the run must make again. It returns
// the output of one that an earlier walk has accounted for. A function that goes
// on with several calls at once may make them in any order, and nothing tells
// that it does; so a call that isn't expected is no fault yet. One of those that
// are, made with other inputs, is, and so is one that is never made. The caller
// holds the lock.
func (w *walk) match(c pipeline.Call, at made) (known *pipeline.Value, err error) {
	if w.met == len(w.expect) {
		return nil, nil
	}
	i := w.begun - 1
	if i >= len(w.expect) || w.expect[i].made != at {
		i = slices.IndexFunc(w.expect, func(e answer) bool { return e.step == at.step && e.label == at.label })
		w.overlaps = true
	}
	switch {
	case i < 0:
		if w.other == nil {
			other := c
			w.other = &other
		}
		return nil, nil
	case w.expect[i].made != at:
		return nil, w.notDeterministic(i, "then with other inputs: "+w.describe(c))
	}
	w.met++
	if !w.prepaid || w.expect[i].out == nil {
		return nil, nil
	}
	w.failed = w.failed || w.expect[i].out.Err() != nil
	w.answered = append(w.answered, w.expect[i])
	return w.expect[i].out, nil
}

// missing says which of the calls that the run had to make it didn't. The caller
// holds the lock.
func (w *walk) missing() error {
	if w.met == len(w.expect) {
		return nil
	}
	for i, e := range w.expect {
		if w.hasAnswered(e) {
			continue
		}
		if w.other != nil {
			return w.notDeterministic(i, "then "+w.describe(*w.other))
		}
		return w.notDeterministic(i, "then the function ended")
	}
	return nil
}

func (w *walk) hasAnswered(e answer) bool {
	return slices.ContainsFunc(w.answered, func(a answer) bool { return a.made == e.made })
}

// accounted returns the calls whose cost and failures belong to the way here:
// those that were answered, and those that the run must still make again. The
// caller holds the lock.
func (w *walk) accounted() []answer {
	all := w.answered[:len(w.answered):len(w.answered)]
	if !w.prepaid || w.met == len(w.expect) {
		return all
	}
	for _, e := range w.expect {
		if !w.hasAnswered(e) {
			all = append(all, e)
		}
	}
	return all
}

// A NotDeterministicError says that a pipeline function, run again on the same
// outputs of its steps, did something else.
type NotDeterministicError struct{ Message string }

func (e *NotDeterministicError) Error() string { return e.Message }

func (w *walk) notDeterministic(i int, then string) error {
	e := w.expect[i]
	return &NotDeterministicError{fmt.Sprintf(
		"the pipeline function is not deterministic given its steps' outputs: call %d was first %s#%s, %s. It is run again on outputs that are known, so it must not depend on clocks, randomness of its own or state that it keeps",
		i+1, w.session.engine.specs[e.step].Name, w.session.labelName(e.label), then)}
}

func (w *walk) describe(c pipeline.Call) string {
	var in []json.RawMessage
	for _, a := range c.Args {
		in = append(in, json.RawMessage(a.JSON()))
	}
	text, _ := json.Marshal(in) // values are JSON already
	return fmt.Sprintf("%s#%s with %.200s", w.session.engine.specs[c.Step].Name, c.Label, text)
}
