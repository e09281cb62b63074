package report

import (
	"fmt"

	"github.com/agentblame/agentblame/blame"
)

// careful warns when a step to fix first breaks what passes today.
func (t *text) careful() []string {
	var out []string
	leaders, _ := t.leaders()
	for _, s := range leaders {
		if s.Breaks != nil && s.Breaks.Count > 0 {
			out = append(out, fmt.Sprintf("Careful: fixing %s alone breaks %d of the %s tried.",
				t.short(s.Name, nameWidth), s.Breaks.Count, count(s.Breaks.Of, "passing case", "passing cases")))
		}
	}
	return out
}

// harm adds what each fix alone breaks of what passes today.
func (t *text) harm() {
	h := t.r.Harm
	if h == nil || h.Cases == 0 {
		return
	}
	if !t.o.Verbose && h.Placebo == nil && t.breakNothing() {
		t.heading("harm")
		t.prose(2, 2, fmt.Sprintf("No single fix breaks any of the %s tried (at %s: at most %s of all, for %s at once).",
			count(h.Cases, "passing case", "passing cases"), level(t.r.Settings.Delta), percent(t.r.Steps[0].Breaks.High), count(h.Candidates, "rate", "rates")), plain)
		t.cut(h)
		return
	}
	t.heading("harm: what single fixes break of " + count(h.Cases, "passing case", "passing cases"))
	tab := table{columns: []column{
		{head: "step", least: 12},
		{head: "breaks", right: true},
		{head: level(t.r.Settings.Delta) + " interval", drop: 1},
		{head: "net", right: true},
	}}
	for _, s := range t.r.Steps {
		if s.Breaks != nil {
			tab.rows = append(tab.rows, []span{{t.stepName(s.Name), plain}, rateCell(s.Breaks), {rateInterval(s.Breaks), plain}, netCell(s.Net)})
		}
	}
	if h.Placebo != nil {
		tab.rows = append(tab.rows, []span{{"(placebo)", dim}, rateCell(h.Placebo), {rateInterval(h.Placebo), plain}, {"", plain}})
	}
	t.leftOut(t.table(tab))
	legend := fmt.Sprintf("net: change in the share of all cases that pass; intervals: for all %s measured at once", count(h.Candidates, "rate", "rates"))
	if h.Placebo != nil {
		legend += "; placebo: the same run again with fresh noise, which breaks some by luck"
		if p := h.PlaceboResolves; p != nil {
			legend += fmt.Sprintf(" and makes %s of %s pass", percent(p.Rate), count(p.Of, "failure", "failures"))
		}
	}
	t.prose(2, 2, legend+".", dim)
	t.cut(h)
}

// breakNothing says whether harm was measured of all fixes and none broke a case.
func (t *text) breakNothing() bool {
	for _, s := range t.r.Steps {
		if s.Breaks == nil || s.Breaks.Count > 0 {
			return false
		}
	}
	return len(t.r.Steps) > 0
}

func (t *text) cut(h *blame.Harm) {
	if h.Cut {
		t.prose(2, 2, "Not all of the sample could be replayed, so there are fewer cases than were to be tried.", yellow)
	}
}

// variants adds what each variant of a step does, where steps have several.
func (t *text) variants() {
	tab := table{columns: []column{
		{head: "step", least: 8},
		{head: "variant", least: 12},
		{head: "resolves", right: true},
		{head: "gain", right: true, drop: 1},
	}}
	measured := false
	for _, s := range t.r.Steps {
		for _, v := range s.Variants {
			measured = measured || v.Breaks != nil
		}
	}
	if measured {
		tab.columns = append(tab.columns, column{head: "breaks", right: true, drop: 4}, column{head: "net", right: true, drop: 3})
	}
	tab.columns = append(tab.columns, column{head: "which", drop: 2})
	for _, s := range t.r.Steps {
		for _, v := range s.Variants {
			row := []span{{t.stepName(s.Name), plain}, {Clean(v.Name), plain}, {percent(v.Resolves), plain}, value(v.FixAlone)}
			if measured {
				row = append(row, rateCell(v.Breaks), netCell(v.Net))
			}
			tab.rows = append(tab.rows, append(row, span{marks(v), plain}))
		}
	}
	if len(tab.rows) == 0 {
		return
	}
	t.heading("variants, each tried alone")
	t.leftOut(t.table(tab))
	t.prose(2, 2, "best: changes most for the better, as far as was measured; all blame is relative to the variants that were tried.", dim)
}

// marks says what a variant is among its step's.
func marks(v blame.VariantResult) string {
	switch {
	case v.Best && v.Tried:
		return "tried, best"
	case v.Best:
		return "best"
	case v.Tried:
		return "tried"
	}
	return ""
}

// rateCell is a share with its count, "6.5 % (3/46)", red when it isn't none.
func rateCell(r *blame.Rate) span {
	if r == nil {
		return span{"-", dim}
	}
	s := span{fmt.Sprintf("%s (%d/%d)", percent(r.Rate), r.Count, r.Of), plain}
	if r.Count > 0 {
		s.style = red
	}
	return s
}

func rateInterval(r *blame.Rate) string {
	return "[" + percent(r.Low) + ", " + percent(r.High) + "]"
}

// netCell is a change of a share, red below zero.
func netCell(net *float64) span {
	if net == nil {
		return span{"-", dim}
	}
	s := span{signedPercent(*net), plain}
	if s.text[0] == '-' {
		s.style = red
	}
	return s
}

// signedPercent formats a change of a share, "+41.7 %".
func signedPercent(x float64) string {
	s := fmt.Sprintf("%+.1f", 100*x)
	if s == "-0.0" {
		s = "+0.0"
	}
	return s + " %"
}
