package blame

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/replay"
)

// sums adds up cases by step, in the order in which they are filed. Its memory
// doesn't grow with their number.
type sums struct {
	options Options
	nodes   int      // the limit on a case's states
	names   []string // the steps with a fix
	summary Summary
	shapley game.Moments
	alone   []float64
	loo     []float64
	solved  []float64
	last    []int
	calls   []map[string]bool // with calls as players: those seen, by step

	groups repairGroups
	pairs  pairSums
	levels groupSums
	need   []counted
	// sampled counts the cases of which only estimates of blame are known.
	sampled int
	blame   []float64 // sums of responsibility
	suite   *suite    // nil with calls as players, and for sampled cases
	tried   map[[2]string]*VariantResult

	stop      confseq.Rule   // nil: no goal
	silent    bool           // a case was cut off that the stopping rule can't count
	intervals []intervalRule // the first is the one that results show
}

// intervalRule makes intervals of the steps' means.
type intervalRule struct {
	name string
	rule confseq.Rule
}

// manyCases is how many cases a batch may have before its intervals are made by
// rules that keep nothing of them.
const manyCases = 20_000

func newSums(e *replay.Engine, o Options, cases, failing int) (*sums, error) {
	s := &sums{options: o, nodes: e.Nodes()}
	for i, name := range e.Pipeline().StepNames() {
		if e.FixOf(i) != "" {
			s.names = append(s.names, name)
		}
	}
	n := len(s.names)
	s.alone, s.loo, s.solved = make([]float64, n), make([]float64, n), make([]float64, n)
	s.last, s.calls = make([]int, n), make([]map[string]bool, n)
	s.need, s.blame = make([]counted, n), make([]float64, n)
	s.pairs.names = s.names
	if n == 0 {
		return s, nil
	}
	if !o.Calls {
		s.suite = newSuite(s.names, o.Pass)
	}
	if err := s.rules(cases, failing); err != nil {
		return nil, err
	}
	return s, nil
}

// rules sets up what watches the stream of cases. A case's values lie in [−1, 1];
// exact ones of one case differ by at most 1, since each difference is a weighted
// mean of differences of scores. Values summed over calls keep to no such range.
func (s *sums) rules(cases, failing int) error {
	if s.options.Calls {
		if s.options.Stop != "" {
			return fmt.Errorf("the goal %s can't be used with calls as players: blame summed over calls has no range to rely on", s.options.Stop)
		}
		return nil
	}
	base := confseq.Options{Players: len(s.names), Delta: s.options.Delta, Width: s.options.Width, TopK: s.options.TopK, Batch: failing}
	// With so few players no case can have too many states to be explored.
	exact := s.options.Method == Exact || s.options.Method == Auto && pow2(len(s.names)) <= float64(s.nodes)
	if exact && !s.options.Independent {
		base.Spread = 1
	}
	if s.options.Stop != "" {
		o := base
		o.Goal = s.options.Stop
		rule, err := confseq.New(s.options.Rule, o)
		if err != nil {
			return fmt.Errorf("stopping rule: %w", err)
		}
		s.stop = rule
	}
	base.Goal = confseq.Budget
	main := "hedged"
	if cases > manyCases {
		main = "plugin"
	}
	for _, name := range []string{main, "bernstein", "normal"} {
		o := base
		if name == "normal" {
			o.Schedule.Once = 1 << 62
		}
		if name == "normal" || name == "bernstein" {
			o.Batch = 0 // they know of no finite batch; what they say holds all the more
		}
		rule, err := confseq.New(name, o)
		if err != nil {
			return fmt.Errorf("intervals by rule %s: %w", name, err)
		}
		s.intervals = append(s.intervals, intervalRule{name, rule})
	}
	return nil
}

