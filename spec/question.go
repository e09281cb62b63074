package spec

import (
	"context"
	"strconv"

	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// question is what an exec or http run is asked: one JSON object on a line, with
// the inputs by name, the case for a score, and the address of the run's noise.
// What is deterministic gets no noise: its runs serve all worlds.
func question(ctx context.Context, args pipeline.Args, withCase, withNoise bool) ([]byte, error) {
	q := append([]byte(`{"inputs":`), args.JSON()...)
	if withCase {
		c, err := caseJSON(args.Case)
		if err != nil {
			return nil, err
		}
		q = append(append(q, `,"case":`...), c...)
	}
	if withNoise {
		world, step, call := noise.From(ctx).Address()
		q = append(q, `,"noise":{"seed":`...)
		q = strconv.AppendUint(q, world.Seed, 10)
		q = append(q, `,"world":`...)
		q = strconv.AppendUint(q, world.Index, 10)
		q = append(append(q, `,"step":`...), quote(step)...)
		q = append(append(q, `,"iteration":`...), quote(call)...)
		// In a posterior world: the draws that the noise must explain.
		if observed := noise.From(ctx).Observed(); len(observed) > 0 {
			draws, err := json.Marshal(observed)
			if err != nil {
				return nil, err
			}
			q = append(append(q, `,"observed":`...), draws...)
		}
		q = append(q, '}')
	}
	return append(q, '}', '\n'), nil
}

func quote(s string) []byte {
	out, _ := jsontext.AppendQuote(nil, s) // invalid UTF-8 comes out replaced
	return out
}

// caseView is what scores and expressions see of a case.
type caseView struct {
	ID       string            `json:"id"`
	Inputs   map[string]any    `json:"inputs"`
	Expected any               `json:"expected,omitzero"`
	Gold     map[string]any    `json:"gold"`
	Tags     map[string]string `json:"tags"`
}

func caseJSON(c *pipeline.Case) (jsontext.Value, error) {
	return json.Marshal(caseView{c.ID, c.Inputs, c.Expected, c.Gold, c.Tags}, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
}
