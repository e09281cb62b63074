package report

import (
	"fmt"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// headline says in one sentence what to fix first, or why nothing can be said.
func (t *text) headline() string {
	s := t.r.Summary
	switch {
	case s.Cases == 0:
		return "No case was run."
	case len(t.r.Steps) == 0:
		return "No step has a fix, so nothing can be blamed."
	case s.Failures == 0 && s.Undefined == 0:
		return fmt.Sprintf("Nothing is to blame: %s.", allPass(s.Cases))
	case s.Failures == 0:
		return fmt.Sprintf("Nothing can be blamed: no case fails, but %s undefined.", count(s.Undefined, "is", "are"))
	case s.Analyzed == 0:
		return "Nothing can be blamed: no failing case could be analysed."
	}
	leaders, share := t.leaders()
	switch {
	case len(leaders) == 0:
		return "No step leads: the fixes together don't raise the score of the failing cases." + t.helpAlone()
	case s.Repairable == 0 && s.Sampled == 0:
		return fmt.Sprintf("No combination of these fixes resolves %s, though they raise scores: %s %s.", t.aFailure(), t.names(leaders, "and"), carry(leaders, share))
	case len(leaders) > 1:
		return fmt.Sprintf("No single step leads: %s %s%s.", t.names(leaders, "and"), carry(leaders, share), t.bestAlone())
	}
	return t.leader(leaders[0], share)
}

func allPass(n int) string {
	if n == 1 {
		return "the case passes as it is"
	}
	return fmt.Sprintf("all %d cases pass as they are", n)
}

// leaders returns the steps with the largest share of the blame as shown, and
// that share.
func (t *text) leaders() (leaders []blame.StepResult, share string) {
	most := -1.0
	for _, s := range t.r.Steps {
		if s.Share != nil {
			most = max(most, *s.Share)
		}
	}
	share = percent(most)
	for _, s := range t.r.Steps {
		if s.Share != nil && percent(*s.Share) == share {
			leaders = append(leaders, s)
		}
	}
	return leaders, share
}

func carry(leaders []blame.StepResult, share string) string {
	if len(leaders) > 1 {
		return "carry " + share + " of the blame each"
	}
	return "carries " + share + " of the blame"
}

// leader is the sentence for one step that leads.
func (t *text) leader(s blame.StepResult, share string) string {
	name := t.short(s.Name, nameWidth)
	best := t.mostResolving()
	most := best[0].Resolves
	switch {
	case !t.aloneKnown():
		return fmt.Sprintf("Fix %s first: it carries %s of the blame.", name, share)
	case most == 0:
		return fmt.Sprintf("%s carries the most blame (%s), but no single fix resolves %s.", name, share, t.aFailure())
	case s.Resolves == most && t.r.Summary.Analyzed == 1:
		return fmt.Sprintf("Fix %s first: it carries %s of the blame, and %s resolves the case.", name, share, t.itAlone())
	case s.Resolves == most:
		return fmt.Sprintf("Fix %s first: it carries %s of the blame, and %s resolves %s of the failures%s.", name, share, t.itAlone(), percent(most), breaking(s))
	case t.r.Summary.Analyzed == 1:
		return fmt.Sprintf("Fix %s or %s first: %s carries the most blame (%s), but only %s resolves the case.", name, t.names(best, "or"), name, share, t.alone(best...))
	}
	return fmt.Sprintf("Fix %s or %s first: %s carries the most blame (%s), but %s resolves more failures (%s to %s).",
		name, t.names(best, "or"), name, share, t.alone(best...), percent(most), percent(s.Resolves))
}

// breaking is the end of a sentence about a fix that breaks what passes today.
func breaking(s blame.StepResult) string {
	if s.Breaks == nil || s.Breaks.Count == 0 {
		return ""
	}
	return " but breaks " + percent(s.Breaks.Rate) + " of what passes"
}

// bestAlone tells, when several steps lead, which step's fix alone resolves the
// most failures, if that is a single one.
func (t *text) bestAlone() string {
	best := t.mostResolving()
	switch {
	case len(best) != 1 || !t.aloneKnown():
		return ""
	case t.r.Summary.Analyzed == 1:
		return fmt.Sprintf("; only %s resolves the case", t.alone(best...))
	}
	return fmt.Sprintf("; %s resolves the most failures (%s)", t.alone(best...), percent(best[0].Resolves))
}

// helpAlone tells, when the fixes together help nothing, which of them resolves the
// most failures alone.
func (t *text) helpAlone() string {
	best := t.mostResolving()
	switch {
	case !t.aloneKnown() || best[0].Resolves == 0:
		return ""
	case t.r.Summary.Analyzed == 1:
		return fmt.Sprintf(" But %s resolves the case.", t.alone(best...))
	}
	return fmt.Sprintf(" But %s resolves %s of the failures.", t.alone(best...), percent(best[0].Resolves))
}

// alone names the deed of making one fix only.
func (t *text) alone(steps ...blame.StepResult) string {
	names := t.names(steps, "or")
	if t.calls() {
		return "fixing a single call of " + names
	}
	return "fixing " + names + " alone"
}

func (t *text) itAlone() string {
	if t.calls() {
		return "fixing a single call of it"
	}
	return "fixing it alone"
}

// aFailure is "a failure", or "the case" where there is just one.
func (t *text) aFailure() string {
	if t.r.Summary.Analyzed == 1 {
		return "the case"
	}
	return "a failure"
}

// mostResolving returns the steps whose fix alone resolves the most failures.
func (t *text) mostResolving() []blame.StepResult {
	var out []blame.StepResult
	for _, s := range t.r.Steps {
		if len(out) > 0 && s.Resolves > out[0].Resolves {
			out = out[:0]
		}
		if len(out) == 0 || s.Resolves == out[0].Resolves {
			out = append(out, s)
		}
	}
	return out
}

// names lists steps in a sentence: "planner and retriever".
func (t *text) names(steps []blame.StepResult, and string) string {
	var names []string
	for _, s := range steps {
		names = append(names, s.Name)
	}
	return t.join(names, and)
}

// join lists names in a sentence, four at most.
func (t *text) join(names []string, and string) string {
	const most = 4
	var out []string
	for i, name := range names {
		if i == most-1 && len(names) > most {
			out = append(out, fmt.Sprintf("%d more", len(names)-i))
			break
		}
		out = append(out, t.short(name, nameWidth))
	}
	if len(out) == 1 {
		return out[0]
	}
	last := len(out) - 1
	return strings.Join(out[:last], ", ") + " " + and + " " + out[last]
}

// calls says whether the players are single calls of steps.
func (t *text) calls() bool { return t.r.Settings.Players == "calls" }