// add counts a case.
func (s *sums) add(c *CaseResult) error {
	t := &s.summary
	t.Cases++
	t.Cost += c.Cost
	t.CostFactual += c.CostFactual
	t.CostUncached += c.CostUncached
	if len(c.Errors) > 0 {
		t.WithErrors++
	}
	switch {
	case c.Undefined != "":
		t.Undefined++
		if c.Score != nil {
			t.Failures++
		}
		return s.addBounds(c)
	case c.Passed:
		t.Passed++
		return nil
	}
	t.Failures++
	t.Analyzed++
	if c.FixAlone == nil {
		s.sampled++
	}
	switch {
	case c.FixAlone == nil || s.options.Independent:
		t.Sampled++
	case len(c.MinimalRepairs) > 0:
		t.Repairable++
	default:
		t.Unfixable++
	}
	if k := c.KeyCheck; k != nil {
		if t.KeyCheck == nil {
			t.KeyCheck = &KeyCheck{}
		}
		t.KeyCheck.Replays += k.Replays
		t.KeyCheck.Disagreements += k.Disagreements
	}
	if c.game != nil {
		s.groups.add(c)
		s.pairs.add(c.pairs)
		s.levels.add(c.Groups)
		if s.suite != nil {
			s.suite.add(c.game)
		}
	}
	for _, t := range c.tried {
		s.try(t)
	}
	blame := make([]float64, len(s.names))
	for i, name := range s.names {
		blame[i] = s.addStep(i, name, c)
	}
	s.shapley.Add(blame)
	if s.stop != nil && !s.silent {
		if err := s.stop.Add(blame); err != nil {
			return fmt.Errorf("case %s: stopping rule: %w", c.ID, err)
		}
	}
	for _, i := range s.intervals {
		if err := i.rule.Add(blame); err != nil {
			return fmt.Errorf("case %s: intervals: %w", c.ID, err)
		}
	}
	return nil
}

// addBounds counts a case that was cut off with what is certain of it: leaving it
// out would favour cases that are cheap to replay. Rules that can't take bounds
// say nothing from then on.
func (s *sums) addBounds(c *CaseResult) error {
	if !c.cut || len(s.names) == 0 || s.options.Calls {
		return nil
	}
	low, high := make([]float64, len(s.names)), make([]float64, len(s.names))
	for i := range s.names {
		low[i], high[i] = -1, 1
		if len(c.Bounds) == len(s.names) {
			low[i], high[i] = c.Bounds[i].Value.Low, c.Bounds[i].Value.High
		}
	}
	s.intervals = slices.DeleteFunc(s.intervals, func(i intervalRule) bool { return !confseq.TakesBounds(i.name) })
	s.silent = !confseq.TakesBounds(s.options.Rule)
	if s.stop != nil && !s.silent {
		if err := s.stop.AddBounds(low, high); err != nil {
			return fmt.Errorf("case %s: stopping rule: bounds: %w", c.ID, err)
		}
	}
	for _, i := range s.intervals {
		if err := i.rule.AddBounds(low, high); err != nil {
			return fmt.Errorf("case %s: intervals: bounds: %w", c.ID, err)
		}
	}
	return nil
}

// addStep adds a case's values of one step, or of all its calls, and returns the
// case's blame of it.
func (s *sums) addStep(i int, step string, c *CaseResult) (blame float64) {
	solved := 0.0
	values := c.Shapley
	if c.Unbiased != nil {
		values = c.Unbiased // a model's guesses don't enter conclusions
	}
	for k, v := range values {
		name, _, isCall := strings.Cut(v.Player, "#")
		if name != step {
			continue
		}
		blame += v.Value
		if c.FixAlone != nil { // unknown where values were sampled
			s.alone[i] += c.FixAlone[k].Value
			s.loo[i] += c.LeaveOneOut[k].Value
		}
		if c.resolves != nil {
			solved = max(solved, c.resolves[k])
			s.need[i].needed += c.needed[k]
		}
		if c.Responsibility != nil {
			s.blame[i] += c.Responsibility[k].Value
		}
		if isCall {
			if s.calls[i] == nil {
				s.calls[i] = map[string]bool{}
			}
			s.calls[i][v.Player] = true
		}
	}
	s.solved[i] += solved
	s.need[i].alone += solved
	s.need[i].asRun += c.passes
	s.need[i].withFix += solved
	if name, _, _ := strings.Cut(c.LastTouch, "#"); name == step {
		s.last[i]++
	}
	return blame
}

// try counts what a further variant did for a case.
func (s *sums) try(t tried) {
	if s.tried == nil {
		s.tried = map[[2]string]*VariantResult{}
	}
	at := [2]string{t.step, t.variant}
	if s.tried[at] == nil {
		s.tried[at] = &VariantResult{Name: t.variant}
	}
	s.tried[at].FixAlone += t.gain
	s.tried[at].Resolves += t.resolves
}

