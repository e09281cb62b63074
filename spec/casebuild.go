package spec

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// part is one member of a case as a file has it.
type part struct {
	key   string
	line  int
	value jsontext.Value // never shared with a reader's buffer
}

// batch builds cases from their parts and collects what is wrong with them.
type batch struct {
	faults
	check    Check
	expected []path // of check.Expected
	cases    []pipeline.Case
	ids      map[string]string // where each ID was given
	lines    map[int]int       // how many names each line has given to cases without ID
	// lacking is what a table's heading was found to lack, so that no row says it
	// again: inputs, and "expected".
	lacking map[[2]string]bool
}

func newBatch(check Check) *batch {
	b := &batch{check: check, ids: map[string]string{}, lines: map[int]int{}}
	for _, s := range check.Expected {
		p, err := parsePath(s)
		if err != nil {
			b.at(0, "Check.Expected: %v", err)
		}
		b.expected = append(b.expected, p)
	}
	return b
}

// add builds the case that begins on a line.
func (b *batch) add(line int, parts []part) {
	c := pipeline.Case{Inputs: map[string]any{}}
	inputs, readable := line, true
	var expected jsontext.Value
	known := inCase.keys()
	for _, p := range parts {
		switch p.key {
		case "id":
			c.ID = b.id(p)
		case "inputs":
			inputs, readable = p.line, p.value.Kind() == '{'
			for _, m := range b.members(p) {
				c.Inputs[m.key] = m.value
			}
		case "expected":
			expected = p.value
			c.Expected = p.value
		case "seed":
			c.Seed = b.seed(p)
		case "gold":
			c.Gold = b.gold(p)
		case "recording":
			c.Recording = b.recording(p)
		case "tags":
			c.Tags = b.tags(p)
		default:
			b.at(p.line, "a case has no key %q%s", p.key, pipeline.Suggest(p.key, known))
		}
	}
	if readable {
		b.checkInputs(inputs, c.Inputs)
	}
	for i, path := range b.expected {
		if expected == nil {
			if !b.lacking[[2]string{"expected"}] {
				b.at(line, "the case has no expected, which the score reads")
			}
			break
		}
		if _, ok := path.find(expected); !ok {
			b.at(line, "the case's expected has no %s, which the score reads", b.check.Expected[i])
		}
	}
	where := fmt.Sprintf("%s:%d", b.file, line)
	if c.ID == "" {
		c.ID = b.unnamed(line)
	}
	if first, taken := b.ids[c.ID]; taken {
		b.at(line, "the id %q is taken by the case at %s", c.ID, first)
	} else {
		b.ids[c.ID] = where
	}
	b.cases = append(b.cases, c)
}

// unnamed returns an id for a case that has none: after its line, and with a number
// where a case before it is called so. Cases of an array may share a line, and those
// of several files a line's number.
func (b *batch) unnamed(line int) string {
	name := "case-" + strconv.Itoa(line)
	for {
		b.lines[line]++
		id := name
		if n := b.lines[line]; n > 1 {
			id += "-" + strconv.Itoa(n)
		}
		if _, taken := b.ids[id]; !taken {
			return id
		}
	}
}

