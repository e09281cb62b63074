package demo

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/confseq"
)

// The batch that eight shows, and the longest stream of its adaptive batch.
const (
	eightCases  = 400
	eightSeed   = 595
	eightStream = 3000
)

// runEight shows the eight-step agent: one case exactly and estimated, a batch,
// and batches that stop by themselves. The result is that of the batch.
func runEight(ctx context.Context, p *printer) (*blame.Result, error) {
	p.printf(`eight: intake → router → planner → search → extractor → calculator → drafter →
guardrail answer a finance question. It takes the right desk, all the evidence,
a correct number and a draft that isn't blocked.
`)
	cases := EightCases{N: eightCases, Seed: eightSeed}
	batch, err := blame.BatchOf(ctx, Eight(), cases, blame.Options{Method: blame.Exact})
	if err != nil {
		return batch, err
	}
	first := &batch.Cases[0]
	p.printf("\n1) Case %s exactly, over 2^%d = %.0f coalitions: cost %.0f, uncached %.0f\n\n",
		first.ID, len(first.Shapley), first.Coalitions, first.Cost, first.CostUncached)
	p.caseTable(first)

	estimates, err := estimate(ctx, cases.At(0), first.Shapley)
	if err != nil {
		return batch, err
	}
	p.printf("\n2) The same case estimated from random orders of the steps\n\n")
	p.estimateTable(estimates)

	p.printf("\n3) Batch, exact\n\n")
	p.batchTable(batch)

	p.printf("\n4) A fix that does harm\n\n")
	p.harm(batch)
	if err := p.shipped(ctx, batch.Plan); err != nil {
		return batch, err
	}
	if p.err != nil {
		return batch, p.err
	}

	p.printf("\n5) Batches that stop when the step to blame is known (%d cases, delta %v)\n\n", eightStream, batch.Settings.Delta)
	if err := p.adaptive(ctx); err != nil {
		return batch, err
	}
	return batch, nil
}

// caseTable prints one case's values.
func (p *printer) caseTable(c *blame.CaseResult) {
	rows := [][]string{{"step", "Shapley", "fix alone", "leave-one-out"}}
	for i, v := range c.Shapley {
		rows = append(rows, []string{v.Player, withFraction(v.Value, c.ShapleyExact[i].Value), signed(c.FixAlone[i].Value), signed(c.LeaveOneOut[i].Value)})
	}
	p.table(2, rows)
	var sets []string
	for _, set := range c.MinimalRepairs {
		sets = append(sets, "{"+strings.Join(set, ", ")+"}")
	}
	p.printf("  Minimal repairs: %s.\n", strings.Join(sets, ",\n    "))
}

// harm shows the case in which the router's fix does the most harm.
func (p *printer) harm(r *blame.Result) {
	var worst *blame.CaseResult
	count := 0
	for i := range r.Cases {
		c := &r.Cases[i]
		if router := c.Shapley.Get("router"); router < 0 {
			count++
			if worst == nil || router < worst.Shapley.Get("router") {
				worst = c
			}
		}
	}
	if worst == nil {
		p.printf("  In no case of the batch.\n")
		return
	}
	p.printf(`  The router's fix is an LLM classifier, which mis-routes under some noise.
  In %d of the %d failures its blame is negative; the worst is %s:

`, count, r.Summary.Analyzed, worst.ID)
	p.caseTable(worst)
}

// adaptive prints when each of three rules knows the step to blame.
func (p *printer) adaptive(ctx context.Context) error {
	rows := [][]string{{"rule", "failures\nanalysed", "cost", "top", "promise"}}
	for _, rule := range []string{"bernstein", "normal", "elimination"} {
		r, err := adaptiveBatch(ctx, rule)
		if err != nil {
			return err
		}
		top, sep := "not known", r.Summary.Separation
		if len(sep.Leaders) > 0 {
			top = sep.Leaders[0]
		}
		rows = append(rows, []string{rule, strconv.Itoa(r.Summary.Analyzed), fmt.Sprintf("%.0f", r.Summary.Cost), top, sep.Label})
	}
	p.table(1, rows)
	return nil
}

// adaptiveBatch analyses cases until a rule knows the step to blame.
func adaptiveBatch(ctx context.Context, rule string) (*blame.Result, error) {
	r, err := blame.BatchOf(ctx, Eight(), EightCases{N: eightStream, Seed: eightSeed}, blame.Options{
		Method: blame.Exact, Stop: confseq.Top1, Rule: rule, KeepCases: -1,
	})
	if err != nil {
		return nil, fmt.Errorf("adaptive batch by rule %s: %w", rule, err)
	}
	return r, nil
}
