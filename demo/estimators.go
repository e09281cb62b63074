package demo

import (
	"context"
	"fmt"
	"math"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/pipeline"
)

// An estimated is one way of estimating a case's values, and what came of it.
type estimated struct {
	name   string
	result *blame.CaseResult
	// err is the largest error of a step's value, and radius half the length of
	// the widest interval.
	err, radius float64
	// covered says that every interval holds its exact value.
	covered bool
}

// estimate estimates the values of a case in several ways.
func estimate(ctx context.Context, c pipeline.Case, exact blame.ByPlayer[float64]) ([]estimated, error) {
	var out []estimated
	add := func(name string, o blame.Options) error {
		o.Method = blame.Permutation
		r, err := blame.Case(ctx, Eight(), c, o)
		if err == nil && r.Undefined != "" {
			err = fmt.Errorf("undefined: %s", r.Undefined)
		}
		if err != nil {
			return fmt.Errorf("case %s: %s: %w", c.ID, name, err)
		}
		e := estimated{name: name, result: r, covered: true}
		for i, v := range exact {
			e.err = max(e.err, math.Abs(r.Shapley[i].Value-v.Value))
			interval := r.Intervals[i].Value
			e.radius = max(e.radius, (interval.High-interval.Low)/2)
			e.covered = e.covered && interval.Low <= v.Value && v.Value <= interval.High
		}
		out = append(out, e)
		return nil
	}
	for _, n := range []int{16, 64, 256, 1024} {
		if err := add("fixed, bernstein", blame.Options{Permutations: n}); err != nil {
			return nil, err
		}
	}
	adaptive := blame.Options{Permutations: 1 << 14, Stop: confseq.Top1}
	for _, rule := range []string{"hoeffding", "bernstein"} {
		adaptive.SampleRule = rule
		if err := add("top1, "+rule, adaptive); err != nil {
			return nil, err
		}
	}
	adaptive.Budget = 100
	err := add("top1, budget 100", adaptive)
	return out, err
}

// estimateTable prints how estimates compare with the exact values.
func (p *printer) estimateTable(es []estimated) {
	rows := [][]string{{"estimator", "perms", "coali-\ntions", "cost", "max\n|err|", "max CI\nradius", "covers\nexact", "stop"}}
	for _, e := range es {
		covers := "all"
		if !e.covered {
			covers = "not all"
		}
		rows = append(rows, []string{
			e.name, fmt.Sprint(e.result.Permutations), fmt.Sprint(e.result.Coalitions), fmt.Sprint(e.result.Cost),
			fmt.Sprintf("%.3f", e.err), fmt.Sprintf("%.3f", e.radius), covers, e.result.Stopped,
		})
	}
	p.table(1, rows)
	for _, e := range es {
		if e.result.Stopped == confseq.ReasonTop1 {
			p.leader(e)
			break
		}
	}
}

// leader prints what an estimate that stopped says of the first step.
func (p *printer) leader(e estimated) {
	at, rest := 0, -1.0
	for i, v := range e.result.Shapley {
		if v.Value > e.result.Shapley[at].Value {
			at = i
		}
	}
	for i, v := range e.result.Intervals {
		if i != at {
			rest = max(rest, v.Value.High)
		}
	}
	v, interval := e.result.Shapley[at], e.result.Intervals[at].Value
	p.printf("  %s: %s %s [%s, %s]; all others lie below %s.\n",
		e.name, v.Player, signed(v.Value), signed(interval.Low), signed(interval.High), signed(rest))
}
