package spec

import (
	"math"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/pipeline"
	yaml "go.yaml.in/yaml/v4"
)

// declared is what a file declares, with the lines to blame.
type declared struct {
	inputs []pipeline.Input
	steps  []declaredStep
}

type declaredStep struct {
	line  int
	spec  *pipeline.Spec
	needs []named
}

func (d *declared) specs() []*pipeline.Spec {
	var out []*pipeline.Spec
	for _, s := range d.steps {
		out = append(out, s.spec)
	}
	return out
}

// needs returns the steps' needs by name, those of input players too.
func (d *declared) needs() map[string][]string {
	out := map[string][]string{}
	for _, s := range d.steps {
		out[s.spec.Name] = s.spec.Needs
	}
	for _, in := range d.inputs {
		if len(in.Variants) > 0 {
			out[in.Name] = []string{in.Name}
		}
	}
	return out
}

// variants returns the names of a step's or input's variants.
func (d *declared) variants(name string) (names []string, known bool) {
	for _, s := range d.steps {
		if s.spec.Name == name {
			for _, impl := range s.spec.Impls {
				if impl.Name != "" {
					names = append(names, impl.Name)
				}
			}
			return names, true
		}
	}
	for _, in := range d.inputs {
		if in.Name == name {
			for _, impl := range in.Variants {
				names = append(names, impl.Name)
			}
			return names, true
		}
	}
	return nil, false
}

// declarations reads the inputs and the steps. All names are known before the
// first implementation is read, for expressions mention them.
func (l *loader) declarations(o object, base options) *declared {
	inputs := l.inputFields(o)
	var steps []field
	if n := o.get("steps"); n != nil {
		steps = l.fields(n, "steps")
	}
	if len(steps) == 0 {
		l.at(o.line, "there are no steps")
	}
	l.inputs = []string{}
	for _, f := range inputs {
		if l.validName(f, "input") && !l.twice(f, "input", l.inputs) {
			l.inputs = append(l.inputs, f.key)
		}
	}
	for _, f := range steps {
		if l.validName(f, "step") && !l.twice(f, "input and a step", l.inputs) {
			l.steps = append(l.steps, f.key)
		}
	}
	d := &declared{}
	for _, f := range inputs {
		d.inputs = append(d.inputs, l.input(f, base))
	}
	for _, f := range steps {
		d.steps = append(d.steps, l.step(f, base))
	}
	return d
}

// validName checks the name of a step or input.
func (l *loader) validName(f field, what string) bool {
	switch {
	case f.key == "":
		l.at(f.line, "there is one %s without a name", what)
	case strings.ContainsAny(f.key, "#\x00\r\n"):
		l.at(f.line, "%s %q: a name must not contain '#' or a line break", what, f.key)
	case f.key == "case":
		l.at(f.line, `no %s can be named "case": expressions call the case so`, what)
	default:
		return true
	}
	return false
}

func (l *loader) twice(f field, what string, names []string) bool {
	if !slices.Contains(names, f.key) {
		return false
	}
	if what == "input" {
		l.at(f.line, "two inputs are named %q", f.key)
	} else {
		l.at(f.line, "%q is both an %s", f.key, what)
	}
	return true
}

// inputFields reads the inputs' names: a list of names and of mappings from a
// name to its declaration, or one mapping.
func (l *loader) inputFields(o object) []field {
	n := o.get("inputs")
	if n == nil {
		return nil
	}
	if n = l.follow(n); n.Kind == yaml.MappingNode {
		return l.fields(n, "inputs")
	}
	var out []field
	for _, e := range l.elements(n) {
		if e = l.follow(e); e.Kind == yaml.MappingNode {
			out = append(out, l.fields(e, "an input")...)
		} else if name := l.text(e, "an input"); name != "" {
			out = append(out, field{name, e.Line, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: e.Line}})
		}
	}
	return out
}

// input reads an input's variants, which cost nothing unless they say so.
func (l *loader) input(f field, base options) pipeline.Input {
	in := pipeline.Input{Name: f.key}
	o := l.object(f.value, "input "+f.key, inInput)
	if n := o.get("variants"); n != nil {
		base.cost = 0
		in.Variants = l.variants(n, role{what: "input " + f.key, name: f.key, needs: []string{f.key}}, base)
	}
	return in
}

// step reads a step.
func (l *loader) step(f field, base options) declaredStep {
	r := role{what: "step " + f.key, name: f.key}
	o := l.object(f.value, r.what, inStep)
	s := declaredStep{line: f.line, spec: &pipeline.Spec{Name: f.key}}
	if n := o.get("needs"); n != nil {
		s.needs = l.names(n, o.name("needs"))
		r.needs = namesOf(s.needs)
		s.spec.Needs = r.needs
	}
	if n := o.get("key"); n != nil {
		s.spec.Key = l.key(n, r)
	}
	if n := o.get("concurrency"); n != nil {
		s.spec.Concurrency = int(l.whole(n, o.name("concurrency"), 0, math.MaxInt32))
	}
	opt := l.options(o, base)
	o.line = f.line
	if n := o.get("run"); n == nil {
		l.at(f.line, "%s has no run", r.what)
	} else {
		run := l.running(n, "run of "+r.what, inRun)
		if impl := l.implementation(run, r, opt); impl != nil {
			s.spec.Impls = append(s.spec.Impls, *impl)
			l.takeOver(run, s.spec)
		}
	}
	if n := o.get("variants"); n != nil {
		s.spec.Impls = append(s.spec.Impls, l.variants(n, r, opt)...)
	}
	return s
}

// running reads the mapping that says what to run. A string or a list is short
// for exec.
func (l *loader) running(n *yaml.Node, what string, where place) object {
	if at := l.follow(n); at.Kind != yaml.MappingNode && !isNull(at) {
		return object{what: what, line: n.Line, fields: []field{{"exec", n.Line, n}}}
	}
	return l.object(n, what, where)
}

// variants reads variants by name.
func (l *loader) variants(n *yaml.Node, r role, base options) []pipeline.Impl {
	var out []pipeline.Impl
	of := r.what
	for _, f := range l.fields(n, "variants of "+of) {
		r.what = of + ", variant " + f.key
		o := l.running(f.value, r.what, inVariant)
		o.line = f.line
		if f.key == "" {
			l.at(f.line, "%s has a variant without a name", of)
		}
		if impl := l.implementation(o, r, l.options(o, base)); impl != nil {
			impl.Name = f.key
			out = append(out, *impl)
		}
	}
	return out
}
