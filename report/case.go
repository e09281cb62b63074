package report

import (
	"fmt"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// oneCase adds an analysed case in full: its line, its table, its repairs.
func (t *text) oneCase(c *blame.CaseResult) {
	t.prose(0, 2, t.caseLine(c), bold)
	player := "step"
	if t.calls() {
		player = "call"
	}
	tab := table{columns: []column{{head: player, least: 12}}, rows: make([][]span, len(c.Shapley))}
	values := make([]float64, len(c.Shapley))
	add := func(col column, cell func(v blame.PlayerValue[float64]) span) {
		tab.columns = append(tab.columns, col)
		for i, v := range c.Shapley {
			tab.rows[i] = append(tab.rows[i], cell(v))
		}
	}
	for i, v := range c.Shapley {
		values[i] = v.Value
		tab.rows[i] = []span{{t.stepName(v.Player), plain}}
	}
	if c.FixAlone != nil {
		add(column{head: "fix alone", right: true, drop: 2}, func(v blame.PlayerValue[float64]) span { return value(c.FixAlone.Get(v.Player)) })
	}
	if c.LeaveOneOut != nil {
		add(column{head: "leave-one-out", right: true, drop: 1}, func(v blame.PlayerValue[float64]) span { return value(c.LeaveOneOut.Get(v.Player)) })
	}
	add(column{head: "Shapley"}, func(v blame.PlayerValue[float64]) span {
		s := value(v.Value)
		s.text = withFraction(v.Value, c.ShapleyExact.Get(v.Player))
		return s
	})
	if c.Intervals != nil {
		add(column{head: level(t.r.Settings.Delta) + " interval", drop: 3}, func(v blame.PlayerValue[float64]) span {
			b := c.Intervals.Get(v.Player)
			return span{interval(&b.Low, &b.High), plain}
		})
	}
	more := []struct {
		head   string
		values blame.ByPlayer[float64]
		show   bool
	}{
		{"ordered", c.ShapleyOrdered, true},
		{"Owen", c.Owen, t.o.Verbose || !t.calls()},
		{"responsibility", c.Responsibility, t.o.Verbose},
	}
	for i, m := range more {
		if m.values != nil && m.show {
			add(column{head: m.head, right: true, drop: 10 - i}, func(v blame.PlayerValue[float64]) span { return value(m.values.Get(v.Player)) })
		}
	}
	if c.Bounds != nil && t.o.Verbose {
		add(column{head: "for certain", drop: 4}, func(v blame.PlayerValue[float64]) span {
			b := c.Bounds.Get(v.Player)
			return span{interval(&b.Low, &b.High), plain}
		})
	}
	tab.bars = bars(values)
	t.leftOut(t.table(tab))
	t.prose(2, 4, "minimal repairs: "+t.repairs(c, false), plain)
	if r := c.CheapestRepair; r != nil && len(c.MinimalRepairs) > 1 {
		t.prose(2, 4, "cheapest repair: "+t.set(r.Fixes)+", whose fixes cost "+amount(r.Cost)+" a run", plain)
	}
	touch := "none: the fixes change no output"
	if c.LastTouch != "" {
		touch = t.short(c.LastTouch, nameWidth)
	}
	t.prose(2, 4, "last touch: "+touch, plain)
	if c.Intervals != nil {
		about := "intervals: over "
		if c.Unbiased != nil {
			about = "intervals: about the unbiased estimate from random orders, over "
		}
		t.prose(2, 4, about+Clean(c.IntervalsCover)+", for all players at once", plain)
	}
	if c.Reason != "" {
		t.prose(2, 4, "method: "+Clean(c.Method)+", since "+Clean(c.Reason), plain)
	}
	if c.Coverage > 0 {
		line := "explored before the limit: " + percent(c.Coverage) + " of the coalitions"
		if c.CertainTop != "" {
			line += "; whatever the others score, the most blamed is " + t.short(c.CertainTop, nameWidth)
		}
		t.prose(2, 4, line, plain)
	}
	t.interactions(c.Interactions, "pairs of fixes")
}

// caseLine is a case's title: its scores, and what its values are made of.
func (t *text) caseLine(c *blame.CaseResult) string {
	pass := t.r.Settings.Pass
	line := "case " + t.short(c.ID, nameWidth) + ":"
	if c.Score != nil {
		line += " score " + score(*c.Score, pass) + " as run"
	}
	if c.ScoreAsRun != nil {
		line += ", " + score(*c.ScoreAsRun, pass) + " without fixes over the worlds"
	}
	if c.ScoreFixed != nil {
		line += ", " + score(*c.ScoreFixed, pass) + " with every fix"
	}
	made := []string{Clean(c.Method)}
	if c.Permutations > 0 {
		made = append(made, count(c.Permutations, "order", "orders"))
	}
	if c.Coalitions == 1 {
		made = append(made, "1 coalition")
	} else {
		made = append(made, coalitions(c.Coalitions)+" coalitions")
	}
	if c.Worlds > 0 {
		made = append(made, count(c.Worlds, "world", "worlds"))
	}
	made = append(made, "cost "+amount(c.Cost))
	if c.CostUncached > 0 {
		made = append(made, "uncached "+amount(c.CostUncached))
	}
	if c.Stopped != "" {
		made = append(made, "ended by "+Clean(c.Stopped))
	}
	return line + "  " + strings.ReplaceAll("["+strings.Join(made, ", ")+"]", " ", glue)
}

// repairs lists a case's minimal repairs, each with the share of worlds in which
// it is one, if there are several: all, or for a cell of a table and a short
// report the first few.
func (t *text) repairs(c *blame.CaseResult, cell bool) string {
	switch {
	case c.MinimalRepairs == nil:
		return "not known"
	case len(c.MinimalRepairs) == 0:
		return "none: no combination of these fixes makes it pass"
	}
	most := 10
	if t.o.Verbose && !cell {
		most = len(c.MinimalRepairs)
	}
	var sets []string
	for i, r := range c.MinimalRepairs[:min(most, len(c.MinimalRepairs))] {
		set := t.set(r)
		if i < len(c.MinimalRepairsFrequency) {
			set += " in " + percent(c.MinimalRepairsFrequency[i])
		}
		sets = append(sets, strings.ReplaceAll(set, " ", glue))
	}
	switch {
	case c.MinimalRepairsCut && c.MinimalRepairsCount == "":
		sets = append(sets, "…")
	case c.MinimalRepairsCut:
		sets = append(sets, "… ("+t.short(c.MinimalRepairsCount, nameWidth)+" in all)")
	case len(c.MinimalRepairs) > most:
		sets = append(sets, fmt.Sprintf("… (%d in all)", len(c.MinimalRepairs)))
	}
	return strings.Join(sets, ", ")
}

// set is a coalition, "{writer, reviewer}".
func (t *text) set(players []string) string {
	var names []string
	for _, p := range players {
		names = append(names, t.short(p, nameWidth))
	}
	return "{" + strings.Join(names, ", ") + "}"
}
