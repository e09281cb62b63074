package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentblame/agentblame/blame"
)

// maxMarkdown is how many characters a comment on GitHub may have.
const maxMarkdown = 65_536

// markdownMark ends the text, so that a later run finds the comment to replace.
const markdownMark = "<!-- agentblame -->\n"

// Markdown writes a result for a comment on a pull request, in GitHub's dialect:
// what to fix first, the steps, the plan, what repairs the failures, the failing
// cases and what the result rests on. It has less than 65,536 characters; what
// there is no room for is counted. Names, ids and messages can't become markup,
// links or mentions.
func Markdown(w io.Writer, r *blame.Result) error {
	_, err := io.WriteString(w, markdown(r))
	return err
}

func markdown(r *blame.Result) string {
	m := &markdownText{text: sayings(r)}
	m.top()
	// The cases get the room that the other parts leave.
	sections := []struct{ what, text string }{
		{"the steps", m.steps()}, {"the fix plan", m.plan()}, {"the repairs", m.repairs()},
		{"what it rests on", m.trusting()}, {"errors", m.errorsOfRuns()},
	}
	room := maxMarkdown - 1 - len(markdownMark) - 200
	text := m.b.String()
	var left []string
	for _, s := range sections {
		if utf8.RuneCountInString(text)+utf8.RuneCountInString(s.text) > room {
			left = append(left, s.what)
			continue
		}
		text += s.text
	}
	cases, none := m.cases(room - utf8.RuneCountInString(text))
	text += cases
	if none {
		left = append(left, "the failing cases")
	}
	if len(left) > 0 {
		text += "There is no room for " + strings.Join(left, ", ") + ".\n\n"
	}
	return text + markdownMark
}

type markdownText struct {
	*text
	b strings.Builder
}

// top adds what to fix first, how sure that is, and the counts.
func (m *markdownText) top() {
	fmt.Fprintf(&m.b, "### agentblame: %s\n\n", code(cmp.Or(m.r.Pipeline.Name, unnamed)))
	if s := m.r.Summary; s.Partial {
		m.b.WriteString("**Partial result**: stopped before all cases were done. Numbers are of the cases that were.\n\n")
	} else if s.Stopped == "budget" {
		m.b.WriteString("The budget ended before all cases were analysed. Numbers are of the cases that were.\n\n")
	}
	fmt.Fprintf(&m.b, "**%s**\n\n", sentence(m.headline()))
	if m.r.Summary.Analyzed > 0 {
		if line := m.evidence(); line != "" {
			fmt.Fprintf(&m.b, "%s\n\n", sentence(line))
		}
		for _, line := range m.careful() {
			fmt.Fprintf(&m.b, "%s\n\n", sentence(line))
		}
	}
	s := m.r.Summary
	fmt.Fprintf(&m.b, "%s run: %d pass, %d fail; %d analysed, %d undefined. Cost %s.\n\n",
		count(s.Cases, "case", "cases"), s.Passed, s.Failures, s.Analyzed, s.Undefined, amount(s.Cost))
}

// steps is the table of steps, the most blamed first.
func (m *markdownText) steps() string {
	if len(m.r.Steps) == 0 || m.r.Summary.Analyzed == 0 {
		return ""
	}
	steps := m.sorted()
	head := []string{"step", "blame"}
	if len(m.r.Summary.Intervals) > 0 {
		head = append(head, level(m.r.Settings.Delta)+" interval")
	}
	head = append(head, "share")
	alone, harm := m.aloneKnown(), m.r.Harm != nil
	if alone {
		head = append(head, "resolves alone")
	}
	if harm {
		head = append(head, "breaks")
	}
	head = append(head, "touched last")
	var rows [][]string
	for i := range steps {
		s := &steps[i]
		row := []string{code(s.Name), signed(s.Shapley.Mean)}
		if len(m.r.Summary.Intervals) > 0 {
			row = append(row, interval(s.Shapley.Low, s.Shapley.High))
		}
		row = append(row, shareCell(s).text)
		if alone {
			row = append(row, percent(s.Resolves))
		}
		if harm {
			row = append(row, rateCell(s.Breaks).text)
		}
		rows = append(rows, append(row, fmt.Sprint(s.LastTouch)))
	}
	text := markdownTable(head, rows, 1, len(head))
	if m.calls() {
		text += "- Blame of a step's calls is added up, which is not the step's own Shapley value.\n"
	}
	for _, line := range slices.Concat(m.stepWarnings(), m.naive()) {
		text += "- " + sentence(line) + "\n"
	}
	return strings.TrimRight(text, "\n") + "\n\n"
}

