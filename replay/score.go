package replay

import (
	"fmt"

	"github.com/agentblame/agentblame/pipeline"
)

// score runs the score, the step after the last.
func (w *walk) score(inputs []*pipeline.Value) (float64, error) {
	s := w.session
	at := made{len(s.engine.specs) - 1, 1, s.tuple(inputs)}
	r := request{made: at, name: "1", inputs: inputs, world: w.world, factual: w.factual}
	out, _ := w.one(w.ctx, r, nil)
	if out.fault != nil {
		return 0, out.fault
	}
	if out.unknown != nil {
		if isTransient(out.unknown) {
			w.note(failure{step: r.step, message: out.unknown.Error()})
		}
		return 0, fmt.Errorf("score: %w", out.unknown)
	}
	if w.explore != nil {
		w.explore.account(w, out.cost, nil)
	}
	score, err := 0.0, out.value.Err()
	if err == nil {
		score, err = scoreOf(out.value)
	}
	if err != nil {
		w.note(failure{step: r.step, message: err.Error()})
		return 0, &ScoreError{err}
	}
	return score, nil
}

// A ScoreError says that a replay could not be scored: its value is unknown.
type ScoreError struct{ Err error }

func (e *ScoreError) Error() string { return "score: " + e.Err.Error() }
func (e *ScoreError) Unwrap() error { return e.Err }

func scoreOf(v *pipeline.Value) (float64, error) {
	switch x := v.Any().(type) {
	case bool:
		if x {
			return 1, nil
		}
		return 0, nil
	case float64:
		if x >= 0 && x <= 1 {
			return x, nil
		}
		return 0, fmt.Errorf("it is %v, and must lie in [0, 1]", x)
	}
	return 0, fmt.Errorf("it is %.60s, and must be a number in [0, 1]", v.JSON())
}
