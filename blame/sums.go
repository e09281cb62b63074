package blame

import (
	"strings"

	"github.com/agentblame/agentblame/replay"
)

// sums adds up cases by step.
type sums struct {
	names  []string // the steps with a fix
	shap   []float64
	alone  []float64
	loo    []float64
	solved []int
	last   []int
	calls  []map[string]bool
}

func newSums(e *replay.Engine) *sums {
	s := &sums{}
	for i, name := range e.Pipeline().StepNames() {
		if e.FixOf(i) != "" {
			s.names = append(s.names, name)
		}
	}
	n := len(s.names)
	s.shap, s.alone, s.loo = make([]float64, n), make([]float64, n), make([]float64, n)
	s.solved, s.last, s.calls = make([]int, n), make([]int, n), make([]map[string]bool, n)
	return s
}

// add counts a case.
func (s *sums) add(t *Summary, c *CaseResult) {
	t.Cases++
	t.Cost += c.Cost
	t.CostFactual += c.CostFactual
	t.CostUncached += c.CostUncached
	if len(c.Errors) > 0 {
		t.WithErrors++
	}
	switch {
	case c.Undefined != "":
		t.Undefined++
		if c.Score != nil {
			t.Failures++
		}
		return
	case c.Passed:
		t.Passed++
		return
	}
	t.Failures++
	t.Analyzed++
	if len(c.MinimalRepairs) > 0 {
		t.Repairable++
	} else {
		t.Unfixable++
	}
	for i, name := range s.names {
		s.addStep(i, name, c)
	}
}

// addStep adds a case's values of one step, or of all its calls.
func (s *sums) addStep(i int, step string, c *CaseResult) {
	resolved := false
	for k, v := range c.Shapley {
		name, _, isCall := strings.Cut(v.Player, "#")
		if name != step {
			continue
		}
		s.shap[i] += v.Value
		s.alone[i] += c.FixAlone[k].Value
		s.loo[i] += c.LeaveOneOut[k].Value
		if isCall {
			if s.calls[i] == nil {
				s.calls[i] = map[string]bool{}
			}
			s.calls[i][v.Player] = true
		}
	}
	for _, r := range c.MinimalRepairs {
		if len(r) != 1 {
			break // they come by size
		}
		name, _, _ := strings.Cut(r[0], "#")
		resolved = resolved || name == step
	}
	if resolved {
		s.solved[i]++
	}
	if name, _, _ := strings.Cut(c.LastTouch, "#"); name == step {
		s.last[i]++
	}
}

// steps returns the means over n analysed failures.
func (s *sums) steps(n int) []StepResult {
	out := make([]StepResult, len(s.names))
	total := 0.0
	for _, v := range s.shap {
		total += v
	}
	for i, name := range s.names {
		r := StepResult{Name: name, LastTouch: s.last[i], Calls: len(s.calls[i])}
		if n > 0 {
			r.Shapley.Mean = s.shap[i] / float64(n)
			r.FixAlone = s.alone[i] / float64(n)
			r.LeaveOneOut = s.loo[i] / float64(n)
			r.Resolves = float64(s.solved[i]) / float64(n)
		}
		if total > 0 {
			share := s.shap[i] / total
			r.Share = &share
		}
		out[i] = r
	}
	return out
}
