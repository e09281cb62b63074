package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// TextOptions say how a result is shown on a terminal. The zero value is 80
// columns without colour.
type TextOptions struct {
	// Width is the number of columns, which no line exceeds; 0 is 80.
	Width int
	// Color allows ANSI colours.
	Color bool
	// Verbose shows a table for each analysed case that is listed, all errors
	// and repairs, and the settings.
	Verbose bool
	// Cases is the most cases that are listed; 0 is 20, below 0 is no limit.
	Cases int
}

// Text writes a result as text for a terminal: what to fix first, the counts,
// the table of steps, the fix plan and what fixes break, what repairs the
// failures, pairs of fixes, where simple rules mislead, the failing cases, errors
// and undefined cases, and which fixes the blame is relative to. It fails only
// when w does.
func Text(w io.Writer, r *blame.Result, o TextOptions) error {
	t := text{page: newPage(o), r: r, o: o}
	t.top()
	only := t.onlyCase()
	switch {
	case only != nil:
		t.blank()
		t.oneCase(only)
		if t.calls() {
			t.heading("steps")
			t.stepTable()
		}
	case r.Summary.Analyzed > 0:
		t.blank()
		t.stepTable()
		t.fixPlan()
	}
	t.harm()
	t.variants()
	many := only == nil && r.Summary.Analyzed > 0
	if many {
		t.repairGroups()
		t.interactions(r.Interactions, "pairs of fixes")
	}
	t.groups()
	if t.o.Verbose {
		t.necessity()
	}
	t.simpleRules()
	if many {
		t.failingCases()
	}
	t.undefinedCases()
	t.errors()
	t.shiftedCalls()
	t.fixes()
	_, err := io.WriteString(w, t.out.String())
	return err
}

// text is one result on its way to a page.
type text struct {
	*page
	r *blame.Result
	o TextOptions
}

// limit returns how many of n entries are listed.
func (t *text) limit(n int) int {
	switch {
	case t.o.Cases < 0:
		return n
	case t.o.Cases == 0:
		return min(n, 20)
	}
	return min(n, t.o.Cases)
}

// onlyCase returns the analysed case if there is just one.
func (t *text) onlyCase() *blame.CaseResult {
	if t.r.Summary.Analyzed != 1 {
		return nil
	}
	for i := range t.r.Cases {
		if isAnalyzed(&t.r.Cases[i]) {
			return &t.r.Cases[i]
		}
	}
	return nil
}

func isAnalyzed(c *blame.CaseResult) bool { return c.Undefined == "" && !c.Passed }

// unnamed stands for the name of a pipeline that has none.
const unnamed = "(unnamed pipeline)"

// top adds the title, what to fix first, and the counts.
func (t *text) top() {
	name := cmp.Or(t.short(t.r.Pipeline.Name, 60), unnamed)
	t.prose(0, 2, name+" ("+modeText(t.r.Settings)+")", bold)
	if s := t.r.Summary; s.Partial {
		t.prose(0, 2, "PARTIAL RESULT: stopped before all cases were done ("+Clean(s.Stopped)+"); numbers are of the cases that were.", alarm)
	} else if s.Stopped == "budget" {
		t.prose(0, 2, "The budget ended before all cases were analysed; numbers are of the cases that were.", yellow)
	}
	t.prose(0, 2, t.headline(), bold)
	if t.r.Summary.Analyzed > 0 {
		if line := t.evidence(); line != "" {
			t.prose(0, 2, line, plain)
		}
		for _, line := range t.careful() {
			t.prose(0, 2, line, yellow)
		}
	}
	if set := t.r.Settings; set.Estimand != "" && (t.o.Verbose || set.Mode != "recorded" || set.Independent) {
		t.prose(0, 2, Clean(set.Estimand), dim)
	}
	t.blank()
	t.counts()
}

// modeText says which noise the replays saw.
func modeText(s blame.Settings) string {
	mode := Clean(s.Mode)
	switch s.Mode {
	case "recorded":
		mode = "recorded noise"
	case "posterior":
		mode = "noise abducted from the recorded choices"
	case "prior":
		mode = "fresh noise: interventional, not counterfactual"
	}
	if s.Independent {
		mode += "; not shared between coalitions"
	}
	return mode
}

func (t *text) counts() {
	s, set := t.r.Summary, t.r.Settings
	line := fmt.Sprintf("%s run: %d pass, %d fail", count(s.Cases, "case", "cases"), s.Passed, s.Failures)
	if s.Failures > 0 {
		line += fmt.Sprintf("; %d analysed", s.Analyzed)
		if s.Sampled > 0 {
			line += fmt.Sprintf(" (%d by sampling)", s.Sampled)
		}
		if s.Sampled < s.Analyzed || s.Analyzed == 0 {
			line += fmt.Sprintf(", %d unfixable", s.Unfixable)
		}
	}
	line += fmt.Sprintf("; %d undefined", s.Undefined)
	if s.WithErrors > 0 {
		line += fmt.Sprintf("; %d with errors", s.WithErrors)
	}
	if set.Pass != 1 {
		line += "; pass mark " + score(set.Pass, 0)
	}
	t.prose(0, 2, line, plain)
	line = "cost " + amount(s.Cost)
	if set.Budget > 0 {
		line += " of a budget of " + amount(set.Budget)
	}
	if s.CostUncached > 0 {
		line += " (uncached " + amount(s.CostUncached) + ")"
	}
	line += fmt.Sprintf(", factual runs %s; stopped: %s", amount(s.CostFactual), Clean(s.Stopped))
	t.prose(0, 2, line, plain)
	if line := t.askedAgain(); line != "" {
		t.prose(0, 2, line, yellow)
	}
	if s.CasesKept != nil {
		t.prose(0, 2, fmt.Sprintf("Of the cases, the result keeps %d; the counts and means are of all.", *s.CasesKept), plain)
	}
	if t.o.Verbose {
		line = fmt.Sprintf("mode %s, method %s, players %s, seed %d, delta %s",
			Clean(set.Mode), Clean(set.Method), Clean(set.Players), set.Seed, amount(set.Delta))
		if set.Stop != "" {
			line += fmt.Sprintf(", stop %s by rule %s", Clean(set.Stop), Clean(set.Rule))
		}
		t.prose(0, 2, line, dim)
	}
}

// askedAgain says which runs lost their process and were asked again, if any.
func (t *text) askedAgain() string {
	var parts []string
	for _, again := range t.r.Summary.AskedAgain {
		parts = append(parts, fmt.Sprintf("%s %d", t.short(again.Player, nameWidth), again.Value))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Processes ended before their time. Runs that were asked again, and count once: " + strings.Join(parts, ", ") + "."
}

// nameWidth is the most columns that a name has in prose.
const nameWidth = 40

// list joins names, of which a long list is cut unless all are wanted.
func (t *text) list(names []string, between string) string {
	const most = 20
	if t.o.Verbose || len(names) <= most {
		return strings.Join(names, between)
	}
	return strings.Join(names[:most], between) + fmt.Sprintf("%s… (%d more)", between, len(names)-most)
}
