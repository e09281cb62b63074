package blame

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Schema names the form of a Result in JSON. It changes when a reader of the
// old form would misread the new one.
const Schema = "agentblame.result/v1"

// A Result is what an analysis came to: the one form that reports, stores and
// gates read. It holds no times, paths or concurrency: equal questions give
// equal bytes.
type Result struct {
	Schema   string       `json:"schema"`
	Pipeline PipelineInfo `json:"pipeline"`
	Settings Settings     `json:"settings"`
	Summary  Summary      `json:"summary"`
	Steps    []StepResult `json:"steps"`
	Cases    []CaseResult `json:"cases"`
}

// PipelineInfo describes the pipeline that was analysed.
type PipelineInfo struct {
	Name  string     `json:"name"`
	Steps []StepInfo `json:"steps"`
}

// StepInfo describes a step.
type StepInfo struct {
	Name  string   `json:"name"`
	Needs []string `json:"needs,omitempty"`
	// Input says that the step stands for an input of the pipeline.
	Input bool `json:"input,omitempty"`
	// Fix is the variant that was tried; a step without is no player.
	Fix      string   `json:"fix,omitempty"`
	Variants []string `json:"variants,omitempty"`
	Cost     float64  `json:"cost"`
	FixCost  float64  `json:"fix_cost,omitempty"`
}

// Settings are the choices that the numbers depend on.
type Settings struct {
	// Mode is how noise was held fixed: "recorded".
	Mode string `json:"mode"`
	// Method is how values were computed: "auto" or "exact".
	Method string `json:"method"`
	// Players says what blame goes to: "steps" or "calls".
	Players string `json:"players"`
	// Pass is the pass mark: a case with a lower score fails.
	Pass   float64 `json:"pass"`
	Seed   uint64  `json:"seed"`
	Delta  float64 `json:"delta"`
	Budget float64 `json:"budget,omitempty"`
}

// Summary counts cases and cost.
type Summary struct {
	Cases    int `json:"cases"`    // run
	Passed   int `json:"passed"`   // of these
	Failures int `json:"failures"` // of these
	// Analyzed are the failures with values; means and shares are over them.
	Analyzed int `json:"analyzed"`
	// Repairable are the analysed failures that some coalition makes pass, and
	// Unfixable those that none does.
	Repairable int `json:"repairable"`
	Unfixable  int `json:"unfixable"`
	// Undefined cases can't be analysed, each for the reason it gives.
	Undefined int `json:"undefined"`
	// WithErrors are the cases in which some step run failed.
	WithErrors int `json:"with_errors"`
	// Cost is what the step runs of the analysis cost, without the factual runs.
	Cost float64 `json:"cost"`
	// CostFactual is what the factual runs cost.
	CostFactual float64 `json:"cost_factual"`
	// CostUncached is what enumerating all coalitions of the analysed failures
	// would have cost with nothing cached.
	CostUncached float64 `json:"cost_uncached"`
	// Stopped says why the analysis ended: "all cases", "budget", "interrupted".
	Stopped string `json:"stopped"`
	// Partial says that cases are missing because it was stopped from outside.
	Partial bool `json:"partial,omitempty"`
}

// Estimate is a mean.
type Estimate struct {
	Mean float64 `json:"mean"`
}

// StepResult is what the batch says of one step.
type StepResult struct {
	Name string `json:"name"`
	// Shapley is the mean blame over the analysed failures. With calls as
	// players it is the blame of the step's calls added up, which is not the
	// step's own Shapley value.
	Shapley Estimate `json:"shapley"`
	// FixAlone is the mean of v({i}) − v(∅).
	FixAlone float64 `json:"fix_alone"`
	// Resolves is the share of the analysed failures that pass with this fix alone.
	Resolves float64 `json:"resolves"`
	// LeaveOneOut is the mean of v(N) − v(N∖i).
	LeaveOneOut float64 `json:"leave_one_out"`
	// Share is the mean blame as a share of all steps'; absent unless that sum
	// is positive.
	Share *float64 `json:"share,omitempty"`
	// LastTouch counts the failures in which this was the last step whose output
	// the fixes change.
	LastTouch int `json:"last_touch"`
	// Calls is how many players the step was, with calls as players.
	Calls int `json:"calls,omitempty"`
}

