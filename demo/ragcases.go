package demo

import (
	"fmt"

	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// RagCases returns n cases of the rag pipeline, drawn with their worlds from the
// seed.
func RagCases(n int, seed uint64) []pipeline.Case {
	names, _, _ := topics()
	asks := []string{
		"How many days of leave carry over to next year?",
		"Up to which amount is a meal paid back without a receipt?",
		"Which class may I book on a flight of nine hours?",
		"How often must I change the password of the build server?",
	}
	cases := make([]pipeline.Case, n)
	for i := range cases {
		draw := noise.World{Seed: seed, Index: uint64(i)}.Source("case", "1")
		topic := draw.IntN("topic", len(names))
		world := uint64(draw.Seed("world"))
		cases[i] = pipeline.Case{
			ID: fmt.Sprintf("q%03d", i),
			Inputs: map[string]any{
				"question":   asks[topic],
				"topic":      names[topic],
				"difficulty": draw.IntN("difficulty", difficulties),
			},
			Seed: &world,
		}
	}
	return cases
}
