package report

import (
	"fmt"
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
		most, players := mostBlamed(c)
		blamed, names := span{most, plain}, t.fixNames(players)
		if len(players) == 0 {
			blamed.style, names = dim, "nobody"
		}
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

// mostBlamed returns the largest blame of a case as shown, and all players that
// have it; nobody does where none is above zero.
func mostBlamed(c *blame.CaseResult) (most string, players []string) {
	top := 0.0
	for _, v := range c.Shapley {
		top = max(top, v.Value)
	}
	if most = signed(top); most == signed(0) {
		return "-", nil
	}
	for _, v := range c.Shapley {
		if signed(v.Value) == most {
			players = append(players, v.Player)
		}
	}
	return most, players
}
