package demo

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/agentblame/agentblame/blame"
)

// batchTable prints what a batch says of each step, the most blamed first.
func (p *printer) batchTable(r *blame.Result) {
	s := r.Summary
	p.printf("  %d cases run, %d failures, %d analysed, %d not fixable by any combination;\n  cost %.0f, uncached %.0f\n\n",
		s.Cases, s.Failures, s.Analyzed, s.Unfixable, s.Cost, s.CostUncached)
	rows := [][]string{{"step", "fix alone\nresolves", "mean\nShapley", "[95 % interval]", "share", "last\ntouch"}}
	for _, step := range byBlame(r.Steps) {
		interval := "[" + signed(*step.Shapley.Low) + ", " + signed(*step.Shapley.High) + "]"
		rows = append(rows, []string{
			step.Name, percent(step.Resolves), signed(step.Shapley.Mean), interval, percent(*step.Share), strconv.Itoa(step.LastTouch),
		})
	}
	p.table(1, rows)
	p.printf("  The intervals hold for all steps at once, %s (%s).\n", s.Intervals[0].Label, s.Intervals[0].Rule)
}

// byBlame returns the steps with the most blamed first.
func byBlame(steps []blame.StepResult) []blame.StepResult {
	steps = slices.Clone(steps)
	slices.SortStableFunc(steps, func(a, b blame.StepResult) int { return cmp.Compare(b.Shapley.Mean, a.Shapley.Mean) })
	return steps
}
