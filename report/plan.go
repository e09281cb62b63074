package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// Plan writes what an analysis may run and cost.
func Plan(w io.Writer, p *blame.Plan) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %.6g step runs as they are, at a cost of %.6g\n", count(p.Cases, "case", "cases"), p.FactualRuns, p.FactualCost)
	fmt.Fprintf(&b, "each failing case: at most %.6g more step runs, at a cost of at most %.6g\n", p.MaxRuns, p.MaxCost)
	if p.HarmCases > 0 {
		fmt.Fprintf(&b, "what fixes break, on %s: at most %.6g more step runs, at a cost of at most %.6g\n",
			count(p.HarmCases, "case", "cases"), p.HarmRuns, p.HarmCost)
	}
	fmt.Fprint(&b, "(the most there can be; equal outputs and equal states are replayed once)\n\n")
	fmt.Fprintf(&b, "%-24s %-20s %10s %8s %8s\n", "step", "fix", "runs/case", "cost", "fix cost")
	for _, s := range p.Steps {
		fix, cost := Clean(s.Fix), fmt.Sprintf("%.6g", s.FixCost)
		if s.Fix == "" {
			fix, cost = "(none: no player)", ""
		}
		fmt.Fprintf(&b, "%-24s %-20s %10.6g %8.6g %8s\n", Clean(s.Name), fix, s.MaxRuns, s.Cost, cost)
	}
	fmt.Fprint(&b, "\nnothing was run\n")
	_, err := io.WriteString(w, b.String())
	return err
}
