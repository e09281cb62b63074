package demo

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
)

// EightShipped is the eight-step agent after some steps' fixes have been shipped:
// these steps run fixed, and are no players any more.
func EightShipped(steps ...string) *pipeline.Pipeline {
	p := Eight()
	for _, s := range p.Steps {
		if slices.Contains(steps, s.Name) {
			fixed := s.Impls[s.Fix("")]
			fixed.Name = ""
			s.Impls = []pipeline.Impl{fixed}
		}
	}
	return p
}

// How many fixes of the plan are shipped before harm is measured: enough that most
// cases pass.
const eightShips = 4

// shippedBatch analyses the batch again with some steps' fixes shipped, and tries
// the other fixes on every case that passes.
func shippedBatch(ctx context.Context, steps []string) (*blame.Result, error) {
	r, err := blame.BatchOf(ctx, EightShipped(steps...), EightCases{N: eightCases, Seed: eightSeed}, blame.Options{
		Method: blame.Exact, KeepCases: -1, Harm: eightCases,
	})
	if err != nil {
		return nil, fmt.Errorf("batch with %s shipped: %w", strings.Join(steps, ", "), err)
	}
	return r, nil
}

// shipped prints what the other fixes resolve and break once a plan's are shipped.
func (p *printer) shipped(ctx context.Context, plan *blame.FixPlan) error {
	steps := plan.Sets[eightShips-1].Fixes
	r, err := shippedBatch(ctx, steps)
	if err != nil {
		return err
	}
	p.printf(`
  Once the fix plan's best %d are shipped (%s),
  %d of the %d cases pass. What one more fix then resolves and breaks:

`, eightShips, strings.Join(steps, ", "), r.Summary.Passed, r.Summary.Cases)
	rows := [][]string{{"step", "mean\nShapley", "resolves", "breaks", "[95 % interval]", "net"}}
	for _, s := range byBlame(r.Steps) {
		interval := "[" + percent(s.Breaks.Low) + ", " + percent(s.Breaks.High) + "]"
		rows = append(rows, []string{s.Name, signed(s.Shapley.Mean), percent(s.Resolves), percent(s.Breaks.Rate), interval, signedPercent(*s.Net)})
	}
	p.table(1, rows)
	p.printf("  Resolves: of the %d failures; breaks: of the %d passes; net: of all cases.\n", r.Summary.Failures, r.Harm.Cases)
	return nil
}