// plan is the fix plan.
func (m *markdownText) plan() string {
	p := m.r.Plan
	if p == nil || len(p.Sets) == 0 {
		return ""
	}
	harm := m.r.Harm != nil
	title, head := "Fix plan: the best sets of 1, 2, … fixes", []string{"fixes", "resolve"}
	if !p.Exact {
		title = "Fix plan: one more fix at a time (not all sets were compared)"
		head = append(head, "at best")
	}
	if harm {
		head = append(head, "break", "net")
	}
	head = append(head, "cost a run")
	var rows [][]string
	for _, s := range p.Sets {
		row := []string{codes(s.Fixes, ", "), percent(s.Resolves)}
		if !p.Exact {
			row = append(row, signedPercent(s.Gap))
		}
		if harm {
			row = append(row, rateCell(s.Breaks).text, netCell(s.Net).text)
		}
		rows = append(rows, append(row, amount(s.Cost)))
	}
	return details(title, markdownTable(head, rows, 1, len(head)))
}

// repairs is the failures by what repairs them.
func (m *markdownText) repairs() string {
	const most = 10
	var rows [][]string
	for i, g := range m.r.RepairGroups {
		if i == most {
			break
		}
		repairs := "none"
		if len(g.MinimalRepairs) > 0 {
			repairs = sets(g.MinimalRepairs, g.Cut)
		}
		rows = append(rows, []string{fmt.Sprint(g.Count), repairs, codes(g.Cases, ", ")})
	}
	if len(rows) == 0 {
		return ""
	}
	return details(m.title("Failures by what repairs them", len(rows), len(m.r.RepairGroups)),
		markdownTable([]string{"failures", "minimal repairs", "such as"}, rows, 0, 1))
}

// trusting is what the result rests on.
func (m *markdownText) trusting() string {
	var b strings.Builder
	for _, f := range m.trust() {
		fmt.Fprintf(&b, "- **%s**: %s\n", sentence(f.term), sentence(f.text))
	}
	return details("Can I trust this?", b.String())
}

// errorsOfRuns is the step runs that failed, each message once.
func (m *markdownText) errorsOfRuns() string {
	const most = 10
	var rows [][]string
	seen := map[[3]string]bool{}
	for _, c := range m.r.Cases {
		for _, e := range c.Errors {
			key := [3]string{e.Step, e.Variant, e.Message}
			if seen[key] {
				continue
			}
			if seen[key] = true; len(seen) <= most {
				rows = append(rows, []string{sentence(m.where(e.Step, e.Variant)), code(e.Message), code(c.ID)})
			}
		}
	}
	if len(rows) == 0 {
		return ""
	}
	return details(m.title("Errors of step runs", len(rows), len(seen)), markdownTable([]string{"step", "error", "such as"}, rows, 0, 0))
}

// cases is the failing cases, as many as there is room for; or none for want of it.
func (m *markdownText) cases(room int) (text string, none bool) {
	head := []string{"case", "score", "blame", "most blamed", "minimal repairs"}
	var rows [][]string
	all, size := 0, 300
	for i := range m.r.Cases {
		c := &m.r.Cases[i]
		if !isAnalyzed(c) {
			continue
		}
		all++
		repairs := "-"
		switch {
		case len(c.MinimalRepairs) > 0:
			repairs = sets(c.MinimalRepairs, c.MinimalRepairsCut)
		case c.MinimalRepairs != nil:
			repairs = "none"
		}
		most, players := mostBlamed(c)
		blamed := "nobody"
		if len(players) > 0 {
			blamed = codes(players, ", ")
		}
		row := []string{code(c.ID), m.scores(c), most, blamed, repairs}
		if size += utf8.RuneCountInString(strings.Join(row, " | ")) + 6; size > room {
			size = room + 1 // and no later one that is shorter
			continue
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return "", all > 0
	}
	return details(m.title("Failing cases", len(rows), all), markdownTable(head, rows, 2, 3)), false
}

// details folds a part of the text.
func details(title, body string) string {
	return "<details><summary>" + sentence(title) + "</summary>\n\n" + strings.TrimRight(body, "\n") + "\n\n</details>\n\n"
}

// markdownTable is a table whose columns before the end-th, from the first-th on,
// are numbers.
func markdownTable(head []string, rows [][]string, first, end int) string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(head)
	rule := make([]string, len(head))
	for i := range head {
		rule[i] = "---"
		if first <= i && i < end {
			rule[i] = "---:"
		}
	}
	line(rule)
	for _, r := range rows {
		line(r)
	}
	return b.String() + "\n"
}

// sets lists minimal repairs, a few.
func sets(repairs [][]string, more bool) string {
	const most = 5
	var out []string
	for i, r := range repairs {
		if i == most {
			more = true
			break
		}
		out = append(out, codes(r, " + "))
	}
	if more {
		out = append(out, "…")
	}
	return strings.Join(out, " or ")
}
