package blame

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/agentblame/agentblame/confseq"
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
	// RepairGroups are the analysed failures by what repairs them.
	RepairGroups []RepairGroup `json:"repair_groups,omitempty"`
	// Interactions are the mean interactions of pairs of steps.
	Interactions []Interaction `json:"interactions,omitempty"`
	// Groups are blame by group: agents of several steps, steps of several calls.
	Groups []GroupResult `json:"groups,omitempty"`
	// Plan says which fixes are worth making together.
	Plan *FixPlan `json:"plan,omitempty"`
	// Harm says on what it was measured which fixes break what passes today.
	Harm  *Harm        `json:"harm,omitempty"`
	Cases []CaseResult `json:"cases"`
	// Values are what the stories of cases tell of, each once.
	Values []StoryValue `json:"values,omitempty"`
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
	// Key says that the step declares what of its output matters: outputs with
	// equal keys count as the same.
	Key bool `json:"key,omitempty"`
	// UnseenNoise says that the step may draw randomness that agentblame doesn't
	// see: its answers to changed inputs are then fresh samples, and what they
	// say is interventional rather than counterfactual.
	UnseenNoise bool `json:"unseen_noise,omitempty"`
}

// Settings are the choices that the numbers depend on.
type Settings struct {
	// Mode says which noise counterfactual replays saw.
	Mode string `json:"mode"`
	// Worlds is the number of worlds, where the factual noise isn't known.
	Worlds int `json:"worlds,omitempty"`
	// Estimand says in a sentence which question the values answer.
	Estimand string `json:"estimand"`
	// Independent says that coalitions did not share noise.
	Independent bool   `json:"independent,omitempty"`
	Method      string `json:"method"`
	// Players says what blame goes to: "steps" or "calls".
	Players string `json:"players"`
	// Pass is the pass mark: a case with a lower score fails.
	Pass   float64 `json:"pass"`
	Seed   uint64  `json:"seed"`
	Delta  float64 `json:"delta"`
	Budget float64 `json:"budget,omitempty"`
	// Stop is the goal at which the batch was to end, and Rule the rule that
	// decides about it.
	Stop string `json:"stop,omitempty"`
	Rule string `json:"rule,omitempty"`
	// Claim says whom conclusions are about: "traffic", future cases like these,
	// or "batch", the failures of this one.
	Claim string `json:"claim"`
}

// Summary counts cases and cost.
type Summary struct {
	Given    int `json:"given"`    // to be analysed
	Cases    int `json:"cases"`    // run
	Passed   int `json:"passed"`   // of these
	Failures int `json:"failures"` // of these
	// Analyzed are the failures with values; means and shares are over them.
	Analyzed int `json:"analyzed"`
	// Repairable are the analysed failures that some coalition makes pass, and
	// Unfixable those that none does.
	Repairable int `json:"repairable"`
	Unfixable  int `json:"unfixable"`
	// Sampled are the analysed failures whose values are estimates; whether they
	// are repairable is not known.
	Sampled int `json:"sampled,omitempty"`
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
	// Stopped says why the analysis ended: "all cases", "budget", "interrupted",
	// or the goal that was reached.
	Stopped string `json:"stopped"`
	// KeyCheck sums up the checks of declared keys.
	KeyCheck *KeyCheck `json:"key_check,omitempty"`
	// Intervals describe the rules whose intervals the steps have, the one of
	// low and high first.
	Intervals []IntervalInfo `json:"intervals,omitempty"`
	// Separation is what the stopping rule said, when there is one.
	Separation *Separation `json:"separation,omitempty"`
	// CasesKept is how many cases the result lists, when not all.
	CasesKept *int `json:"cases_kept,omitempty"`
	// Stories is how many of the listed cases have a story, and StoriesCut how many
	// have none since the result has no room for more.
	Stories    int `json:"stories,omitempty"`
	StoriesCut int `json:"stories_cut,omitempty"`
	// Partial says that cases are missing because it was stopped from outside.
	Partial bool `json:"partial,omitempty"`
	// AskedAgain says how many runs were asked for a second time since the process
	// that had them ended, by step. It depends on what happened, not on the question.
	AskedAgain ByPlayer[int] `json:"asked_again,omitempty"`
}

// Estimate is a mean over the analysed failures with an interval that holds for
// all steps at once, with probability 1−delta, however early the batch stopped.
// Summary.Intervals says what the interval covers.
type Estimate struct {
	Mean float64  `json:"mean"`
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
	// Others are intervals by other rules, each promising something else.
	Others []RuleInterval `json:"others,omitempty"`
}

// RuleInterval is an interval by a rule, which Summary.Intervals describes.
type RuleInterval struct {
	Rule string `json:"rule"`
	Bounds
}

// Bounds are the ends of an interval.
type Bounds struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// IntervalInfo says what the intervals of a rule promise.
type IntervalInfo struct {
	Rule string `json:"rule"`
	confseq.Promise
}

// Separation is what the stopping rule said.
type Separation struct {
	Rule string `json:"rule"`
	Goal string `json:"goal"`
	// Reached says that the goal was reached, Cases after how many analysed
	// failures, and Leaders which steps were declared, best first.
	Reached bool     `json:"reached"`
	Cases   int      `json:"cases"`
	Leaders []string `json:"leaders,omitempty"`
	confseq.Promise
}

