package blame

import (
	"math"

	"github.com/agentblame/agentblame/replay"
)

// boundedNodes is the largest part of a diagram that bounds are computed of:
// walking it under two coalitions at once may take its square.
const boundedNodes = 4096

// bounds fills in what is certain about a case whose exploration was cut off:
// where each player's value lies, whatever the unknown coalitions score, and
// whether one has the largest value for certain.
func (a *analysis) bounds(s *replay.Session, r *CaseResult, xs []*replay.Exploration) error {
	for _, x := range xs {
		if x.Diagram.Nodes() > boundedNodes {
			return nil
		}
	}
	g, err := a.newCaseGame(s, xs)
	if err != nil {
		return err
	}
	g.bounds(r)
	return nil
}

// bounds fills in what is certain of the game's values.
func (g *caseGame) bounds(r *CaseResult) {
	n := len(g.names)
	if n == 0 {
		return
	}
	share := 1 / float64(len(g.worlds))
	low, high := make([]float64, n), make([]float64, n)
	ahead := make([][]float64, n) // lower bounds of differences
	for i := range ahead {
		ahead[i] = make([]float64, n)
	}
	r.Coverage, r.CertainTop = 0, ""
	for _, d := range g.worlds {
		r.Coverage += share * d.Coverage()
		lo, hi := d.Bounds()
		for i := range n {
			low[i] += share * lo[i]
			high[i] += share * hi[i]
			differences, _ := d.DifferenceBounds(i)
			for j := range n {
				ahead[i][j] += share * differences[j]
			}
		}
	}
	bounds := make([]Bounds, n)
	for i := range bounds {
		bounds[i] = Bounds{max(-1, low[i]), min(1, high[i])}
	}
	r.Bounds = byPlayer(g.names, bounds)
	for i, name := range g.names {
		least := math.Inf(1)
		for j, d := range ahead[i] {
			if j != i {
				least = min(least, d)
			}
		}
		if n > 1 && least > 1e-12 {
			r.CertainTop = name
		}
	}
}

// intersect narrows the sampled values' intervals to what is certain.
func (r *CaseResult) intersect() {
	for k, i := range r.Intervals {
		if len(r.Bounds) <= k || r.Bounds[k].Player != i.Player {
			continue
		}
		b := r.Bounds[k].Value
		r.Intervals[k].Value = Bounds{max(i.Value.Low, b.Low), min(i.Value.High, b.High)}
	}
}
