package report

import (
	"fmt"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// interactions adds the pairs of fixes that do more, or less, together than each
// does: of a batch or of one case, as they are given.
func (t *text) interactions(pairs []blame.Interaction, title string) {
	if len(pairs) == 0 {
		return
	}
	most := len(pairs)
	if !t.o.Verbose {
		most = shownPairs(pairs)
	}
	if most == 0 {
		return
	}
	counted := false
	for _, x := range pairs {
		counted = counted || x.Synergies+x.Redundancies > 0
	}
	tab := table{columns: []column{{head: "pair", least: 20}, {head: "kind"}, {head: "SII", right: !hasFractions(pairs)}}}
	if counted {
		tab.columns = append(tab.columns, column{head: "synergies", right: true, drop: 2}, column{head: "redundancies", right: true, drop: 1})
	}
	if t.o.Verbose {
		tab.columns = append(tab.columns, column{head: "STII", right: true, drop: 3}, column{head: "FSII", right: true, drop: 4}, column{head: "BII", right: true, drop: 5})
	}
	for _, x := range pairs[:most] {
		sii := value(x.SII)
		if x.Exact != nil {
			sii.text = withFraction(x.SII, x.Exact.SII)
		}
		row := []span{{Clean(x.Players[0]) + " + " + Clean(x.Players[1]), plain}, {Clean(x.Kind), plain}, sii}
		if counted {
			row = append(row, span{fmt.Sprint(x.Synergies), plain}, span{fmt.Sprint(x.Redundancies), plain})
		}
		if t.o.Verbose {
			row = append(row, value(x.STII), value(x.FSII), value(x.BII))
		}
		tab.rows = append(tab.rows, row)
	}
	t.heading(t.title(title, most, len(pairs)))
	t.leftOut(t.table(tab))
	if more := len(pairs) - most; more > 0 {
		t.prose(2, 2, fmt.Sprintf("… %d more", more), dim)
	}
	t.prose(2, 2, "synergy: the two fixes need each other; redundancy: either does the other's work; SII: the Shapley interaction index.", dim)
}

// shownPairs is how many pairs, the strongest, a short report shows: four at
// most, and none that reads as 0.
func shownPairs(pairs []blame.Interaction) int {
	n := 0
	for n < min(4, len(pairs)) && signed(pairs[n].SII) != signed(0) {
		n++
	}
	return n
}

func hasFractions(pairs []blame.Interaction) bool {
	for _, x := range pairs {
		if x.Exact != nil {
			return true
		}
	}
	return false
}

// groups adds blame by group: agents of several steps, steps of several calls.
func (t *text) groups() {
	if len(t.r.Groups) == 0 {
		return
	}
	tab := table{columns: []column{{head: "group", least: 12}, {head: "mean Shapley", right: true}, {head: "members", least: 16, drop: 1}}}
	means := make([]float64, len(t.r.Groups))
	for i, g := range t.r.Groups {
		means[i] = g.Shapley
		tab.rows = append(tab.rows, []span{{Clean(g.Name), plain}, value(g.Shapley), {t.fixNames(g.Members), plain}})
	}
	tab.bars = bars(means)
	title := "blame by group"
	if t.calls() {
		title += ": all calls of a step, or of several steps, as one player"
	}
	t.heading(title)
	t.leftOut(t.table(tab))
}

// necessity adds how far each fix is necessary and sufficient.
func (t *text) necessity() {
	tab := table{columns: []column{
		{head: "step", least: 12}, {head: "sufficient", right: true}, {head: "necessary", right: true}, {head: "responsibility", right: true},
	}}
	exact := true
	for _, s := range t.r.Steps {
		if s.Necessity == nil && s.Responsibility == nil {
			continue
		}
		row := []span{{t.stepName(s.Name), plain}, {"-", dim}, {"-", dim}, {"-", dim}}
		if n := s.Necessity; n != nil {
			exact = exact && n.Exact
			row[1].text, row[2].text = share(n.Sufficient), share(n.Necessary)
		}
		if s.Responsibility != nil {
			row[3].text = strings.TrimPrefix(signed(*s.Responsibility), "+")
		}
		tab.rows = append(tab.rows, row)
	}
	if len(tab.rows) == 0 {
		return
	}
	t.heading("necessity and sufficiency")
	t.leftOut(t.table(tab))
	legend := "sufficient: repairs the failure alone; necessary: all other fixes together don't repair it; responsibility: one over the size of the smallest minimal repair with the fix"
	if !exact {
		legend += "; only bounds are known, for lack of the factual noise"
	}
	t.prose(2, 2, legend+".", dim)
}

// share formats a share that is known or bounded.
func share(b blame.Bounds) string {
	if percent(b.Low) == percent(b.High) {
		return percent(b.Low)
	}
	return percent(b.Low) + " to " + percent(b.High)
}
