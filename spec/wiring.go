package spec

import (
	"slices"
	"strings"

	"github.com/agentblame/agentblame/pipeline"
)

// wire checks that what the steps need is there and that they can be put in an
// order.
func (l *loader) wire(d *declared) {
	ok := true
	for _, s := range d.steps {
		names := slices.DeleteFunc(l.known(), func(n string) bool { return n == s.spec.Name })
		for i, need := range s.needs {
			switch {
			case need.name == s.spec.Name:
				l.at(need.line, "step %s needs itself", s.spec.Name)
				ok = false
			case !slices.Contains(names, need.name):
				l.at(need.line, "step %s needs %q, which is neither a step nor an input%s", s.spec.Name, need.name, pipeline.Suggest(need.name, names))
				ok = false
			case slices.Index(s.spec.Needs, need.name) < i:
				l.at(need.line, "step %s needs %q twice", s.spec.Name, need.name)
			}
		}
	}
	if ok {
		l.circles(d)
	}
}

// known returns the names that needs may name: steps, then inputs.
func (l *loader) known() []string { return slices.Concat(l.steps, l.inputs) }

// circles reports the first circle of needs, if any.
func (l *loader) circles(d *declared) {
	rest := slices.Clone(d.steps)
	for len(rest) > 0 {
		waits := func(s declaredStep) bool {
			return slices.ContainsFunc(rest, func(other declaredStep) bool { return slices.Contains(s.spec.Needs, other.spec.Name) })
		}
		ready := slices.IndexFunc(rest, func(s declaredStep) bool { return !waits(s) })
		if ready >= 0 {
			rest = slices.Delete(rest, ready, ready+1)
			continue
		}
		circle := circleIn(rest)
		l.at(circle[0].line, "the steps %s need each other in a circle", strings.Join(circleNames(circle), " → "))
		return
	}
}

// circleIn follows needs among steps of which each needs another one.
func circleIn(rest []declaredStep) []declaredStep {
	var trail []declaredStep
	at := rest[0]
	for {
		if i := slices.IndexFunc(trail, func(s declaredStep) bool { return s.spec.Name == at.spec.Name }); i >= 0 {
			trail = trail[i:]
			break
		}
		trail = append(trail, at)
		next := slices.IndexFunc(rest, func(s declaredStep) bool { return slices.Contains(at.spec.Needs, s.spec.Name) })
		at = rest[next]
	}
	slices.Reverse(trail) // from what is needed to what needs it
	first := 0
	for i, s := range trail {
		if s.line < trail[first].line {
			first = i
		}
	}
	return slices.Concat(trail[first:], trail[:first])
}

// circleNames names the steps of a circle, the first again at its end.
func circleNames(circle []declaredStep) []string {
	var out []string
	for _, s := range circle {
		out = append(out, s.spec.Name)
	}
	return append(out, out[0])
}
