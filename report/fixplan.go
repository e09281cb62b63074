package report

import (
	"fmt"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// fixPlan adds which fixes are worth making together.
func (t *text) fixPlan() {
	p := t.r.Plan
	if p == nil || len(p.Sets) == 0 {
		return
	}
	tab := table{columns: []column{
		{head: "fixes", least: 20},
		{head: "resolve", right: true},
	}}
	legend := "resolve: of the analysed failures"
	measured := false
	for _, s := range p.Sets {
		measured = measured || s.Breaks != nil
	}
	if !p.Exact {
		tab.columns = append(tab.columns, column{head: "at best", right: true, drop: 2})
		legend += "; at best: how much more the best set of that size could resolve"
	}
	if measured {
		tab.columns = append(tab.columns, column{head: "break", right: true}, column{head: "net", right: true})
		legend += "; break: of the passing cases tried; net: change in the share of all cases that pass"
	}
	tab.columns = append(tab.columns, column{head: "cost a run", right: true, drop: 1})
	for _, s := range p.Sets {
		row := []span{{t.fixNames(s.Fixes), plain}, {percent(s.Resolves), plain}}
		if !p.Exact {
			row = append(row, span{signedPercent(s.Gap), plain})
		}
		if measured {
			row = append(row, rateCell(s.Breaks), netCell(s.Net))
		}
		tab.rows = append(tab.rows, append(row, span{amount(s.Cost), plain}))
	}
	title := "fix plan: the best sets of 1, 2, … fixes"
	if !p.Exact {
		title = "fix plan: one more fix at a time (not all sets were compared)"
	}
	t.heading(title)
	t.leftOut(t.table(tab))
	t.prose(2, 2, legend+".", dim)
}

// fixNames lists the fixes of a set.
func (t *text) fixNames(fixes []string) string {
	var names []string
	for _, f := range fixes {
		names = append(names, Clean(f))
	}
	return strings.Join(names, ", ")
}

// repairGroups adds the analysed failures by what repairs them, where that says
// more than the list of cases.
func (t *text) repairGroups() {
	groups := t.r.RepairGroups
	shared := false
	for _, g := range groups {
		shared = shared || g.Count > 1
	}
	if !shared {
		return
	}
	most := len(groups)
	if !t.o.Verbose {
		most = min(most, 10)
	}
	t.heading(t.title("failures by what repairs them", most, len(groups)))
	tab := table{columns: []column{{head: "failures", right: true}, {head: "minimal repairs", least: 24}, {head: "such as", least: 12, drop: 1}}}
	for _, g := range groups[:most] {
		repairs := span{t.groupRepairs(g), plain}
		if len(g.MinimalRepairs) == 0 {
			repairs = span{"none", yellow}
		}
		tab.rows = append(tab.rows, []span{{fmt.Sprint(g.Count), plain}, repairs, {t.fixNames(g.Cases), plain}})
	}
	t.leftOut(t.table(tab))
	if more := len(groups) - most; more > 0 {
		t.prose(2, 2, fmt.Sprintf("… %d more", more), dim)
	}
}

func (t *text) groupRepairs(g blame.RepairGroup) string {
	var sets []string
	for _, r := range g.MinimalRepairs {
		sets = append(sets, t.set(r))
	}
	if g.Cut {
		sets = append(sets, "…")
	}
	return strings.Join(sets, ", ")
}