// CaseResult is what the analysis says of one case.
type CaseResult struct {
	ID string `json:"id"`
	// Undefined says why the case has no values.
	Undefined string `json:"undefined,omitempty"`
	// Score is the score of the run as it was.
	Score *float64 `json:"score,omitempty"`
	// Passed says that the case passes as it is, so that nothing is to blame.
	Passed bool `json:"passed,omitempty"`
	// ScoreFixed is the score with every fix in place.
	ScoreFixed *float64 `json:"score_fixed,omitempty"`
	Method     string   `json:"method,omitempty"`
	// Coalitions is the number of coalitions that the values are exact over.
	Coalitions float64 `json:"coalitions,omitempty"`
	// Cost is what the step runs of the case's analysis cost.
	Cost         float64 `json:"cost"`
	CostFactual  float64 `json:"cost_factual"`
	CostUncached float64 `json:"cost_uncached,omitempty"`
	// Shapley, FixAlone and LeaveOneOut are by player: a step's name, or
	// "step#iteration" with calls as players.
	Shapley      ByPlayer[float64] `json:"shapley,omitzero"`
	ShapleyExact ByPlayer[string]  `json:"shapley_exact,omitzero"`
	FixAlone     ByPlayer[float64] `json:"fix_alone,omitzero"`
	LeaveOneOut  ByPlayer[float64] `json:"leave_one_out,omitzero"`
	// LastTouch is the last player whose as-run output differs from its output
	// in the all-fixed replay; empty if there is none.
	LastTouch string `json:"last_touch,omitempty"`
	// MinimalRepairs are the smallest of the inclusion-minimal coalitions that
	// make the case pass; an empty list means that nothing repairs it.
	MinimalRepairs [][]string `json:"minimal_repairs,omitzero"`
	// MinimalRepairsCut says that there are more than are listed, and
	// MinimalRepairsCount is how many there are, in full digits.
	MinimalRepairsCut   bool   `json:"minimal_repairs_cut,omitempty"`
	MinimalRepairsCount string `json:"minimal_repairs_count,omitempty"`
	// CallsShift says that a fix changes how often a step is called, so that
	// the numbers of its later calls don't mean the same in all replays.
	CallsShift []string `json:"calls_shift,omitempty"`
	// Errors are the step runs that failed in the case's replays.
	Errors []CaseError `json:"errors,omitempty"`
}

// CaseError is a step run that failed.
type CaseError struct {
	// Step is the step's name, "score", or empty for the pipeline function.
	Step string `json:"step,omitempty"`
	// Variant is the variant's name; empty for the as-run implementation.
	Variant string `json:"variant,omitempty"`
	// Coalition is the smallest set of fixes under which it happened.
	Coalition []string `json:"coalition"`
	Message   string   `json:"message"`
}

// ByPlayer holds a value a player, in the order of reports. In JSON it is an
// object in that order.
type ByPlayer[T any] []PlayerValue[T]

// PlayerValue is a player's value.
type PlayerValue[T any] struct {
	Player string
	Value  T
}

// Get returns a player's value, or the zero value.
func (b ByPlayer[T]) Get(player string) T {
	for _, v := range b {
		if v.Player == player {
			return v.Value
		}
	}
	var none T
	return none
}

// MarshalJSON implements [json.Marshaler].
func (b ByPlayer[T]) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, v := range b {
		if i > 0 {
			out = append(out, ',')
		}
		for j, part := range []any{v.Player, v.Value} {
			text, err := json.Marshal(part)
			if err != nil {
				return nil, fmt.Errorf("encoding the value of %s: %w", v.Player, err)
			}
			if j == 1 {
				out = append(out, ':')
			}
			out = append(out, text...)
		}
	}
	return append(out, '}'), nil
}

// UnmarshalJSON implements [json.Unmarshaler].
func (b *ByPlayer[T]) UnmarshalJSON(text []byte) error {
	d := json.NewDecoder(bytes.NewReader(text))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return fmt.Errorf("want an object of values by player, have %.40s", text)
	}
	*b = ByPlayer[T]{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var v T
		if err := d.Decode(&v); err != nil {
			return fmt.Errorf("value of %v: %w", name, err)
		}
		*b = append(*b, PlayerValue[T]{name.(string), v})
	}
	return nil
}