func (b *batch) checkInputs(line int, have map[string]any) {
	if b.check.Inputs == nil {
		return
	}
	for _, name := range b.check.Inputs {
		if _, ok := have[name]; !ok && !b.lacking[[2]string{"inputs", name}] {
			b.at(line, "the input %q is missing", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if !slices.Contains(b.check.Inputs, name) {
			b.at(line, "the pipeline has no input %q%s", name, pipeline.Suggest(name, b.check.Inputs))
		}
	}
}

func (b *batch) id(p part) string {
	id, ok := scalarText(p.value)
	switch {
	case !ok || id == "":
		b.at(p.line, "id must be a string, not %s", outside.Excerpt(string(p.value), 40))
	case strings.ContainsFunc(id, unicode.IsControl):
		b.at(p.line, "the id %q has control characters in it", id)
	}
	return id
}

func (b *batch) seed(p part) *uint64 {
	seed, err := strconv.ParseUint(string(p.value), 10, 64)
	if err != nil || seed > maxSeed {
		b.at(p.line, "seed must be a whole number from 0 to %d, not %s", uint64(maxSeed), outside.Excerpt(string(p.value), 40))
		return nil
	}
	return &seed
}

// maxSeed is the greatest seed: the greatest whole number that every language's
// JSON numbers can count up to.
const maxSeed = 1<<53 - 1

func (b *batch) gold(p part) map[string]any {
	out := map[string]any{}
	names := b.check.goldNames()
	for _, m := range b.members(p) {
		if b.check.Steps != nil && !slices.Contains(names, m.key) {
			b.at(m.line, "gold is for %q, which is neither a step nor an input%s", m.key, pipeline.Suggest(m.key, names))
		}
		out[m.key] = m.value
	}
	return out
}

func (b *batch) tags(p part) map[string]string {
	out := map[string]string{}
	for _, m := range b.members(p) {
		text, ok := scalarText(m.value)
		if !ok {
			b.at(m.line, "the tag %q must be a string, not %s", m.key, outside.Excerpt(string(m.value), 40))
		}
		out[m.key] = text
	}
	return out
}

func (b *batch) recording(p part) map[string]pipeline.Recorded {
	out := map[string]pipeline.Recorded{}
	for _, m := range b.members(p) {
		step, call, numbered := strings.Cut(m.key, "#")
		needs, known := b.check.Steps[step]
		if b.check.Steps != nil && !known {
			names := slices.Sorted(maps.Keys(b.check.Steps))
			b.at(m.line, "the recording is of %q, which is not a step%s", step, pipeline.Suggest(step, names))
		}
		if numbered && call == "" {
			b.at(m.line, "the recording of %q lacks a call's number or name after #", m.key)
		}
		out[m.key] = b.recorded(m, needs)
	}
	return out
}

func (b *batch) recorded(p part, needs []string) pipeline.Recorded {
	var r pipeline.Recorded
	what := "the recording of " + p.key
	output, failed := false, false
	for _, m := range b.members(p) {
		switch m.key {
		case "inputs":
			r.Inputs = map[string]any{}
			for _, in := range b.members(m) {
				r.Inputs[in.key] = in.value
			}
			b.recordedInputs(m.line, what, r.Inputs, needs)
		case "output":
			r.Output, output = m.value, true
		case "error":
			text, ok := scalarText(m.value)
			if !ok || text == "" {
				b.at(m.line, "%s: error must be a string that says what went wrong", what)
			}
			r.Error, failed = text, true
		case "error_data":
			if m.value.Kind() != '{' {
				b.at(m.line, "%s: error_data must be an object, not %s", what, outside.Excerpt(string(m.value), 40))
			} else if err := json.Unmarshal(m.value, &r.ErrorData); err != nil {
				b.at(m.line, "%s: error_data: %s", what, meaning(err))
			}
		case "draws":
			if m.value.Kind() != '[' {
				b.at(m.line, "%s: draws must be a list, not %s", what, outside.Excerpt(string(m.value), 40))
			} else if err := json.Unmarshal(m.value, &r.Draws); err != nil {
				b.at(m.line, "%s: draws: %s", what, meaning(err))
			}
		default:
			b.at(m.line, "%s has no key %q%s", what, m.key, pipeline.Suggest(m.key, inRecording.keys()))
		}
	}
	if output == failed && p.value.Kind() == '{' {
		b.at(p.line, "%s must have either an output or an error", what)
	}
	return r
}

// meaning takes the decoder's words off an error in what a JSON value means.
func meaning(err error) string {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) && semantic.Err != nil {
		return semantic.Err.Error()
	}
	return ending(err)
}

// recordedInputs checks that a record's inputs are the step's, where the wiring
// is known: with others the record would never be used.
func (b *batch) recordedInputs(line int, what string, have map[string]any, needs []string) {
	if b.check.Inputs == nil || needs == nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(have)) {
		if !slices.Contains(needs, name) {
			b.at(line, "%s has the input %q, which the step doesn't need%s", what, name, pipeline.Suggest(name, needs))
		}
	}
	for _, name := range needs {
		if _, ok := have[name]; !ok {
			b.at(line, "%s lacks the step's input %q", what, name)
		}
	}
}

// members takes an object apart.
func (b *batch) members(p part) []part {
	if p.value.Kind() != '{' {
		b.at(p.line, "%s must be an object, not %s", p.key, outside.Excerpt(string(p.value), 40))
		return nil
	}
	return splitObject(p.value, p.line)
}

// splitObject returns the members of a valid JSON object, all with one line.
func splitObject(object jsontext.Value, line int) []part {
	var out []part
	dec := jsontext.NewDecoder(bytes.NewBuffer(object))
	if _, err := dec.ReadToken(); err != nil {
		return nil
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			break
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			break
		}
		out = append(out, part{key, line, value.Clone()})
	}
	return out
}

// scalarText returns a string, or a number or a truth value as it is written.
func scalarText(v jsontext.Value) (string, bool) {
	switch v.Kind() {
	case '"':
		s, err := jsontext.AppendUnquote(nil, v)
		return string(s), err == nil
	case '0', 't', 'f':
		return string(v), true
	}
	return "", false
}
