package noise

import (
	"encoding/json"
	"fmt"
	"math"
)

// wire is the JSON form of a draw.
type wire struct {
	Key    string          `json:"key"`
	Kind   Kind            `json:"kind"`
	N      *int            `json:"n,omitempty"`
	P      *float64        `json:"p,omitempty"`
	Logits json.RawMessage `json:"logits,omitempty"`
	Chosen json.RawMessage `json:"chosen,omitempty"`
	Value  json.RawMessage `json:"value,omitempty"`
}

// MarshalJSON writes the draw's JSON form: the same bytes for equal draws.
func (d Draw) MarshalJSON() ([]byte, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	w := wire{Key: d.Key, Kind: d.Kind}
	var logits, chosen, value any
	switch d.Kind {
	case Categorical:
		named := make(map[string]logit, len(d.Logits))
		for option, l := range d.Logits {
			named[option] = logit(l)
		}
		logits, chosen = named, d.Chosen
	case Index:
		listed := make([]logit, len(d.IndexLogits))
		for i, l := range d.IndexLogits {
			listed[i] = logit(l)
		}
		logits, chosen = listed, d.Value
	case Perm:
		value = append([]int{}, d.Perm...) // an empty one is [], not null
	case Bool:
		w.P = &d.P
		value = d.Value == 1
	case Int:
		w.N = &d.N
		value = d.Value
	default:
		value = d.Value
	}
	for _, part := range []struct {
		to   *json.RawMessage
		from any
	}{{&w.Logits, logits}, {&w.Chosen, chosen}, {&w.Value, value}} {
		if part.from == nil {
			continue
		}
		b, err := json.Marshal(part.from)
		if err != nil {
			return nil, fmt.Errorf("draw %q: %w", d.Key, err)
		}
		*part.to = b
	}
	return json.Marshal(w)
}

// UnmarshalJSON reads the draw's JSON form. It errs on what can't have been
// drawn, such as a chosen option with logit "-inf".
func (d *Draw) UnmarshalJSON(b []byte) error {
	var w wire
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	read := Draw{Key: w.Key, Kind: w.Kind}
	if err := w.into(&read); err != nil {
		return fmt.Errorf("draw %q: %w", w.Key, err)
	}
	if err := read.validate(); err != nil {
		return err
	}
	*d = read
	return nil
}

func (w *wire) into(d *Draw) error {
	switch w.Kind {
	case Categorical:
		var named map[string]logit
		if err := part("logits", w.Logits, &named); err != nil {
			return err
		}
		d.Logits = make(map[string]float64, len(named))
		for option, l := range named {
			d.Logits[option] = float64(l)
		}
		return part("chosen", w.Chosen, &d.Chosen)
	case Index:
		var listed []logit
		if err := part("logits", w.Logits, &listed); err != nil {
			return err
		}
		d.IndexLogits = make([]float64, len(listed))
		for i, l := range listed {
			d.IndexLogits[i] = float64(l)
		}
		return part("chosen", w.Chosen, &d.Value)
	case Perm:
		return part("value", w.Value, &d.Perm)
	case Bool:
		if w.P == nil {
			return fmt.Errorf("no p")
		}
		d.P = *w.P
		var v bool
		if err := part("value", w.Value, &v); err != nil {
			return err
		}
		if v {
			d.Value = 1
		}
		return nil
	case Int:
		if w.N == nil {
			return fmt.Errorf("no n")
		}
		d.N = *w.N
		return part("value", w.Value, &d.Value)
	case Uniform, Normal, Exponential, Seed:
		return part("value", w.Value, &d.Value)
	}
	return nil // validate names the unknown kind
}

func part(name string, b json.RawMessage, to any) error {
	if b == nil || string(b) == "null" {
		return fmt.Errorf("no %s", name)
	}
	if err := json.Unmarshal(b, to); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// A logit is a number, or the string "-inf", which JSON has no number for.
type logit float64

func (l logit) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(l), -1) {
		return []byte(`"-inf"`), nil
	}
	return json.Marshal(float64(l))
}

func (l *logit) UnmarshalJSON(b []byte) error {
	if string(b) == `"-inf"` {
		*l = logit(math.Inf(-1))
		return nil
	}
	if string(b) == "null" {
		return fmt.Errorf("a logit is null")
	}
	return json.Unmarshal(b, (*float64)(l))
}
