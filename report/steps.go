package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// stepColumn is a column of the table of steps.
type stepColumn struct {
	column
	legend string // what the values are
	cell   func(s *blame.StepResult) span
}

// stepTable adds the table of a batch: its steps, the most blamed first.
func (t *text) stepTable() {
	steps := t.sorted()
	if t.calls() {
		t.prose(2, 2, "blame of a step's calls added up (not the step's own Shapley value)", yellow)
	}
	columns := t.stepColumns()
	tab := table{rows: make([][]span, len(steps))}
	means := make([]float64, len(steps))
	for i := range steps {
		means[i] = steps[i].Shapley.Mean
	}
	for _, c := range columns {
		tab.columns = append(tab.columns, c.column)
		for i := range steps {
			tab.rows[i] = append(tab.rows[i], c.cell(&steps[i]))
		}
	}
	tab.bars = bars(means)
	dropped := t.table(tab)
	t.leftOut(dropped)
	var legend []string
	for _, c := range columns {
		if title := oneLine(c.head); c.legend != "" && !slices.Contains(dropped, title) {
			legend = append(legend, title+": "+c.legend)
		}
	}
	t.prose(2, 2, strings.Join(legend, "; ")+".", dim)
	for _, line := range t.stepWarnings() {
		t.prose(2, 2, line, yellow)
	}
	if t.o.Verbose {
		t.otherIntervals(steps)
	}
}

// stepColumns returns the columns that the result has values for.
func (t *text) stepColumns() []stepColumn {
	columns := []stepColumn{{
		column{head: "step", least: 12}, "",
		func(s *blame.StepResult) span { return span{t.stepName(s.Name), plain} },
	}}
	if t.aloneKnown() || t.r.Summary.Sampled < t.r.Summary.Analyzed {
		alone, legend := "fix alone\nresolves", "failures that pass with that fix only"
		if t.calls() {
			alone, legend = "one call\nresolves", "failures that pass with the fix in a single call only"
		}
		columns = append(columns, stepColumn{
			column{head: alone, right: true, drop: 7}, legend,
			func(s *blame.StepResult) span { return span{percent(s.Resolves), plain} },
		}, stepColumn{
			column{head: "leave-\none-out", right: true, drop: 2}, "score lost when only this fix is missing",
			func(s *blame.StepResult) span { return value(s.LeaveOneOut) },
		})
	}
	columns = append(columns, stepColumn{
		column{head: "mean\nShapley", right: true}, "the blame",
		func(s *blame.StepResult) span { return value(s.Shapley.Mean) },
	})
	if infos := t.r.Summary.Intervals; len(infos) > 0 {
		columns = append(columns, stepColumn{
			column{head: level(t.r.Settings.Delta) + "\ninterval", drop: 6},
			fmt.Sprintf("of the mean, by rule %s (%s), over %s", Clean(infos[0].Rule), Clean(infos[0].Label), Clean(infos[0].Over)),
			func(s *blame.StepResult) span { return span{interval(s.Shapley.Low, s.Shapley.High), plain} },
		})
	}
	columns = append(columns, stepColumn{
		column{head: "share", right: true, drop: 5}, "", shareCell,
	}, stepColumn{
		column{head: "last\ntouch", right: true, drop: 3}, "failures in which it was the last step whose output the fixes change",
		func(s *blame.StepResult) span { return span{fmt.Sprint(s.LastTouch), plain} },
	})
	if t.calls() {
		columns = append(columns, stepColumn{
			column{head: "calls", right: true, drop: 4}, "",
			func(s *blame.StepResult) span { return span{fmt.Sprint(s.Calls), plain} },
		})
	}
	if t.o.Verbose && t.aloneKnown() {
		columns = append(columns, stepColumn{
			column{head: "fix-alone\ngain", right: true, drop: 1}, "score won by that fix only",
			func(s *blame.StepResult) span { return value(s.FixAlone) },
		})
	}
	return columns
}

