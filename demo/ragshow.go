package demo

import (
	"context"
	"fmt"
	"slices"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
)

// The batch that rag shows, and the worlds of its other modes.
const (
	ragCases  = 200
	ragSeed   = 547
	ragWorlds = 8
	varWorlds = 4
	varOrders = 8
)

// runRag shows the rag pipeline in three modes and what sharing noise is worth.
// The result is that of recorded noise.
func runRag(ctx context.Context, p *printer, o Options) (*blame.Result, error) {
	cases := RagCases(ragCases, ragSeed)
	recorded, err := blame.Batch(ctx, Rag(), cases, blame.Options{})
	if err != nil {
		return recorded, err
	}
	p.printf("rag: rewrite → retrieve → answer → verify, each a mocked LLM that samples from\nlogits. The fixes shift the logits, so that they don't always help.\n")
	p.printf("\n1) Recorded noise: would this failure have been avoided?\n\n")
	p.batchTable(recorded)
	if p.err != nil {
		return recorded, p.err
	}
	for _, m := range []struct {
		mode  blame.Mode
		title string
	}{
		{blame.Posterior, "2a) The same question, with only the choices known: noise abducted, %d worlds"},
		{blame.Prior, "2b) Fresh noise, %d worlds: how often would the fixes help? Another question"},
	} {
		r, err := blame.Batch(ctx, Rag(), cases, blame.Options{Mode: m.mode, Worlds: ragWorlds})
		if err != nil {
			return recorded, err
		}
		p.printf("\n"+m.title+"\n\n", ragWorlds)
		p.modeTable(r, recorded)
	}
	failing := failures(recorded, cases, o.VarCases)
	study := variances{Rag(), failing, o.Replicates, varWorlds, varOrders}
	rows, err := study.compare(ctx)
	if err != nil {
		return recorded, err
	}
	p.printf("\n3) Common random numbers against independent re-sampling\n")
	p.printf(`   (%d failing cases, %d replicates; exact-avg: %d worlds per coalition,
   mc-perm: %d orders of the steps; Var: between replicates, mean over cases and
   steps; cost: of one replicate)

`, len(failing), o.Replicates, varWorlds, varOrders)
	p.comparisonTable(rows)
	return recorded, nil
}

// failures returns the first of the failing cases.
func failures(r *blame.Result, cases []pipeline.Case, most int) []pipeline.Case {
	var out []pipeline.Case
	for i, c := range r.Cases {
		if !c.Passed && len(out) < most {
			out = append(out, cases[i])
		}
	}
	return out
}

// modeTable prints the mean values of a mode beside those of recorded noise.
func (p *printer) modeTable(r, recorded *blame.Result) {
	rows := [][]string{{"step", "mean Shapley", "recorded", "difference"}}
	for _, step := range byBlame(r.Steps) {
		mean := step.Shapley.Mean
		for _, other := range recorded.Steps {
			if other.Name == step.Name {
				rows = append(rows, []string{step.Name, signed(mean), signed(other.Shapley.Mean), signed(mean - other.Shapley.Mean)})
			}
		}
	}
	p.table(1, rows)
}

// comparisonTable prints how estimators did with shared and independent noise,
// and why some gained nothing in precision from sharing it.
func (p *printer) comparisonTable(rows []comparison) {
	cells := [][]string{{"mode", "estimator", "Var\nCRN", "Var\nindep", "indep\n/CRN", "cost\nCRN", "cost\nindep", "Var×cost\ngain"}}
	var alone bool
	var gains []float64 // of exact-avg, where its variance is larger with CRN
	for _, r := range rows {
		cell := []string{r.mode, r.estimator, fmt.Sprintf("%.5f", r.shared.variance), fmt.Sprintf("%.5f", r.independent.variance), fmt.Sprintf("%.2fx", r.ratio())}
		if r.byProduct {
			cell = append(cell, "-", "-", "-")
		} else {
			cell = append(cell, fmt.Sprintf("%.0f", r.shared.cost), fmt.Sprintf("%.0f", r.independent.cost), fmt.Sprintf("%.2fx", r.gain()))
		}
		cells = append(cells, cell)
		alone = alone || r.estimator == "fix-alone" && r.ratio() < noGain
		if r.estimator == "exact-avg" && r.ratio() < noGain {
			gains = append(gains, r.gain())
		}
	}
	p.table(2, cells)
	p.printf(`
  CRN: replays that are compared share a world; indep: each has its own.
  Var×cost gain: how many times as much independent noise costs at equal
  precision. fix-alone is a by-product of exact-avg. Recorded noise has no row:
  its replay is deterministic, without any variance.
`)
	if alone {
		p.printf(`  Why fix-alone gains nothing in the posterior: v(∅) is 0 in every world that
  explains the failure, so there is nothing that sharing a world could cancel.
`)
	}
	if len(gains) > 0 {
		p.printf(`  Why exact-avg has a ratio below 1: at an equal number of replays its 16
  coalitions see 16 times as many independent worlds, whose errors average out,
  while those of a shared world add up. But in shared worlds the cache serves
  most step runs: at equal cost CRN is still %.1f to %.1f times as efficient.
`, slices.Min(gains), slices.Max(gains))
	}
}

// noGain is a ratio of variances that says no more than that there is no gain.
const noGain = 1.1
