package spec

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// template is a text with environment variables in it, written ${NAME}. Keys and
// tokens come into requests in this way only, and never into messages.
type template struct {
	written string
	parts   []templatePart
}

type templatePart struct{ text, variable string }

func parseTemplate(s string) (template, error) {
	t := template{written: s}
	for rest := s; rest != ""; {
		before, after, found := strings.Cut(rest, "${")
		if before != "" {
			t.parts = append(t.parts, templatePart{text: before})
		}
		if !found {
			break
		}
		name, behind, closed := strings.Cut(after, "}")
		if !closed {
			return t, errors.New("a } is missing after ${")
		}
		if !isVariable(name) {
			return t, fmt.Errorf("${%s} doesn't name an environment variable", name)
		}
		t.parts = append(t.parts, templatePart{variable: name})
		rest = behind
	}
	return t, nil
}

// isVariable says whether a name can be an environment variable's.
func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// variables says whether there are any.
func (t template) variables() bool {
	for _, p := range t.parts {
		if p.variable != "" {
			return true
		}
	}
	return false
}

// secrets are the values of variables that went into a request, by name.
type secrets map[string]string

// expand fills in the variables and notes their values.
func (t template) expand(known secrets) (string, error) {
	var b strings.Builder
	for _, p := range t.parts {
		b.WriteString(p.text)
		if p.variable == "" {
			continue
		}
		value, set := os.LookupEnv(p.variable)
		if !set {
			return "", fmt.Errorf("the environment variable %s isn't set", p.variable)
		}
		known[p.variable] = value
		b.WriteString(value)
	}
	return b.String(), nil
}

// hide puts variables' names back where a text, an answer that quotes the
// request say, has their values. Values too short to be secrets are left.
func (s secrets) hide(text string) string {
	names := slices.SortedFunc(maps.Keys(s), func(a, b string) int { // longest values first
		return cmp.Or(cmp.Compare(len(s[b]), len(s[a])), cmp.Compare(a, b))
	})
	for _, name := range names {
		if len(s[name]) >= 4 {
			text = strings.ReplaceAll(text, s[name], "${"+name+"}")
		}
	}
	return text
}
