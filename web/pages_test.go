package web_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/demo"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/report"
	"github.com/agentblame/agentblame/report/hostile"
)

// writePages writes the pages that the browser opens: usual results, and one of
// each kind that looks different.
func writePages(t *testing.T, dir string) {
	t.Helper()
	write(t, dir, "refund", batch(t, demo.Refund("A"), []pipeline.Case{demo.RefundCase()}, blame.Options{}))
	rag := batch(t, demo.Rag(), demo.RagCases(200, 547), blame.Options{Concurrency: 4})
	for i := range rag.Cases {
		rag.Cases[i].Tags = map[string]string{"lang": []string{"en", "de"}[i%2]}
	}
	write(t, dir, "rag", rag)
	write(t, dir, "hostile", attacked(rag))
	write(t, dir, "many", hundredfold(rag))

	eight, err := blame.BatchOf(t.Context(), demo.Eight(), demo.EightCases{N: 30, Seed: 1}, blame.Options{Concurrency: 4})
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "eight", eight)
	cases := demo.RagCases(40, 547)
	for name, o := range map[string]blame.Options{
		"calls":   {Calls: true},
		"sampled": {Method: blame.Permutation, Permutations: 64},
		"cut":     {Method: blame.Exact, Nodes: 2},
		"prior":   {Mode: blame.Prior, Worlds: 8},
		"harm":    {Harm: 20},
	} {
		write(t, dir, name, batch(t, demo.Rag(), cases, o))
	}
	passing := slices.DeleteFunc(cases, func(c pipeline.Case) bool {
		return !slices.ContainsFunc(rag.Cases, func(r blame.CaseResult) bool { return r.ID == c.ID && r.Passed })
	})
	write(t, dir, "pass", batch(t, demo.Rag(), passing, blame.Options{}))
	write(t, dir, "empty", batch(t, demo.Rag(), nil, blame.Options{}))
}

// hundredfold is a result of a hundred times as many cases.
func hundredfold(r *blame.Result) *blame.Result {
	many := *r
	many.Cases = nil
	for k := range 100 {
		for _, c := range r.Cases {
			c.ID = fmt.Sprintf("%s-%d", c.ID, k)
			if k > 0 {
				c.Story = nil
			}
			many.Cases = append(many.Cases, c)
		}
	}
	return &many
}

func batch(t *testing.T, p *pipeline.Pipeline, cases []pipeline.Case, o blame.Options) *blame.Result {
	t.Helper()
	r, err := blame.Batch(t.Context(), p, cases, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func write(t *testing.T, dir, name string, r *blame.Result) {
	t.Helper()
	if err := report.Write(filepath.Join(dir, name+".html"), r); err != nil {
		t.Fatal(err)
	}
}

// attacked is a result whose names, ids and outputs try everything.
func attacked(from *blame.Result) *blame.Result {
	r := *from
	texts := hostile.Texts()
	r.Values = nil
	r.Cases = append([]blame.CaseResult(nil), from.Cases[:4]...)
	for i, s := range texts {
		value, err := json.Marshal(s)
		if err != nil {
			continue
		}
		r.Values = append(r.Values, blame.StoryValue{Value: value}, blame.StoryValue{Error: s})
		c := from.Cases[0]
		c.ID = fmt.Sprintf("%02d %.200s", i, s)
		c.Tags = map[string]string{fmt.Sprintf("%.100s", s): fmt.Sprintf("%.100s", s)}
		c.Errors = []blame.CaseError{{Step: s[:min(len(s), 200)], Variant: "v", Message: s, Traceback: s}}
		n := len(r.Values)
		c.Story = &blame.Story{
			Inputs: map[string]int{s[:min(len(s), 100)]: n - 2},
			AsRun:  []blame.StoryCall{{Step: "retrieve", Iteration: "1", Output: n - 2, Inputs: map[string]int{"x": n - 1}}},
			Fixed:  []blame.StoryCall{{Step: "retrieve", Iteration: "1", Variant: s[:min(len(s), 100)], Output: n - 1}},
		}
		r.Cases = append(r.Cases, c)
	}
	r.Cases = append(r.Cases, blame.CaseResult{ID: "undefined", Undefined: texts[0]})
	r.Pipeline.Name = texts[0]
	r.Pipeline.Steps = append([]blame.StepInfo(nil), from.Pipeline.Steps...)
	r.Pipeline.Steps[0].Fix = texts[1]
	return &r
}
