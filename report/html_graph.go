package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

type htmlGraph struct {
	How, Alt                    string
	Width, Height, NodeW, NodeH float64
	Edges                       []htmlEdge
	Pairs                       []htmlPair
	Nodes                       []htmlNode
}

type htmlEdge struct {
	Path  string
	Guess bool
}

type htmlPair struct {
	Kind, Path, Text string
	X, Y             float64
}

type htmlNode struct {
	Name, Short, Sub, Title string
	X, Y, TextX, TextY      float64
	SubY                    float64
	Opacity                 string
	Player                  bool
}

// mostPairs is how many interactions the graph shows: the strongest.
const mostPairs = 6

// graph is the pipeline in layers, each step right of what it needs. Of a program
// only the order of its steps is known.
func (h htmlWriter) graph() *htmlGraph {
	steps := h.r.Pipeline.Steps
	if len(steps) == 0 || len(steps) > 64 {
		return nil
	}
	needs := map[string][]string{}
	known := false
	var names []string
	for _, s := range steps {
		known = known || len(s.Needs) > 0
	}
	for _, s := range steps {
		for _, n := range s.Needs { // inputs are nodes too
			if !slices.Contains(names, n) && !slices.ContainsFunc(steps, func(o blame.StepInfo) bool { return o.Name == n }) {
				names = append(names, n)
			}
		}
	}
	for i, s := range steps {
		names = append(names, s.Name)
		needs[s.Name] = s.Needs
		if !known && i > 0 {
			needs[s.Name] = []string{steps[i-1].Name}
		}
	}
	layer := layers(names, needs)
	g := &htmlGraph{NodeW: 128, NodeH: 44, How: "Steps are filled by their share of the blame; curves are pairs of fixes that need each other (green) or do each other's work (orange)."}
	if !known {
		g.How = "The pipeline decides as it goes, so only the order of its steps is known. " + g.How
	}
	rows := map[int]int{}
	place := map[string][2]float64{}
	const gapX, gapY = 48.0, 22.0
	wide := 4.0
	// Arcs stand over the nodes, each higher than the one before.
	over := 14 + 20*float64(min(len(h.r.Interactions), mostPairs))
	for _, n := range names {
		at := layer[n]
		x, y := 4+float64(at)*(g.NodeW+gapX), over+float64(rows[at])*(g.NodeH+gapY)
		rows[at]++
		place[n] = [2]float64{x, y}
		wide = max(wide, x+g.NodeW+4)
		g.Height = max(g.Height, y+g.NodeH+8)
	}
	g.Width = wide
	for _, n := range names {
		for _, from := range needs[n] {
			if a, ok := place[from]; ok {
				b := place[n]
				x0, y0, x1, y1 := a[0]+g.NodeW, a[1]+g.NodeH/2, b[0], b[1]+g.NodeH/2
				bend := (x1 - x0) / 2
				g.Edges = append(g.Edges, htmlEdge{fmt.Sprintf("M%g %gC%g %g %g %g %g %g", x0, y0, x0+bend, y0, x1-bend, y1, x1, y1), !known})
			}
		}
	}
	h.pairsOf(g, place)
	share := map[string]*float64{}
	for _, s := range h.r.Steps {
		share[s.Name] = s.Share
	}
	var alt []string
	for _, n := range names {
		at := place[n]
		node := htmlNode{Name: n, Short: h.clip(n, 16), X: at[0], Y: at[1], TextX: at[0] + g.NodeW/2, TextY: at[1] + 18, SubY: at[1] + 35, Opacity: "0", Title: Clean(n)}
		s := share[n]
		switch {
		case s != nil:
			node.Player, node.Sub, node.Opacity = true, percent(*s), fmt.Sprintf("%.2f", math.Max(0, math.Min(1, *s))*0.4)
			node.Title += ": " + percent(*s) + " of the blame"
		case slices.ContainsFunc(h.r.Steps, func(r blame.StepResult) bool { return r.Name == n }):
			node.Player, node.Sub = true, "no share"
		case slices.ContainsFunc(steps, func(o blame.StepInfo) bool { return o.Name == n }):
			node.Sub = "no fix"
		default:
			node.Sub = "input"
		}
		alt = append(alt, node.Title)
		g.Nodes = append(g.Nodes, node)
	}
	g.Alt = strings.Join(alt, "; ") + "."
	return g
}

// pairsOf adds the strongest interactions as arcs over the nodes.
func (h htmlWriter) pairsOf(g *htmlGraph, place map[string][2]float64) {
	top := 0.0
	for i, x := range h.r.Interactions {
		a, okA := place[x.Players[0]]
		b, okB := place[x.Players[1]]
		if i >= mostPairs || !okA || !okB {
			break
		}
		top = max(top, math.Abs(x.SII))
		if math.Abs(x.SII) < top/10 {
			break
		}
		if a[0] > b[0] {
			a, b = b, a
		}
		kind := "synergy"
		if x.SII < 0 {
			kind = "redundancy"
		}
		x0, x1 := a[0]+g.NodeW/2, b[0]+g.NodeW/2
		height := 22 + 24*float64(i)
		if x0 == x1 { // one above the other: around the side
			x0, x1 = a[0]+g.NodeW, b[0]+g.NodeW
			g.Pairs = append(g.Pairs, htmlPair{kind, fmt.Sprintf("M%g %gC%g %g %g %g %g %g", x0, a[1]+g.NodeH/2, x0+30, a[1]+g.NodeH/2, x1+30, b[1]+g.NodeH/2, x1, b[1]+g.NodeH/2), twoDigits(x.SII), x0 + 26, (a[1] + b[1] + g.NodeH) / 2})
			continue
		}
		y := min(a[1], b[1]) - height
		g.Pairs = append(g.Pairs, htmlPair{kind, fmt.Sprintf("M%g %gC%g %g %g %g %g %g", x0, a[1], x0, y, x1, y, x1, b[1]), twoDigits(x.SII), (x0 + x1) / 2, round1((a[1]+b[1])/8 + y*0.75 + 4)})
	}
}

// layers gives each name the length of the longest way to it.
func layers(names []string, needs map[string][]string) map[string]int {
	out := map[string]int{}
	for range names { // as many rounds as the longest way may have
		changed := false
		for _, n := range names {
			for _, from := range needs[n] {
				if from != n && out[from]+1 > out[n] && out[n] < len(names) {
					out[n] = out[from] + 1
					changed = true
				}
			}
		}
		if !changed {
			break
		}
	}
	return out
}
