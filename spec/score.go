package spec

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
	yaml "go.yaml.in/yaml/v4"
)

// score reads the metric, and which parts of a case's expected it reads.
func (l *loader) score(file object, base options) (pipeline.Score, []string) {
	n := file.get("score")
	if n == nil {
		l.at(file.line, "there is no score: give it one of %s", strings.Join(metrics(), ", "))
		return pipeline.Score{}, nil
	}
	base.cost = 0
	o := l.object(n, "score", inScore)
	opt := l.options(o, base)
	given := o.any(metrics())
	switch len(given) {
	case 0:
		l.at(o.line, "the score says nothing: give it one of %s", strings.Join(metrics(), ", "))
		return pipeline.Score{}, nil
	case 1:
	default:
		l.at(given[1].line, "the score has both %s and %s; only one can be", given[0].key, given[1].key)
		return pipeline.Score{}, nil
	}
	metric := given[0]
	l.misplaced(o, metric.key)
	switch metric.key {
	case "expr":
		return l.exprScore(metric.value, opt), nil
	case "exec", "http":
		return l.askedScore(o, metric, opt), nil
	case "host":
		return l.hostScore(o, metric, opt), nil
	}
	return l.matchScore(o, metric, opt)
}

// misplaced reports options that don't go with the metric.
func (l *loader) misplaced(o object, metric string) {
	with := func(option string, metrics ...string) {
		for _, f := range o.any([]string{option}) {
			if !slices.Contains(metrics, metric) {
				l.at(f.line, "the score's %q goes with %s, not with %s", option, strings.Join(metrics, ", "), metric)
			}
		}
	}
	with("of", "equals", "contains", "regex", "number")
	with("json", "equals", "contains", "regex", "number")
	with("ignore_case", "equals", "contains", "regex")
	with("trim", "equals", "contains", "regex")
	with("tolerance", "number")
	with("relative", "number")
	with("needs", "exec", "http", "host")
}

// exprScore is an expression that gives a number or a truth value. It needs the
// steps and inputs that it mentions.
func (l *loader) exprScore(n *yaml.Node, opt options) pipeline.Score {
	e := l.expression(n, role{what: "the score"}, l.known())
	if e == nil {
		return pipeline.Score{}
	}
	id := identity{"expr", opt.version, l.follow(n).Value}
	return pipeline.Score{Needs: append([]string{}, e.reads...), Impl: pipeline.Impl{
		Cost: opt.cost, Version: id.version(opt.version),
		Run: func(_ context.Context, args pipeline.Args) (any, error) {
			out, err := e.run(args)
			if err != nil {
				return nil, err
			}
			switch v := out.(type) {
			case bool:
				return truth(v), nil
			case int:
				return unit(float64(v))
			case float64:
				return unit(v)
			}
			return nil, fmt.Errorf("the score's expression gave %s; it must give a number from 0 to 1, true or false", outside.Excerpt(fmt.Sprintf("%v", out), 40))
		},
	}}
}

// scoreNeeds returns what a score reads that can't tell by itself: everything, or
// what its needs say.
func (l *loader) scoreNeeds(o object) []string {
	needs := l.known()
	if n := o.get("needs"); n != nil {
		list := l.names(n, o.name("needs"))
		for i, need := range list {
			if !slices.Contains(needs, need.name) {
				l.at(need.line, "the score needs %q, which is neither a step nor an input%s", need.name, pipeline.Suggest(need.name, needs))
			} else if slices.Index(namesOf(list), need.name) < i {
				l.at(need.line, "the score needs %q twice", need.name)
			}
		}
		needs = namesOf(list)
	}
	return needs
}

// askedScore is a program or a service that answers with the score.
func (l *loader) askedScore(o object, metric field, opt options) pipeline.Score {
	needs := l.scoreNeeds(o)
	impl := l.kind(metric.key, metric.value, role{what: "the score", needs: needs, score: true}, opt)
	if impl == nil {
		return pipeline.Score{}
	}
	asked := impl.Run
	impl.Run = func(ctx context.Context, args pipeline.Args) (any, error) {
		answer, err := asked(ctx, args)
		if err != nil {
			return nil, err
		}
		return answeredScore(answer.(jsontext.Value))
	}
	return pipeline.Score{Impl: *impl, Needs: needs}
}

