package host

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrNoScore says that a host has no score.
var ErrNoScore = errors.New("has no score")

// Score returns the host's metric, with what it needs, nil being everything; of a
// program it reads the output. What over says holds over what the host says.
func (h *Host) Score(over Impl) (pipeline.Score, error) {
	s := h.manifest.Score
	if s == nil {
		return pipeline.Score{}, fmt.Errorf("%s %w", h.who, ErrNoScore)
	}
	program := h.manifest.Kind == KindProgram
	v := over.over(s.Impl)
	out := pipeline.Score{Impl: h.impl("score", "", v, program, 0)}
	if !program {
		out.Needs = s.Needs
	}
	deterministic, timeout := v.Deterministic != nil && *v.Deterministic, v.timeout()
	out.Run = func(ctx context.Context, args pipeline.Args) (any, error) {
		source := noise.From(ctx)
		b, err := appendCase([]byte(`"method":"score","params":{"case":`), args.Case)
		if err != nil {
			return nil, err
		}
		if program {
			b = append(append(b, `,"output":`...), args.At(0).JSON()...)
		} else {
			b = append(append(b, `,"values":`...), args.JSON()...)
		}
		if !deterministic {
			if b, err = appendNoise(b, source); err != nil {
				return nil, err
			}
		}
		result, err := h.link.call(ctx, &request{step: "score", body: appendDeadline(b, timeout), timeout: timeout})
		if err != nil {
			return nil, h.failed(ctx, args.Case, "score", err)
		}
		score, err := h.taken(ctx, source, deterministic, result, "score", "the score")
		if err != nil {
			return nil, err
		}
		return scoreValue(score.(jsontext.Value))
	}
	return out, nil
}

// scoreValue reads a score. The engine checks its range.
func scoreValue(v jsontext.Value) (any, error) {
	switch v.Kind() {
	case 't', 'f':
		return v.Kind() == 't', nil
	case '0':
		return strconv.ParseFloat(string(v), 64)
	}
	return nil, fmt.Errorf("it came as %s, and must be a number from 0 to 1", outside.Excerpt(string(v), 60))
}
