package host

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Impl returns an implementation of a step that runs on the host, for a pipeline
// that is declared elsewhere; variant "" is the as-run one. What over says holds
// over what the host says. The implementation's name is left to the caller.
func (h *Host) Impl(step, variant string, over Impl) (pipeline.Impl, error) {
	s, err := h.manifest.step(step)
	if err != nil {
		return pipeline.Impl{}, fmt.Errorf("%s %w", h.who, err)
	}
	v, err := s.variant(variant)
	if err != nil {
		return pipeline.Impl{}, fmt.Errorf("%s %w", h.who, err)
	}
	impl := h.impl(s.Name, variant, over.over(v), false, 1)
	impl.Name = ""
	return impl, nil
}

// Needs returns what a step of the host takes, or nil if it doesn't say.
func (h *Host) Needs(step string) []string {
	s, err := h.manifest.step(step)
	if err != nil {
		return nil
	}
	return s.Needs
}

// Concurrency returns how many runs of a step may go on at once; 0 is no limit.
func (h *Host) Concurrency(step string) int {
	s, err := h.manifest.step(step)
	if err != nil {
		return 0
	}
	return s.Concurrency
}

// Key returns the step's equivalence key, or nil if it has none.
func (h *Host) Key(step string) func(*pipeline.Value) (any, error) {
	s, err := h.manifest.step(step)
	if err != nil || !s.Key {
		return nil
	}
	head := append(quote([]byte(`"method":"step/key","params":{"step":`), step), `,"output":`...)
	return func(v *pipeline.Value) (any, error) {
		body := append(append(head[:len(head):len(head)], v.JSON()...), "}}\n"...)
		result, err := h.link.call(context.Background(), &request{step: step, body: body, timeout: s.timeout()})
		if err != nil {
			return nil, h.stepError(nil, step, err)
		}
		key, err := member(result, "key")
		if err != nil {
			return nil, h.breakdown(fmt.Errorf("%s gave a wrong key of step %s: %w", h.who, step, err))
		}
		return key, nil
	}
}

// member returns one member of a result.
func member(result jsontext.Value, name string) (jsontext.Value, error) {
	var out jsontext.Value
	err := object(result, func(key string, v jsontext.Value) error {
		if key == name {
			out = v
		}
		return nil
	})
	if err != nil || out == nil {
		return nil, fmt.Errorf("there is no %q in %s", name, outside.Excerpt(string(result), 100))
	}
	return out, nil
}

// spec makes a step of the pipeline of a step of the host.
func (h *Host) spec(s *Step) *pipeline.Spec {
	program := h.manifest.Kind == KindProgram
	spec := &pipeline.Spec{Name: s.Name, Concurrency: s.Concurrency, Key: h.Key(s.Name)}
	if !program {
		spec.Needs = s.Needs
	}
	spec.Whole = program
	base := s.Impl
	base.Name = ""
	spec.Impls = append(spec.Impls, h.impl(s.Name, "", base, program, 1))
	for _, v := range s.Variants {
		spec.Impls = append(spec.Impls, h.impl(s.Name, v.Name, v.over(s.Impl), program, 1))
	}
	return spec
}

// impl makes an implementation that runs on the host. With whole the step's one
// input is the object of all that it is given.
func (h *Host) impl(step, variant string, v Impl, whole bool, cost float64) pipeline.Impl {
	if v.Cost != nil {
		cost = *v.Cost
	}
	deterministic := v.Deterministic != nil && *v.Deterministic
	withCase := v.Case != nil && *v.Case
	timeout := v.timeout()
	impl := pipeline.Impl{
		Name: variant, Version: v.Version, Cost: cost, Blocking: true, Retries: 2,
		Opaque: v.Deterministic != nil && !*v.Deterministic,
	}
	if v.Retries != nil {
		impl.Retries = *v.Retries
	}
	head := quote([]byte(`"method":"step/run","params":{"step":`), step)
	if variant != "" {
		head = quote(append(head, `,"variant":`...), variant)
	}
	head = append(head, `,"iteration":`...)
	impl.Run = func(ctx context.Context, args pipeline.Args) (any, error) {
		source := noise.From(ctx)
		_, _, call := source.Address()
		b := make([]byte, 0, 512)
		b = append(quote(append(b, head...), call), `,"inputs":`...)
		if whole {
			b = append(b, args.At(0).JSON()...)
		} else {
			b = append(b, args.JSON()...)
		}
		var err error
		if !deterministic {
			if b, err = appendNoise(b, source); err != nil {
				return nil, err
			}
		}
		if withCase {
			if b, err = appendCase(append(b, `,"case":`...), args.Case); err != nil {
				return nil, err
			}
		}
		result, err := h.link.call(ctx, &request{step: step, body: appendDeadline(b, timeout), timeout: timeout})
		if err != nil {
			return nil, h.failed(ctx, args.Case, step, err)
		}
		return h.taken(ctx, source, deterministic, result, "output", fmt.Sprintf("step %s", step))
	}
	return impl
}

