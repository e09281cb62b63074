package main

import (
	"context"
	"fmt"
	"math"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
)

// A Row is one pipeline after a share of the replays.
type Row struct {
	Pipeline string `json:"pipeline"`
	// Cases are the failing cases that the means are over.
	Cases int `json:"cases"`
	// Share is the budget, as a share of what the whole exploration costs.
	Share float64 `json:"share"`
	// Width is the mean width of the bounds of a Shapley value.
	Width float64 `json:"width"`
	// Difference is that of a difference of two, and Subtracted what the two
	// values' bounds give when they are subtracted.
	Difference float64 `json:"difference"`
	Subtracted float64 `json:"subtracted"`
	// Certain is the share of cases whose largest value is certain, of all cases
	// that have a single one.
	Certain float64 `json:"certain"`
	// Contained is the share of values and differences that lie within their
	// bounds: 1, or the bounds are wrong.
	Contained float64 `json:"contained"`
}

// steps is how many shares are measured, 0 and 1 besides.
const steps = 10

// slack is how much rounding is forgiven.
const slack = 1e-9

// measure explores the subject's cases under growing budgets.
func (s subject) measure(ctx context.Context) ([]Row, error) {
	rows := make([]Row, steps+1)
	for i := range rows {
		rows[i] = Row{Pipeline: s.name, Share: float64(i) / steps}
	}
	sums := make([]sum, steps+1)
	cases := 0
	for i := range s.given {
		c := &s.given[i]
		whole, cost, err := explore(ctx, s.pipeline, c, 0)
		if err != nil {
			return nil, fmt.Errorf("case %s: %w", c.ID, err)
		}
		if whole == nil {
			continue
		}
		cases++
		values := whole.Shapley(nil)
		for k := range sums {
			d := whole
			if k < steps {
				// A budget of 0 would be none.
				if d, _, err = explore(ctx, s.pipeline, c, max(cost*float64(k)/steps, 1e-6)); err != nil {
					return nil, fmt.Errorf("case %s at %d %%: %w", c.ID, 100*k/steps, err)
				}
			}
			sums[k].add(d, values)
		}
	}
	for k := range rows {
		sums[k].into(&rows[k])
		rows[k].Cases = cases
	}
	return rows, nil
}

// explore replays a case as far as the budget goes; it returns no diagram for a
// case that passes.
func explore(ctx context.Context, p *pipeline.Pipeline, c *pipeline.Case, budget float64) (d *game.Diagram, cost float64, err error) {
	e, err := replay.New(p, replay.Options{Budget: budget})
	if err != nil {
		return nil, 0, err
	}
	s, err := e.Case(c, 1)
	if err != nil {
		return nil, 0, err
	}
	if t := s.Run(ctx, 0, replay.Fixes{}, true); t.Err != nil || t.Score >= 1 {
		return nil, 0, t.Err
	}
	x, err := s.Explore(ctx, 0)
	if err != nil {
		return nil, 0, err
	}
	return x.Diagram, s.Cost(), nil
}

// A sum adds up what is certain about several cases.
type sum struct {
	width, difference, subtracted float64
	values, pairs, within, tops   int
	certain                       int
}

// add compares what a part of the game says with its exact values.
func (s *sum) add(d *game.Diagram, exact []float64) {
	lo, hi := d.Bounds()
	top, ties := 0, 0
	for i, v := range exact {
		if v > exact[top] {
			top = i
		}
		s.values++
		s.width += hi[i] - lo[i]
		s.count(lo[i], v, hi[i])
	}
	for i, v := range exact {
		if exact[top]-v < slack {
			ties++
		}
		below, above := d.DifferenceBounds(i)
		least := math.Inf(1)
		for j, w := range exact {
			if j == i {
				continue
			}
			s.pairs++
			s.difference += above[j] - below[j]
			s.subtracted += hi[i] - lo[j] - (lo[i] - hi[j])
			s.count(below[j], v-w, above[j])
			least = min(least, below[j])
		}
		if least > slack {
			s.certain++
		}
	}
	if ties == 1 {
		s.tops++
	}
}

func (s *sum) count(lo, v, hi float64) {
	if lo-slack <= v && v <= hi+slack {
		s.within++
	}
}

func (s *sum) into(r *Row) {
	r.Width = s.width / float64(s.values)
	r.Difference = s.difference / float64(s.pairs)
	r.Subtracted = s.subtracted / float64(s.pairs)
	r.Contained = float64(s.within) / float64(s.values+s.pairs)
	if s.tops > 0 {
		r.Certain = float64(s.certain) / float64(s.tops)
	}
}
