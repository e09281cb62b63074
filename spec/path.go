package spec

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// path leads to a part of a JSON value: a.b, a.0.b, a[0].b, a["b.c"], each with
// or without a leading "$".
type path []pathStep

// pathStep is a member of an object, an element of an array, or, as written
// a.0, whichever of the two is there.
type pathStep struct {
	name  string
	index int  // -1: no index
	only  bool // an index in brackets means an array, a name in brackets an object
}

func parsePath(s string) (path, error) {
	var out path
	rest := strings.TrimPrefix(s, "$")
	if rest == s && s != "" && s[0] != '[' && s[0] != '.' {
		rest = "." + s
	}
	for rest != "" {
		var step pathStep
		switch {
		case strings.HasPrefix(rest, "["):
			var err error
			if step, rest, err = parseBracket(rest[1:]); err != nil {
				return nil, fmt.Errorf("%q isn't a path: %w", s, err)
			}
		case rest[0] == '.':
			end := strings.IndexAny(rest[1:], ".[") + 1
			if end == 0 {
				end = len(rest)
			}
			step = pathStep{name: rest[1:end], index: toIndex(rest[1:end])}
			if step.name == "" {
				return nil, fmt.Errorf("%q isn't a path: a name is missing after a dot", s)
			}
			rest = rest[end:]
		default:
			return nil, fmt.Errorf("%q isn't a path: a dot is missing before %q", s, rest)
		}
		out = append(out, step)
	}
	return out, nil
}

// parseBracket parses what follows an opening bracket.
func parseBracket(s string) (step pathStep, rest string, err error) {
	if strings.HasPrefix(s, `"`) {
		quoted, err := strconv.QuotedPrefix(s)
		if err == nil {
			var name string
			if name, err = strconv.Unquote(quoted); err == nil {
				if rest, ok := strings.CutPrefix(s[len(quoted):], "]"); ok {
					return pathStep{name: name, index: -1, only: true}, rest, nil
				}
			}
		}
		return step, "", fmt.Errorf(`a name in brackets is written ["name"]`)
	}
	inside, rest, closed := strings.Cut(s, "]")
	i := toIndex(inside)
	if !closed || i < 0 {
		return step, "", fmt.Errorf(`brackets hold a number or a name in double quotes`)
	}
	return pathStep{index: i, only: true}, rest, nil
}

func toIndex(s string) int {
	if strings.Trim(s, "0123456789") != "" {
		return -1
	}
	if i, err := strconv.Atoi(s); err == nil {
		return i
	}
	return -1
}

// find returns the part of a valid JSON value to which the path leads.
func (p path) find(v jsontext.Value) (part jsontext.Value, ok bool) {
	for _, step := range p {
		switch v.Kind() {
		case '{':
			if step.only && step.index >= 0 {
				return nil, false
			}
			v, ok = member(v, step.name)
		case '[':
			if step.index < 0 {
				return nil, false
			}
			v, ok = element(v, step.index)
		default:
			return nil, false
		}
		if !ok {
			return nil, false
		}
	}
	return v, true
}

func member(object jsontext.Value, name string) (jsontext.Value, bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(object))
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	for dec.PeekKind() == '"' {
		token, err := dec.ReadToken()
		if err != nil {
			return nil, false
		}
		found := token.String() == name
		v, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		if found {
			return v.Clone(), true
		}
	}
	return nil, false
}

func element(array jsontext.Value, index int) (jsontext.Value, bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(array))
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	for ; dec.PeekKind() != ']'; index-- {
		v, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		if index == 0 {
			return v.Clone(), true
		}
	}
	return nil, false
}
