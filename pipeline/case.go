package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/agentblame/agentblame/noise"
	"github.com/go-json-experiment/json"
)

// A Case is one input to a pipeline, with what is expected of it.
type Case struct {
	// ID names the case in results. It must be unique in a batch.
	ID string `json:"id"`
	// Inputs are the pipeline's inputs by name: anything that encodes as JSON.
	Inputs map[string]any `json:"inputs"`
	// Expected is what the score compares with; its form is the score's affair.
	Expected any `json:"expected,omitzero"`
	// Seed is the seed of the case's factual world. When nil it is derived
	// from the analysis' seed and the ID.
	Seed *uint64 `json:"seed,omitzero"`
	// Gold holds known-good outputs by step (or input) name.
	Gold map[string]any `json:"gold,omitzero"`
	// Recording holds what a production run of the case did, by call: a step's
	// name for its first call, "step#2" or "step#name" for others.
	Recording map[string]Recorded `json:"recording,omitzero"`
	// Tags are the user's own labels.
	Tags map[string]string `json:"tags,omitzero"`
}

// Recorded is one recorded step run. For its step, call, as-run variant and
// inputs the recorded output is the answer, in every world: it is not run again.
type Recorded struct {
	// Inputs are the inputs the step was given, by name. When nil, the record
	// holds for the inputs that the step has in the factual replay.
	Inputs map[string]any `json:"inputs,omitzero"`
	// Output is the step's output.
	Output any `json:"output,omitzero"`
	// Error is the step's error; the output is ignored then.
	Error string `json:"error,omitzero"`
	// ErrorData is what else the step's process told of the error: in Python and
	// TypeScript its type, by which a program may handle it.
	ErrorData map[string]any `json:"error_data,omitzero"`
	// Draws are the draws that the run made, as far as they were logged.
	Draws []noise.Draw `json:"draws,omitzero"`
}

// WorldSeed returns the seed of the case's factual world: its own, or one
// derived from the analysis' seed and the case's ID. Derived seeds have 53 bits,
// so that they survive JSON numbers in every language.
func (c *Case) WorldSeed(seed uint64) uint64 {
	if c.Seed != nil {
		return *c.Seed
	}
	b := binary.BigEndian.AppendUint64(nil, seed)
	sum := sha256.Sum256(append(b, c.ID...))
	return binary.BigEndian.Uint64(sum[:8]) >> 11
}

// DecodeInput decodes the named input into the value that into points to.
func (c *Case) DecodeInput(name string, into any) error {
	v, ok := c.Inputs[name]
	if !ok {
		return fmt.Errorf("case %s has no input %q%s", c.ID, name, didYouMean(name, sortedKeys(c.Inputs)))
	}
	return convert(v, into, "input "+name)
}

// DecodeExpected decodes what is expected into the value that into points to.
func (c *Case) DecodeExpected(into any) error {
	return convert(c.Expected, into, "expected")
}

// DecodeGold decodes the known-good output of a step into the value that into
// points to.
func (c *Case) DecodeGold(step string, into any) error {
	v, ok := c.Gold[step]
	if !ok {
		return &NoGoldError{Case: c.ID, Step: step}
	}
	return convert(v, into, "gold of "+step)
}

// NoGoldError says that a case has no known-good output for a step whose
// variant needs one. The case can't be analysed with that variant.
type NoGoldError struct{ Case, Step string }

func (e *NoGoldError) Error() string {
	return fmt.Sprintf("case %s has no gold for %s", e.Case, e.Step)
}

// convert brings a case's value, whatever Go type holds it, into a typed one.
func convert(v, into any, what string) error {
	text, err := canonical(v)
	if err != nil {
		return fmt.Errorf("encoding %s: %w", what, err)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		return fmt.Errorf("decoding %s: %w", what, jsonError(err))
	}
	return nil
}

// CaseKey is the key under which a step run's context holds its *[Case].
type CaseKey struct{}

// CaseOf returns the case that is being replayed, for variants that need more
// of it than their inputs: known-good outputs, say. It is nil outside an analysis.
func CaseOf(ctx context.Context) *Case {
	c, _ := ctx.Value(CaseKey{}).(*Case)
	return c
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
