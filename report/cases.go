package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// failingCases adds the analysed cases: a line each, or all of it.
func (t *text) failingCases() {
	var cases []*blame.CaseResult
	for i := range t.r.Cases {
		if c := &t.r.Cases[i]; isAnalyzed(c) {
			cases = append(cases, c)
		}
	}
	shown := cases[:t.limit(len(cases))]
	t.heading(t.title("analysed failures", len(shown), len(cases)))
	if t.o.Verbose {
		for _, c := range shown {
			t.blank()
			t.oneCase(c)
		}
		return
	}
	if len(shown) == 0 {
		return
	}
	tab := table{columns: []column{
		{head: "case", least: 10},
		{head: "score", drop: 1},
		{head: "blame", right: true},
		{head: "most blamed", least: 12},
		{head: "minimal repairs", least: 16, drop: 2},
	}}
	for _, c := range shown {
		blamed, names := t.mostBlamed(c)
		repairs := span{strings.ReplaceAll(t.repairs(c, true), glue, " "), plain}
		switch {
		case c.MinimalRepairs == nil:
			repairs = span{"-", dim}
		case len(c.MinimalRepairs) == 0:
			repairs = span{"none", yellow}
		}
		tab.rows = append(tab.rows, []span{{Clean(c.ID), plain}, {t.scores(c), plain}, blamed, {names, plain}, repairs})
	}
	t.leftOut(t.table(tab))
	if more := len(cases) - len(shown); more > 0 {
		t.prose(2, 2, fmt.Sprintf("… %d more", more), dim)
	}
}

// title is a section's title that says how many entries there are.
func (t *text) title(what string, shown, all int) string {
	if shown < all {
		return fmt.Sprintf("%s (%d of %d)", what, shown, all)
	}
	return fmt.Sprintf("%s (%d)", what, all)
}

// scores is a case's score as run and with every fix.
func (t *text) scores(c *blame.CaseResult) string {
	pass, s := t.r.Settings.Pass, "-"
	if c.Score != nil {
		s = score(*c.Score, pass)
	}
	if c.ScoreFixed != nil {
		s += " → " + score(*c.ScoreFixed, pass)
	}
	return s
}

// mostBlamed returns the largest blame of a case, and all players that have it
// as shown.
func (t *text) mostBlamed(c *blame.CaseResult) (span, string) {
	most := math.Inf(-1)
	for _, v := range c.Shapley {
		most = max(most, v.Value)
	}
	if !(most > 0) || signed(most) == signed(0) {
		return span{"-", dim}, "nobody"
	}
	var names []string
	for _, v := range c.Shapley {
		if signed(v.Value) == signed(most) {
			names = append(names, Clean(v.Player))
		}
	}
	return span{signed(most), plain}, strings.Join(names, ", ")
}
