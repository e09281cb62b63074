package demo

import (
	"fmt"

	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// EightCases are cases of the eight-step agent, drawn with their worlds from a
// seed when they are asked for. They come from the queue of complaints: each
// ticket is hard in at least one way, so that all fail as things are.
type EightCases struct {
	N    int
	Seed uint64
}

// Len implements [blame.Cases].
func (c EightCases) Len() int { return c.N }

// At implements [blame.Cases].
func (c EightCases) At(i int) pipeline.Case {
	draw := noise.World{Seed: c.Seed, Index: uint64(i)}.Source("case", "1")
	var vague, scattered, mixed bool
	for try := 0; !vague && !scattered && !mixed; try++ {
		vague = draw.Bool(fmt.Sprint("vague", try), 0.62)
		scattered = draw.Bool(fmt.Sprint("scattered", try), 0.64)
		mixed = draw.Bool(fmt.Sprint("mixed", try), 0.42)
	}
	filings := "one"
	switch {
	case draw.Bool("missing", 0.06):
		filings = "missing"
	case scattered:
		filings = "several"
	}
	question := "What was the operating margin in 2025?"
	if vague {
		question = "How is the margin doing?"
	}
	world := uint64(draw.Seed("world"))
	return pipeline.Case{
		ID: fmt.Sprintf("c%03d", i),
		Inputs: map[string]any{
			"question": question, "vague": vague, "filings": filings, "mixed": mixed,
		},
		Seed: &world,
	}
}
