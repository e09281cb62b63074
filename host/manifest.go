package host

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Kinds of hosts: what they have.
const (
	KindGraph   = "graph"
	KindProgram = "program"
	KindSteps   = "steps"
)

// A Manifest is what a host says about itself.
type Manifest struct {
	Protocol int `json:"protocol"`
	Host     struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	} `json:"host"`
	// Name is the pipeline's name.
	Name string `json:"name"`
	// Kind says what it is: KindGraph, KindProgram or KindSteps.
	Kind   string  `json:"kind"`
	Inputs []Input `json:"inputs"`
	Steps  []Step  `json:"steps"`
	// Score is the metric; nil where there is none.
	Score *Score `json:"score"`
	// InFlight is how many requests a process takes at once.
	InFlight int `json:"in_flight"`

	text string // its canonical form, but for who gave it
}

// An Input is an input that a case must have.
type Input struct {
	Name     string `json:"name"`
	Variants []Impl `json:"variants"`
}

// UnmarshalJSON reads an input, or the name of one without variants.
func (i *Input) UnmarshalJSON(text []byte) error {
	if jsontext.Value(text).Kind() == '"' {
		return json.Unmarshal(text, &i.Name)
	}
	type plain Input
	return json.Unmarshal(text, (*plain)(i))
}

// Impl is an implementation of a step: the as-run one or a variant. What a
// variant leaves open is its step's.
type Impl struct {
	Name          string   `json:"name"`
	Cost          *float64 `json:"cost"`
	Version       string   `json:"version"`
	Deterministic *bool    `json:"deterministic"`
	Case          *bool    `json:"case"`
	TimeoutMS     *float64 `json:"timeout_ms"`
	Retries       *int     `json:"retries"`
}

// A Step is a step that a host runs.
type Step struct {
	Impl        `json:",inline"`
	Needs       []string `json:"needs"`
	Key         bool     `json:"key"`
	Concurrency int      `json:"concurrency"`
	Variants    []Impl   `json:"variants"`
}

// A Score is the metric of a host's pipeline.
type Score struct {
	Impl  `json:",inline"`
	Needs []string `json:"needs"`
}

// parseManifest reads and checks a manifest.
func parseManifest(text jsontext.Value) (*Manifest, error) {
	if err := checkVersion(text); err != nil {
		return nil, err
	}
	m := &Manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("its manifest can't be read: %s", wordManifest(err))
	}
	if m.InFlight == 0 {
		m.InFlight = 1
	}
	if err := m.check(); err != nil {
		return nil, fmt.Errorf("its manifest is wrong: %w", err)
	}
	c := text.Clone()
	if err := c.Canonicalize(); err != nil {
		return nil, fmt.Errorf("its manifest can't be read: %s", wordJSON(err))
	}
	m.text = string(c)
	return m, nil
}

// checkVersion compares versions of the protocol before anything else is read.
func checkVersion(text jsontext.Value) error {
	var version struct {
		Protocol *jsontext.Value `json:"protocol"`
	}
	if err := json.Unmarshal(text, &version); err != nil {
		return fmt.Errorf("its manifest can't be read: %s", wordManifest(err))
	}
	if version.Protocol == nil {
		return errors.New(`its manifest has no "protocol": is it a host of the step protocol?`)
	}
	given := string(*version.Protocol)
	var n float64
	if json.Unmarshal(*version.Protocol, &n) != nil || n != math.Trunc(n) {
		return fmt.Errorf(`its manifest has "protocol": %s, which isn't a version`, outside.Excerpt(given, 40))
	}
	switch {
	case n > Version:
		return fmt.Errorf("it speaks version %.0f of the step protocol, and this agentblame version %d: upgrade agentblame", n, Version)
	case n < Version:
		return fmt.Errorf("it speaks version %.0f of the step protocol, and this agentblame version %d: upgrade the host's SDK", n, Version)
	}
	return nil
}

func wordManifest(err error) string {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) {
		what := semantic.Err
		if what == nil {
			what = fmt.Errorf("there is %s where there must be %s", semantic.JSONKind, wordType(semantic))
		}
		return fmt.Sprintf("at %q: %v", string(semantic.JSONPointer), what)
	}
	return wordJSON(err)
}

func wordType(e *json.SemanticError) string {
	if e.GoType == nil {
		return "something else"
	}
	switch e.GoType.Kind().String() {
	case "string":
		return "a string"
	case "bool":
		return "true or false"
	case "int", "float64":
		return "a number"
	case "slice":
		return "a list"
	}
	return "an object"
}

// check finds what a pipeline's own check doesn't.
func (m *Manifest) check() error {
	if !slices.Contains([]string{KindGraph, KindProgram, KindSteps}, m.Kind) {
		return fmt.Errorf("the kind is %q; it is graph, program or steps", m.Kind)
	}
	if m.InFlight < 1 {
		return fmt.Errorf("in_flight is %d; it must be above 0", m.InFlight)
	}
	for _, s := range m.Steps {
		if s.Name == "" {
			return errors.New("a step has no name")
		}
		if s.Concurrency < 0 {
			return fmt.Errorf("the concurrency of step %s is %d", s.Name, s.Concurrency)
		}
		for _, impl := range append([]Impl{s.Impl}, s.Variants...) {
			if err := impl.check(); err != nil {
				return fmt.Errorf("step %s: %w", s.Name, err)
			}
		}
	}
	if m.Score != nil {
		if err := m.Score.check(); err != nil {
			return fmt.Errorf("the score: %w", err)
		}
	}
	return nil
}

func (i *Impl) check() error {
	if ms := i.TimeoutMS; ms != nil && !(*ms >= 0 && *ms < 1e12) {
		return fmt.Errorf("timeout_ms is %v", *ms)
	}
	if n := i.Retries; n != nil && (*n < 0 || *n > 1000) {
		return fmt.Errorf("retries is %d; it must be from 0 to 1000", *n)
	}
	return nil
}

// over lays what a variant says over its step's.
func (i Impl) over(base Impl) Impl {
	if i.Cost == nil {
		i.Cost = base.Cost
	}
	if i.Version == "" {
		i.Version = base.Version
	}
	if i.Deterministic == nil {
		i.Deterministic = base.Deterministic
	}
	if i.Case == nil {
		i.Case = base.Case
	}
	if i.TimeoutMS == nil {
		i.TimeoutMS = base.TimeoutMS
	}
	if i.Retries == nil {
		i.Retries = base.Retries
	}
	return i
}

// step returns a step by its name.
func (m *Manifest) step(name string) (*Step, error) {
	var names []string
	for i := range m.Steps {
		if m.Steps[i].Name == name {
			return &m.Steps[i], nil
		}
		names = append(names, m.Steps[i].Name)
	}
	return nil, fmt.Errorf("has no step %q%s", name, pipeline.Suggest(name, names))
}

// variant returns a variant of a step, "" being the as-run implementation.
func (s *Step) variant(name string) (Impl, error) {
	if name == "" {
		impl := s.Impl
		impl.Name = ""
		return impl, nil
	}
	var names []string
	for _, v := range s.Variants {
		if v.Name == name {
			return v.over(s.Impl), nil
		}
		names = append(names, v.Name)
	}
	return Impl{}, fmt.Errorf("has no variant %q of step %s%s", name, s.Name, pipeline.Suggest(name, names))
}

// timeout is how long a run may take; 0 is no limit.
func (i *Impl) timeout() time.Duration {
	if i.TimeoutMS == nil {
		return time.Minute
	}
	return time.Duration(*i.TimeoutMS * float64(time.Millisecond))
}
