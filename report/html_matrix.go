package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/agentblame/agentblame/blame"
)

type htmlUpset struct {
	Steps  []string
	Groups []htmlGroup
	More   string
}

type htmlGroup struct {
	Index, Count, Width int
	Sets                []htmlSet
	SuchAs, Note        string
}

type htmlSet struct{ Dots []bool }

// upset is the failures by what repairs them, a row a minimal repair.
func (h htmlWriter) upset() *htmlUpset {
	const most, sets, columns = 15, 4, 24
	groups := h.r.RepairGroups
	if len(groups) == 0 {
		return nil
	}
	named := map[string]bool{}
	for _, g := range groups {
		for _, s := range g.MinimalRepairs {
			for _, p := range s {
				named[p] = true
			}
		}
	}
	u := &htmlUpset{}
	var players []string
	for _, p := range playersOf(h.r) {
		if named[p] {
			players = append(players, p)
			delete(named, p)
		}
	}
	for p := range named { // of cases that aren't listed
		players = append(players, p)
	}
	slices.Sort(players[len(players)-len(named):])
	if len(players) > columns {
		players = players[:columns]
		u.More = fmt.Sprintf("Only the first %d steps are shown. ", columns)
	}
	for _, p := range players {
		u.Steps = append(u.Steps, Clean(p))
	}
	largest := 0
	for _, g := range groups {
		largest = max(largest, g.Count)
	}
	for i, g := range groups {
		if i == most {
			u.More += fmt.Sprintf("%s more.", count(len(groups)-most, "group", "groups"))
			break
		}
		row := htmlGroup{Index: i, Count: g.Count, Width: max(2, 120*g.Count/max(largest, 1)), SuchAs: h.fixNames(g.Cases)}
		for k, s := range g.MinimalRepairs {
			if k == sets {
				row.Note = fmt.Sprintf("and %d more sets", len(g.MinimalRepairs)-sets)
				break
			}
			dots := make([]bool, len(players))
			for at, p := range players {
				dots[at] = slices.Contains(s, p)
			}
			row.Sets = append(row.Sets, htmlSet{dots})
		}
		if len(g.MinimalRepairs) == 0 {
			row.Sets, row.Note = []htmlSet{{make([]bool, len(players))}}, "nothing repairs them"
		}
		u.Groups = append(u.Groups, row)
	}
	return u
}

type htmlHeat struct {
	Names []string
	Rows  []htmlHeatRow
}

type htmlHeatRow struct {
	Name  string
	Cells []htmlHeatCell
}

type htmlHeatCell struct{ Text, Class, Title, Strength string }

// heat is the pairs of fixes as a matrix.
func (h htmlWriter) heat() *htmlHeat {
	const most = 16
	if len(h.r.Interactions) == 0 {
		return nil
	}
	strength := map[string]float64{}
	pairs := map[[2]string]blame.Interaction{}
	top := 0.0
	for _, x := range h.r.Interactions {
		pairs[x.Players] = x
		top = max(top, math.Abs(x.SII))
		for _, p := range x.Players {
			strength[p] += math.Abs(x.SII)
		}
	}
	var names []string
	for _, s := range h.r.Steps {
		if strength[s.Name] > 0 {
			names = append(names, s.Name)
		}
	}
	if len(names) > most { // those that interact most
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(strength[b], strength[a]) })
		names = names[:most]
	}
	if len(names) < 2 {
		return nil
	}
	out := &htmlHeat{}
	for _, a := range names {
		out.Names = append(out.Names, Clean(a))
		row := htmlHeatRow{Name: Clean(a)}
		for _, b := range names {
			x, ok := pairs[[2]string{a, b}]
			if !ok {
				x, ok = pairs[[2]string{b, a}]
			}
			switch {
			case a == b:
				row.Cells = append(row.Cells, htmlHeatCell{Class: "none"})
			case !ok:
				row.Cells = append(row.Cells, htmlHeatCell{Text: "0", Class: "zero"})
			default:
				class := "synergy"
				if x.SII < 0 {
					class = "redundancy"
				}
				row.Cells = append(row.Cells, htmlHeatCell{
					Text: twoDigits(x.SII), Class: class, Strength: fmt.Sprintf("%.2f", math.Abs(x.SII)/max(top, 1e-9)),
					Title: fmt.Sprintf("%s + %s: %s, SII %s", Clean(a), Clean(b), Clean(x.Kind), signed(x.SII)),
				})
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

// twoDigits formats a difference for a narrow cell. Nothing is shown as −0.
func twoDigits(x float64) string {
	s := fmt.Sprintf("%+.2f", x)
	if s == "-0.00" {
		return "+0.00"
	}
	return s
}