// answeredScore is the score that an answer is: a number, a truth value, or an
// object with either as its member "score".
func answeredScore(answer jsontext.Value) (float64, error) {
	v := answer
	if v.Kind() == '{' {
		if part, ok := member(v, "score"); ok {
			v = part
		}
	}
	switch v.Kind() {
	case 't', 'f':
		return truth(v.Kind() == 't'), nil
	case '0':
		if f, err := strconv.ParseFloat(string(v), 64); err == nil {
			return unit(f)
		}
	}
	return 0, fmt.Errorf(`the score came as %s; it must be a number from 0 to 1, true or false, or an object with such a "score"`, outside.Excerpt(string(answer), 80))
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// unit checks that a score is one.
func unit(f float64) (float64, error) {
	if f >= 0 && f <= 1 {
		return f, nil
	}
	return 0, fmt.Errorf("the score is %v; it must be a number from 0 to 1", f)
}

// matchScore is 1 or 0: whether a step's output matches.
func (l *loader) matchScore(o object, metric field, opt options) (pipeline.Score, []string) {
	m := &match{metric: metric.key}
	of := l.scored(o)
	id := identity{metric.key, opt.version, of}
	if n := o.get("json"); n != nil {
		written := l.text(n, "json of score")
		id.add("json " + written)
		var err error
		if m.part, err = parsePath(written); err != nil {
			l.at(n.Line, "json of score: %v", err)
		}
	}
	if n := o.get("ignore_case"); n != nil {
		m.ignoreCase = l.flag(n, o.name("ignore_case"))
	}
	if n := o.get("trim"); n != nil {
		m.trim = l.flag(n, o.name("trim"))
	}
	distance := func(f float64) bool { return f >= 0 && f <= 1e300 }
	if n := o.get("tolerance"); n != nil {
		m.tolerance = l.number(n, o.name("tolerance"), "a number from 0 up", distance)
	}
	if n := o.get("relative"); n != nil {
		m.relative = l.number(n, o.name("relative"), "a number from 0 up", distance)
	}
	var expected []string
	if metric.key == "regex" {
		m.pattern = l.pattern(metric.value, m.ignoreCase)
		id.add(l.follow(metric.value).Value)
	} else {
		written, fromCase := l.wanted(metric.value, m)
		id.add(fmt.Sprint(fromCase) + written)
		if fromCase {
			expected = []string{written}
		}
	}
	id.add(fmt.Sprint(m.folding, m.tolerance, m.relative))
	return pipeline.Score{Needs: []string{of}, Impl: pipeline.Impl{
		Cost: opt.cost, Version: id.version(opt.version),
		Run: func(_ context.Context, args pipeline.Args) (any, error) {
			ok, err := m.matches(jsontext.Value(args.At(0).JSON()), args.Case)
			return truth(ok), err
		},
	}}, expected
}

// scored returns the step that the score is of: the last one unless told.
func (l *loader) scored(o object) string {
	n := o.get("of")
	if n == nil {
		if len(l.steps) == 0 {
			return ""
		}
		return l.steps[len(l.steps)-1]
	}
	of := l.text(n, "of of score")
	if of != "" && !slices.Contains(l.known(), of) {
		l.at(n.Line, "the score is of %q, which is neither a step nor an input%s", of, pipeline.Suggest(of, l.known()))
	}
	return of
}

func (l *loader) pattern(n *yaml.Node, ignoreCase bool) *regexp.Regexp {
	text := l.text(n, "regex of score")
	if ignoreCase {
		text = "(?i)" + text
	}
	re, err := regexp.Compile(text)
	if err != nil {
		l.at(n.Line, "regex of score: %s", strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return re
}

// wanted reads what a score compares with: "expected" or "expected.path" is the
// case's, {value: …}, a list or any other scalar is itself. It returns the path
// in the case's expected, or the value.
func (l *loader) wanted(n *yaml.Node, m *match) (written string, fromCase bool) {
	at := l.follow(n)
	literal := n
	switch {
	case at.Kind == yaml.MappingNode:
		o := l.object(at, m.metric+" of score", inLiteral)
		given := o.any([]string{"value"})
		if len(given) == 0 {
			l.at(n.Line, "%s of score: a literal is written {value: …}", m.metric)
			return "", false
		}
		literal = given[0].value
	case at.Kind == yaml.ScalarNode && (at.Value == "expected" || strings.HasPrefix(at.Value, "expected.") || strings.HasPrefix(at.Value, "expected[")):
		written = strings.TrimPrefix(strings.TrimPrefix(at.Value, "expected"), ".")
		var err error
		if m.path, err = parsePath(written); err != nil || at.Value == "expected." {
			l.at(n.Line, "%s of score: %q isn't a path in expected", m.metric, at.Value)
		}
		return written, true
	}
	m.literal = l.json(literal, m.metric+" of score")
	if m.literal == nil {
		m.literal = jsontext.Value("null")
	} else if m.metric == "number" {
		if v, err := m.decode(m.literal); err == nil {
			if _, ok := asNumber(v); !ok {
				l.at(n.Line, "number of score must be a number, expected, or a path in it, not %s", outside.Excerpt(string(m.literal), 40))
			}
		}
	}
	return string(m.literal), false
}

// errNoExpected says that a case lacks what the score compares with. Files are
// checked for it; cases from elsewhere aren't.
func errNoExpected(c *pipeline.Case, what string) error {
	return &pipeline.FaultError{Err: errors.New("case " + c.ID + " has no " + what + ", which the score reads")}
}