// failed words why a run has no result, and waits for as long as the host asks
// before it is tried again.
func (h *Host) failed(ctx context.Context, c *pipeline.Case, step string, err error) error {
	var e *Error
	if errors.As(err, &e) && e.transient && e.retryAfter > 0 {
		timer := time.NewTimer(e.retryAfter)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return h.stepError(c, step, err)
}

// taken reads the result of a run: its output under a name, and beside it what
// was drawn and what it cost.
func (h *Host) taken(ctx context.Context, source *noise.Source, deterministic bool, result jsontext.Value, name, what string) (any, error) {
	var output, draws jsontext.Value
	cost := 0.0
	err := object(result, func(key string, v jsontext.Value) (err error) {
		switch key {
		case name:
			output = v
		case "draws":
			draws = v
		case "usage", "logprobs":
			if v.Kind() != 'n' {
				pipeline.Note(ctx, key, v.Clone())
			}
		case "cost":
			if v.Kind() != 'n' {
				cost, err = strconv.ParseFloat(string(v), 64)
				if err != nil || !(cost >= 0 && cost <= math.MaxFloat64) {
					err = fmt.Errorf("the cost is %s", outside.Excerpt(string(v), 40))
				}
			}
		}
		return err
	})
	if err == nil && output == nil {
		err = fmt.Errorf("there is no %q in it", name)
	}
	var drawn []noise.Draw
	if err == nil && draws != nil && string(draws) != "null" && string(draws) != "[]" {
		err = json.Unmarshal(draws, &drawn)
		var semantic *json.SemanticError
		if errors.As(err, &semantic) && semantic.Err != nil {
			err = semantic.Err
		}
	}
	if err == nil && deterministic && len(drawn) > 0 {
		err = errors.New("it is declared deterministic, but has drawn noise")
	}
	if err != nil {
		return nil, h.breakdown(fmt.Errorf("%s gave a wrong result of %s: %s", h.who, what, wordJSON(err)))
	}
	if err := source.Take(drawn); err != nil {
		return nil, err
	}
	if cost != 0 {
		pipeline.Charge(ctx, cost)
	}
	return output, nil
}

// appendNoise appends the address of a run's noise as a member.
func appendNoise(b []byte, source *noise.Source) ([]byte, error) {
	world, step, call := source.Address()
	b = strconv.AppendUint(append(b, `,"noise":{"seed":"`...), world.Seed, 10)
	b = strconv.AppendUint(append(b, `","world":"`...), world.Index, 10)
	b = quote(append(b, `","step":`...), step)
	b = quote(append(b, `,"iteration":`...), call)
	if observed := source.Observed(); len(observed) > 0 {
		draws, err := json.Marshal(observed)
		if err != nil {
			return nil, err
		}
		b = append(append(b, `,"observed":`...), draws...)
	}
	return append(b, '}'), nil
}

// appendDeadline appends how long a request may take, and its end.
func appendDeadline(b []byte, timeout time.Duration) []byte {
	if timeout > 0 {
		b = strconv.AppendInt(append(b, `,"deadline_ms":`...), max(1, timeout.Milliseconds()), 10)
	}
	return append(b, "}}\n"...)
}

// appendCase appends a case's JSON.
func appendCase(b []byte, c *pipeline.Case) ([]byte, error) {
	if c == nil {
		return append(b, "null"...), nil
	}
	text, err := json.Marshal(caseView{c.ID, c.Inputs, c.Expected, c.Gold, c.Tags}, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("case %s has no JSON form: %w", c.ID, err)
	}
	return append(b, text...), nil
}

// caseView is what scores and steps see of a case.
type caseView struct {
	ID       string            `json:"id"`
	Inputs   map[string]any    `json:"inputs"`
	Expected any               `json:"expected"`
	Gold     map[string]any    `json:"gold"`
	Tags     map[string]string `json:"tags"`
}
