package main

import (
	"context"
	"fmt"

	"github.com/agentblame/agentblame/demo"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// A subject is a pipeline with cases; those that pass are left out.
type subject struct {
	name     string
	pipeline *pipeline.Pipeline
	given    []pipeline.Case
}

// subjects are the demos and a chain whose states don't merge.
func subjects() []subject {
	return []subject{
		{"refund", demo.Refund("A"), []pipeline.Case{demo.RefundCase()}},
		{"rag", demo.Rag(), demo.RagCases(100, 547)},
		{"eight", demo.Eight(), eight()},
		{"chain of 8", chain(8), numbers(10)},
	}
}

// chain is a pipeline whose every step keeps in its output what all before it
// did, so that no two states are equal: the hardest for bounds. Each fix mends a
// fault of a weight of its own, and the run passes when the rest is small.
func chain(n int) *pipeline.Pipeline {
	type state struct {
		Case   int     `json:"case"`
		Done   uint64  `json:"done"`
		Weight float64 `json:"weight"`
	}
	step := func(i int, fixed bool) func(context.Context, state) (state, error) {
		return func(_ context.Context, s state) (state, error) {
			fault := noise.World{Seed: uint64(s.Case)}.Source(fmt.Sprint("step", i), "1").Exp("fault")
			if fixed {
				s.Done |= 1 << i
			} else {
				s.Weight += fault
			}
			return s, nil
		}
	}
	var all []*pipeline.Step[state, state]
	var given []pipeline.AnyStep
	for i := range n {
		s := pipeline.NewStep(fmt.Sprint("step", i), step(i, false)).Variant("fix", step(i, true))
		all, given = append(all, s), append(given, s)
	}
	run := func(ctx context.Context, in int) (state, error) {
		s := state{Case: in}
		for _, each := range all {
			var err error
			if s, err = each.Do(ctx, s); err != nil {
				return s, err
			}
		}
		return s, nil
	}
	score := func(_ context.Context, _ pipeline.Case, s state) (float64, error) {
		if s.Weight < float64(n)/2 {
			return 1, nil
		}
		return 0, nil
	}
	return pipeline.New("chain", run, score, given...)
}

func numbers(n int) []pipeline.Case {
	cases := make([]pipeline.Case, n)
	for i := range cases {
		cases[i] = pipeline.Case{ID: fmt.Sprint("n", i), Inputs: map[string]any{"case": i}}
	}
	return cases
}

// eight are the first cases of the demo.
func eight() []pipeline.Case {
	all := demo.EightCases{N: 20, Seed: 595}
	cases := make([]pipeline.Case, all.Len())
	for i := range cases {
		cases[i] = all.At(i)
	}
	return cases
}
