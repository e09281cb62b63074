package spec

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// match is a score that compares a step's output, or a part of it, with what is
// wanted.
type match struct {
	metric string
	folding
	part    path           // of the output
	literal jsontext.Value // what is wanted, or nil: it is in the case
	path    path           // of the case's expected
	pattern *regexp.Regexp

	tolerance, relative float64
}

// matches says whether an output is as wanted. An output without the part that
// is read isn't.
func (m *match) matches(output jsontext.Value, c *pipeline.Case) (bool, error) {
	got, ok := m.part.find(output)
	if m.metric == "regex" {
		return ok && m.pattern.MatchString(m.plain(got)), nil
	}
	want, err := m.want(c)
	if err != nil {
		return false, err
	}
	w, err := m.decode(want)
	if err != nil {
		return false, fmt.Errorf("decoding what is expected: %w", err)
	}
	number, isNumber := asNumber(w)
	if m.metric == "number" && !isNumber {
		return false, &pipeline.FaultError{Err: fmt.Errorf("case %s: the score compares numbers, but what is expected is %s", c.ID, outside.Excerpt(string(want), 40))}
	}
	if !ok {
		return false, nil
	}
	g, err := m.decode(got)
	if err != nil {
		return false, fmt.Errorf("decoding the output: %w", err)
	}
	switch m.metric {
	case "equals":
		return same(g, w), nil
	case "contains":
		return m.contains(got, g, want, w), nil
	}
	return m.near(g, w, number), nil
}

// want returns what is wanted of a case's output.
func (m *match) want(c *pipeline.Case) (jsontext.Value, error) {
	if m.literal != nil {
		return m.literal, nil
	}
	if c.Expected == nil {
		return nil, errNoExpected(c, "expected")
	}
	all, err := json.Marshal(c.Expected, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encoding what is expected: %w", err)
	}
	part, ok := m.path.find(all)
	if !ok {
		return nil, errNoExpected(c, "such part of its expected")
	}
	return part, nil
}

// near says whether two numbers are equal, or no further apart than is allowed.
func (m *match) near(got, want any, number float64) bool {
	if same(got, want) {
		return true
	}
	g, ok := asNumber(got)
	return ok && math.Abs(g-number) <= max(m.tolerance, m.relative*math.Abs(number)) && (m.tolerance > 0 || m.relative > 0)
}

// contains says whether an output contains all that is wanted: a list its
// elements, anything else a text in its text.
func (m *match) contains(gotText jsontext.Value, got any, wantText jsontext.Value, want any) bool {
	if wants, many := want.([]any); many {
		for i, w := range wants {
			text, ok := element(wantText, i)
			if !ok || !m.contains(gotText, got, text, w) {
				return false
			}
		}
		return true
	}
	switch got := got.(type) {
	case nil:
		return false
	case []any:
		for _, g := range got {
			if same(g, want) {
				return true
			}
		}
		return false
	}
	switch want.(type) {
	case nil, map[string]any:
		return false
	}
	return strings.Contains(m.plain(gotText), m.plain(wantText))
}

// plain returns a string itself, folded, and the JSON text of other values.
func (m *match) plain(v jsontext.Value) string {
	if v.Kind() == '"' {
		if s, err := jsontext.AppendUnquote(nil, v); err == nil {
			return m.fold(string(s))
		}
	}
	return m.fold(string(v))
}