func shareCell(s *blame.StepResult) span {
	if s.Share == nil {
		return span{"-", dim}
	}
	return span{percent(*s.Share), plain}
}

// aloneKnown says whether what single fixes resolve is known of all analysed
// failures: sampling asks for few coalitions.
func (t *text) aloneKnown() bool {
	return t.r.Summary.Sampled == 0 || t.r.Settings.Independent && t.r.Settings.Method != "permutation"
}

// stepWarnings says what to be wary of in the table of steps.
func (t *text) stepWarnings() []string {
	var out []string
	if !t.aloneKnown() {
		out = append(out, fmt.Sprintf("The values of %s are estimates from sampled orders of the fixes: what single fixes do there isn't known.",
			count(t.r.Summary.Sampled, "failure", "failures")))
	}
	var harmful []string
	for _, s := range t.sorted() {
		if signed(s.Shapley.Mean)[0] == '-' {
			harmful = append(harmful, t.short(s.Name, nameWidth))
		}
	}
	if len(harmful) > 0 {
		out = append(out, "Negative blame: on the whole this fix makes failing cases worse: "+t.list(harmful, ", ")+".")
	}
	return out
}

// sorted returns the steps, the most blamed first.
func (t *text) sorted() []blame.StepResult {
	steps := slices.Clone(t.r.Steps)
	slices.SortStableFunc(steps, func(a, b blame.StepResult) int { return cmp.Compare(b.Shapley.Mean, a.Shapley.Mean) })
	return steps
}

// otherIntervals adds the intervals by other rules, and what each promises.
func (t *text) otherIntervals(steps []blame.StepResult) {
	infos := t.r.Summary.Intervals
	if len(infos) == 0 {
		return
	}
	tab := table{columns: []column{{head: "step", least: 12}}}
	for _, i := range infos {
		tab.columns = append(tab.columns, column{head: Clean(i.Rule), least: len("[+0.000, +0.000]")})
	}
	for _, s := range steps {
		row := []span{{t.stepName(s.Name), plain}}
		for _, i := range infos {
			low, high := s.Shapley.Low, s.Shapley.High
			for k := range s.Shapley.Others {
				if o := &s.Shapley.Others[k]; o.Rule == i.Rule {
					low, high = &o.Low, &o.High
				}
			}
			row = append(row, span{interval(low, high), plain})
		}
		tab.rows = append(tab.rows, row)
	}
	t.heading(level(t.r.Settings.Delta) + " intervals by rule")
	t.leftOut(t.table(tab))
	for _, i := range infos {
		t.prose(2, 4, Clean(i.Rule)+": "+t.message(i.Text), dim)
	}
}

// level is the confidence of intervals, "95 %".
func level(delta float64) string {
	return strconv.FormatFloat(100*(1-delta), 'g', 4, 64) + " %"
}

// interval formats the ends of an interval, "[+0.269, +0.369]".
func interval(low, high *float64) string {
	if low == nil || high == nil {
		return "-"
	}
	return "[" + signed(*low) + ", " + signed(*high) + "]"
}

// stepName is a step's name in tables; an input is marked as one.
func (t *text) stepName(name string) string {
	for _, s := range t.r.Pipeline.Steps {
		if s.Name == name && s.Input {
			return Clean(name) + " (input)"
		}
	}
	return Clean(name)
}

// value is a cell with a signed value, red below zero.
func value(x float64) span {
	if s := signed(x); s[0] == '-' {
		return span{s, red}
	}
	return span{signed(x), plain}
}

// bars scales values so that the largest is a full bar.
func bars(values []float64) []float64 {
	most := 0.0
	for _, v := range values {
		most = max(most, math.Abs(v))
	}
	out := make([]float64, len(values))
	for i, v := range values {
		if most > 0 {
			out[i] = v / most
		}
	}
	return out
}

// leftOut names the columns that a narrow page has no room for.
func (t *text) leftOut(columns []string) {
	if len(columns) > 0 {
		t.prose(2, 2, "Too narrow for: "+strings.Join(columns, ", ")+".", dim)
	}
}
