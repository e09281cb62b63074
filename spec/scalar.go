package spec

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
	yaml "go.yaml.in/yaml/v4"
)

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// describe says what a node is, for messages.
func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	}
	switch n.ShortTag() {
	case "!!null":
		return "nothing"
	case "!!int", "!!float", "!!bool":
		return outside.Excerpt(n.Value, 40)
	}
	return strconv.Quote(outside.Excerpt(n.Value, 40))
}

// text reads a string that isn't empty; numbers and the like are taken as they
// are written. It is empty, with a fault, where there is none.
func (r *reader) text(n *yaml.Node, what string) string {
	n = r.follow(n)
	if n.Kind != yaml.ScalarNode || isNull(n) {
		r.at(n.Line, "%s must be a string, not %s", what, describe(n))
		return ""
	}
	if n.Value == "" {
		r.at(n.Line, "%s is empty", what)
	}
	return n.Value
}

// elements returns the elements of a list; anything else counts as a list of one.
func (r *reader) elements(n *yaml.Node) []*yaml.Node {
	n = r.follow(n)
	switch {
	case n.Kind == yaml.SequenceNode:
		return n.Content
	case isNull(n):
		return nil
	}
	return []*yaml.Node{n}
}

// named is a name in a file, and its line.
type named struct {
	name string
	line int
}

// names reads a list of strings.
func (r *reader) names(n *yaml.Node, what string) []named {
	out := []named{}
	for _, e := range r.elements(n) {
		if s := r.text(e, "an entry of "+what); s != "" {
			out = append(out, named{s, e.Line})
		}
	}
	return out
}

func namesOf(list []named) []string {
	out := make([]string, len(list))
	for i, n := range list {
		out[i] = n.name
	}
	return out
}

// number reads a number that satisfies ok; want says what that is.
func (r *reader) number(n *yaml.Node, what, want string, ok func(float64) bool) float64 {
	n = r.follow(n)
	if n.Kind == yaml.ScalarNode {
		if text, fault := numberText(n); fault == "" {
			if f, err := strconv.ParseFloat(text, 64); err == nil && ok(f) {
				return f
			}
		}
	}
	r.at(n.Line, "%s must be %s, not %s", what, want, describe(n))
	return 0
}

// whole reads a whole number from least to most.
func (r *reader) whole(n *yaml.Node, what string, least, most int64) int64 {
	n = r.follow(n)
	if n.Kind == yaml.ScalarNode {
		if text, fault := numberText(n); fault == "" {
			if i, err := strconv.ParseInt(text, 10, 64); err == nil && i >= least && i <= most {
				return i
			}
		}
	}
	want := fmt.Sprintf("a whole number from %d to %d", least, most)
	if most == math.MaxInt32 {
		want = fmt.Sprintf("a whole number from %d up", least)
	}
	r.at(n.Line, "%s must be %s, not %s", what, want, describe(n))
	return 0
}

// flag reads true or false.
func (r *reader) flag(n *yaml.Node, what string) bool {
	n = r.follow(n)
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!bool" {
		return strings.EqualFold(n.Value, "true")
	}
	r.at(n.Line, "%s must be true or false, not %s", what, describe(n))
	return false
}

// duration reads "1m30s" or a number of seconds.
func (r *reader) duration(n *yaml.Node, what string) time.Duration {
	n = r.follow(n)
	if n.Kind == yaml.ScalarNode {
		if d, err := time.ParseDuration(n.Value); err == nil && d >= 0 {
			return d
		}
		if text, fault := numberText(n); fault == "" {
			if f, err := strconv.ParseFloat(text, 64); err == nil && f >= 0 && f < 1e9 {
				return time.Duration(f * float64(time.Second))
			}
		}
	}
	r.at(n.Line, `%s must be a time such as "2s", "1m30s" or a number of seconds, not %s`, what, describe(n))
	return 0
}

// choice reads one of several words.
func (r *reader) choice(n *yaml.Node, what string, words ...string) string {
	s := r.text(n, what)
	if s != "" && !slices.Contains(words, s) {
		r.at(n.Line, "%s can't be %q%s", what, s, pipeline.Suggest(s, words))
		return ""
	}
	return s
}

// numberText returns a YAML number as a JSON number, digit by digit where it is
// written as one.
func numberText(n *yaml.Node) (text, fault string) {
	if tag := n.ShortTag(); tag != "!!int" && tag != "!!float" {
		return "", "isn't a number"
	}
	if isNumber(n.Value) {
		return n.Value, ""
	}
	if digits := strings.TrimLeft(n.Value, "+-"); len(digits) > 1 && digits[0] == '0' && strings.Trim(digits, "0123456789_") == "" {
		return "", "has a leading zero, which YAML 1.1 and 1.2 read differently: put it in quotes, or write 0o for octal"
	}
	var v any
	if err := n.Load(&v); err != nil {
		return "", "isn't a number"
	}
	text = fmt.Sprint(v)
	if f, isFloat := v.(float64); isFloat {
		text = strconv.FormatFloat(f, 'g', -1, 64)
	}
	if !isNumber(text) {
		return "", "has no JSON form"
	}
	return text, ""
}

// isNumber says whether s is a JSON number and nothing else.
func isNumber(s string) bool {
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') || s[len(s)-1] <= ' ' {
		return false
	}
	return jsontext.Value(s).IsValid()
}