// variants compares the variants of a step that has several.
func (s *sums) variants(step *StepResult, info StepInfo, n float64) {
	if len(info.Variants) < 2 || s.tried == nil {
		return
	}
	for _, name := range info.Variants {
		v := VariantResult{Name: name, Tried: name == info.Fix}
		if v.Tried {
			v.FixAlone, v.Resolves = step.FixAlone, step.Resolves
		} else if t := s.tried[[2]string{step.Name, name}]; t != nil {
			v.FixAlone, v.Resolves = t.FixAlone/n, t.Resolves/n
		}
		step.Variants = append(step.Variants, v)
	}
	step.pickVariant()
}

// aloneKnown says whether it is known what single fixes resolve: of some failure,
// if there are any. Of sampled and undefined ones it isn't.
func (s *sums) aloneKnown() bool {
	return s.summary.Failures == 0 || s.summary.Analyzed > s.sampled
}

// reached says whether the batch's goal is reached.
func (s *sums) reached() (reason string, ok bool) {
	if s.stop == nil {
		return "", false
	}
	return s.stop.Stopped()
}

// result fills in the summary and the steps.
func (s *sums) result(r *Result) {
	r.Summary = s.summary
	for _, cost := range []*float64{&r.Summary.Cost, &r.Summary.CostFactual, &r.Summary.CostUncached} {
		*cost = tidy(*cost)
	}
	n := s.summary.Analyzed
	if s.stop != nil {
		r.Settings.Rule = s.ruleName()
		sep := &Separation{Rule: r.Settings.Rule, Goal: string(s.options.Stop), Cases: n, Promise: s.stop.Promise()}
		_, sep.Reached = s.stop.Stopped()
		for _, l := range s.stop.Leaders() {
			sep.Leaders = append(sep.Leaders, s.names[l])
		}
		r.Summary.Separation = sep
	}
	r.Steps = make([]StepResult, len(s.names))
	total := 0.0
	for i, name := range s.names {
		step := StepResult{Name: name, LastTouch: s.last[i], Calls: len(s.calls[i])}
		if n > 0 {
			step.Shapley.Mean = s.shapley.Mean(i)
		}
		if known := float64(n - s.sampled); known > 0 {
			step.LeaveOneOut = s.loo[i] / known
			step.FixAlone = s.alone[i] / known
			step.Resolves = s.solved[i] / known
			if !s.options.Calls && !s.options.Independent {
				step.Necessity = s.need[i].result(s.options.Mode, known)
				if s.options.Mode == Recorded {
					mean := s.blame[i] / known
					step.Responsibility = &mean
				}
			}
		}
		if n > 0 {
			for _, info := range r.Pipeline.Steps {
				if info.Name == name {
					s.variants(&step, info, float64(max(1, n-s.sampled)))
				}
			}
		}
		total += step.Shapley.Mean
		r.Steps[i] = step
	}
	for i := range r.Steps {
		if total > negligible {
			share := r.Steps[i].Shapley.Mean / total
			r.Steps[i].Share = &share
		}
	}
	if n > 1 {
		s.intervalsOf(r)
	}
	r.RepairGroups = s.groups.list()
	r.Interactions = s.pairs.means(n)
	r.Groups = s.levels.means(n, s.options.Groups, stepNames(r.Pipeline))
	if s.suite != nil {
		r.Plan = s.suite.plan()
	}
}

func (s *sums) ruleName() string {
	if s.options.Rule != "" && s.options.Rule != "auto" {
		return s.options.Rule
	}
	switch s.stop.(type) {
	case *confseq.Elimination:
		return "elimination"
	case *confseq.Pairs:
		return "pairs"
	}
	return "hedged"
}

// intervalsOf closes the stream and gives each step its intervals.
func (s *sums) intervalsOf(r *Result) {
	for k, rule := range s.intervals {
		rule.rule.Close("end")
		r.Summary.Intervals = append(r.Summary.Intervals, IntervalInfo{rule.name, rule.rule.Promise()})
		for i, interval := range rule.rule.Intervals() {
			interval = interval.Clip(-1, 1)
			e := &r.Steps[i].Shapley
			if k == 0 {
				e.Low, e.High = &interval.Low, &interval.High
				continue
			}
			e.Others = append(e.Others, RuleInterval{rule.name, Bounds{interval.Low, interval.High}})
		}
	}
}

func stepNames(p PipelineInfo) []string {
	var out []string
	for _, s := range p.Steps {
		out = append(out, s.Name)
	}
	return out
}