// StepResult is what the batch says of one step.
type StepResult struct {
	Name string `json:"name"`
	// Shapley is the mean blame over the analysed failures. With calls as
	// players it is the blame of the step's calls added up, which is not the
	// step's own Shapley value.
	Shapley Estimate `json:"shapley"`
	// FixAlone is the mean of v({i}) − v(∅). It, Resolves and LeaveOneOut are over
	// the analysed failures whose values are not sampled.
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
	// Breaks is the share of passing cases that fail with this fix alone, and Net
	// what it changes in the share of all cases that pass.
	Breaks *Rate    `json:"breaks,omitempty"`
	Net    *float64 `json:"net,omitempty"`
	// Necessity says how far the fix is necessary and sufficient.
	Necessity *Necessity `json:"necessity,omitempty"`
	// Responsibility is the mean degree of responsibility: one over the size of
	// the smallest minimal repair that has the fix.
	Responsibility *float64 `json:"responsibility,omitempty"`
	// Variants compares the step's variants, where it has several.
	Variants []VariantResult `json:"variants,omitempty"`
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
	// ScoreAsRun is the mean score without any fix over the worlds, where those
	// are not the factual one.
	ScoreAsRun *float64 `json:"score_as_run,omitempty"`
	// Method is how the values were computed: "exact", from random orders of the
	// players ("permutation"), or from a model of the game ("model"). "bounds"
	// means that replays ended as soon as it was certain who is most to blame:
	// there are no values then, only Bounds and CertainTop.
	Method string `json:"method,omitempty"`
	Worlds int    `json:"worlds,omitempty"`
	// Coalitions is the number of coalitions that the values are exact over, or
	// that were replayed in sampling.
	Coalitions float64 `json:"coalitions,omitempty"`
	// Reason says why the values were computed by Method, where that was not asked
	// for.
	Reason string `json:"reason,omitempty"`
	// Unbiased is the estimate from random orders, which Intervals are about,
	// where Shapley is that of a model of the game. Conclusions over cases rest
	// on it alone.
	Unbiased ByPlayer[float64] `json:"unbiased,omitzero"`
	// Permutations is how many orders of the players were sampled, Stopped why
	// no more were, and Intervals are the sampled values' intervals, holding for
	// all players at once over what IntervalsCover names.
	Permutations   int              `json:"permutations,omitempty"`
	Stopped        string           `json:"stopped,omitempty"`
	Intervals      ByPlayer[Bounds] `json:"intervals,omitzero"`
	IntervalsCover string           `json:"intervals_cover,omitempty"`
	// Cost is what the step runs of the case's analysis cost.
	Cost         float64 `json:"cost"`
	CostFactual  float64 `json:"cost_factual"`
	CostUncached float64 `json:"cost_uncached,omitempty"`
	// Coverage is the share of coalitions whose value is known, and Bounds where
	// the players' values lie for certain, when replays were cut off. CertainTop
	// is the player that has the largest value whatever is unknown.
	Coverage   float64          `json:"coverage,omitempty"`
	Bounds     ByPlayer[Bounds] `json:"bounds,omitzero"`
	CertainTop string           `json:"certain_top,omitempty"`
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
	MinimalRepairsCut bool `json:"minimal_repairs_cut,omitempty"`
	// MinimalRepairsFrequency is the share of worlds in which each listed repair
	// is a minimal one, where there are several worlds.
	MinimalRepairsFrequency []float64 `json:"minimal_repairs_frequency,omitempty"`
	MinimalRepairsCount     string    `json:"minimal_repairs_count,omitempty"`
	// CheapestRepair is the repair whose fixes cost the least to run.
	CheapestRepair *Repair `json:"cheapest_repair,omitempty"`
	// Responsibility is each player's degree of responsibility.
	Responsibility ByPlayer[float64] `json:"responsibility,omitzero"`
	// Interactions are the pairs of players that need each other or do each
	// other's work, and Effects those of single players beside them.
	Interactions []Interaction `json:"interactions,omitempty"`
	Effects      *Effects      `json:"effects,omitempty"`
	// Owen are the values when players come in groups, and Groups those of the
	// groups as players.
	Owen   ByPlayer[float64] `json:"owen,omitzero"`
	Groups ByPlayer[float64] `json:"groups,omitzero"`
	// ShapleyOrdered are the values over orders that respect the wiring.
	ShapleyOrdered ByPlayer[float64] `json:"shapley_ordered,omitzero"`
	// MergedByKey is how many outputs were taken as the same as another with an
	// equal key, and KeyCheck what came of replaying without keys.
	MergedByKey int       `json:"merged_by_key,omitempty"`
	KeyCheck    *KeyCheck `json:"key_check,omitempty"`
	// CallsShift says that a fix changes how often a step is called, so that
	// the numbers of its later calls don't mean the same in all replays.
	CallsShift []string `json:"calls_shift,omitempty"`
	// Errors are the step runs that failed in the case's replays.
	Errors []CaseError `json:"errors,omitempty"`
	// Tags are the case's own labels, and Story is what happened in it.
	Tags  map[string]string `json:"tags,omitempty"`
	Story *Story            `json:"story,omitempty"`

	// raw is the story before the result has taken it.
	raw *rawStory
	// resolves is the share of worlds in which each player's fix alone makes the
	// case pass.
	resolves []float64
	// needed is the share of worlds in which each fix can't be left out, and
	// passes that in which the case passes as it is.
	needed []float64
	passes float64
	// pairs are the interactions by index and pair of players.
	pairs [][]float64
	// cut says that some of its replays came to nothing, budget that the budget
	// cut it off.
	cut, budget bool
	// tried is what further variants of steps did.
	tried []tried
	// game is the case's game until it has been counted, and sampled its
	// session, for measuring harm.
	game    *caseGame
	sampled *sampledCase
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
	// Traceback is where it comes from, as the step's language words it: its end,
	// at most 4 KiB.
	Traceback string `json:"traceback,omitempty"`
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
