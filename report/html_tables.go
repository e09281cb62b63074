package report

import (
	"fmt"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// stepsTable is the table of steps, the most blamed first.
func (h htmlWriter) stepsTable() *htmlTable {
	if len(h.r.Steps) == 0 {
		return nil
	}
	alone, harm, intervals := h.aloneKnown(), h.r.Harm != nil, len(h.r.Summary.Intervals) > 0
	head := []string{"step", "blame"}
	if intervals {
		head = append(head, level(h.r.Settings.Delta)+" interval")
	}
	head = append(head, "share")
	if alone {
		head = append(head, "resolves alone", "leave-one-out")
	}
	if harm {
		head = append(head, "breaks", "net")
	}
	head = append(head, "touched last")
	caption := "Steps, the most blamed first"
	if h.calls() {
		caption = "Steps: blame of their calls added up, which is not a step's own Shapley value"
	}
	t := &htmlTable{Caption: caption, Head: heads(head...)}
	for _, s := range h.sorted() {
		row := []string{signed(s.Shapley.Mean)}
		if intervals {
			row = append(row, interval(s.Shapley.Low, s.Shapley.High))
		}
		row = append(row, shareCell(&s).text)
		if alone {
			row = append(row, percent(s.Resolves), signed(s.LeaveOneOut))
		}
		if harm {
			row = append(row, rateCell(s.Breaks).text, netCell(s.Net).text)
		}
		t.Rows = append(t.Rows, htmlRow{s.Name, cells(unmarked(h.stepName(s.Name)), append(row, fmt.Sprint(s.LastTouch))...)})
	}
	if intervals {
		info := h.r.Summary.Intervals[0]
		t.Note = fmt.Sprintf("Interval: of the mean, by rule %s (%s), over %s.", Clean(info.Rule), Clean(info.Label), Clean(info.Over))
	}
	if harm && h.r.Harm.Cases > 0 {
		t.Note += fmt.Sprintf(" Breaks: of the %s tried. Net: change in the share of all cases that pass.", count(h.r.Harm.Cases, "passing case", "passing cases"))
		if p := h.r.Harm.Placebo; p != nil {
			t.Note += fmt.Sprintf(" Run again with fresh noise and no fix, %s of them fail by luck.", rateCell(p).text)
		}
	}
	return t
}

// stepNotes are what to be wary of.
func (h htmlWriter) stepNotes() [][]phrase {
	var out [][]phrase
	for _, line := range h.stepWarnings() {
		out = append(out, phrases(line))
	}
	for _, s := range h.r.Steps {
		var tried []string
		for _, v := range s.Variants {
			tried = append(tried, fmt.Sprintf("%s resolves %s", h.short(v.Name, nameWidth), percent(v.Resolves)))
		}
		if len(tried) > 0 {
			out = append(out, phrases("Variants of "+h.short(s.Name, nameWidth)+", each tried alone: "+strings.Join(tried, "; ")+"."))
		}
	}
	return out
}

func (h htmlWriter) groupsTable() *htmlTable {
	if len(h.r.Groups) == 0 {
		return nil
	}
	t := &htmlTable{Caption: "Groups of steps", Head: heads("group", "blame", "members")}
	for _, g := range h.r.Groups {
		row := cells(g.Name, signed(g.Shapley))
		t.Rows = append(t.Rows, htmlRow{Cells: append(row, htmlCell{Text: h.fixNames(g.Members)})})
	}
	t.Head[2].Number = false
	return t
}

func (h htmlWriter) naiveTable() *htmlNaive {
	if len(h.r.Steps) < 2 {
		return nil
	}
	rules := h.naiveRules()
	head := []string{"step", "Shapley", "touched last"}
	if len(rules) > 1 {
		head = append(head, "fix alone", "leave-one-out")
	}
	n := &htmlNaive{Table: &htmlTable{Caption: "Simple rules beside the Shapley value", Head: heads(head...)}}
	for _, s := range h.sorted() {
		row := []string{signed(s.Shapley.Mean), fmt.Sprint(s.LastTouch)}
		if len(rules) > 1 {
			row = append(row, signed(s.FixAlone), signed(s.LeaveOneOut))
		}
		n.Table.Rows = append(n.Table.Rows, htmlRow{s.Name, cells(unmarked(h.stepName(s.Name)), row...)})
	}
	for _, line := range h.naive() {
		n.Notes = append(n.Notes, phrases(line))
	}
	return n
}

// casesTable has every listed case's numbers, for those who read without scripts.
func (h htmlWriter) casesTable() *htmlTable {
	t := &htmlTable{Caption: "All listed cases"}
	players := playersOf(h.r)
	const most = 12
	head := []string{"case", "score", "all fixed", "cost"}
	wide := len(players) <= most
	if wide {
		for _, p := range players {
			head = append(head, Clean(p))
		}
	} else {
		head = append(head, "blame")
	}
	t.Head = append(heads(head...), htmlHead{Text: "minimal repairs, or why there are no values"})
	for i := range h.r.Cases {
		c := &h.r.Cases[i]
		row := cells(c.ID, scoreOrDash(c.Score, h.r.Settings.Pass), scoreOrDash(c.ScoreFixed, h.r.Settings.Pass), amount(c.Cost))
		if wide {
			for _, p := range players {
				row = append(row, blameCell(c, p))
			}
		} else {
			row = append(row, htmlCell{Text: blames(c)})
		}
		t.Rows = append(t.Rows, htmlRow{Cells: append(row, htmlCell{Text: h.outcome(c)})})
	}
	return t
}

func scoreOrDash(x *float64, pass float64) string {
	if x == nil {
		return "–"
	}
	return score(*x, pass)
}

func blameCell(c *blame.CaseResult, player string) htmlCell {
	for _, v := range c.Shapley {
		if v.Player == player {
			return cells("", signed(v.Value))[1]
		}
	}
	return htmlCell{"", "num"}
}

// blames lists the players of a case that have any blame.
func blames(c *blame.CaseResult) string {
	var out []string
	for _, v := range c.Shapley {
		if signed(v.Value) != signed(0) {
			out = append(out, Clean(v.Player)+" "+signed(v.Value))
		}
	}
	return strings.Join(out, ", ")
}

// outcome says what repairs a case, or why that isn't known.
func (h htmlWriter) outcome(c *blame.CaseResult) string {
	switch {
	case c.Undefined != "":
		return "undefined: " + unmarked(h.short(c.Undefined, 1000))
	case c.Passed:
		return "passes"
	}
	return Clean(repairSets(c))
}
