package spec

import (
	"errors"
	"slices"

	"github.com/agentblame/agentblame/host"
	"github.com/agentblame/agentblame/pipeline"
)

// hosted is an implementation that is a function of a host: what the host says of
// it holds where the file says nothing.
func (l *loader) hosted(o object, r role, opt options) *pipeline.Impl {
	l.misplacedOnHost(o)
	h := l.host(o.get("host"), r.what)
	if h == nil {
		return nil
	}
	function, line := l.function(o, r.name)
	variant := ""
	if n := o.get("variant"); n != nil {
		variant = l.text(n, o.name("variant"))
		line = n.Line
	}
	impl, err := h.Impl(function, variant, opt.overHost())
	if err != nil {
		l.at(line, "%s: %v", r.what, err)
		return nil
	}
	l.sameNeeds(h, function, line, r)
	return &impl
}

// function returns which function of the host runs, and the line that says so.
func (l *loader) function(o object, name string) (function string, line int) {
	if n := o.get("function"); n != nil {
		return l.text(n, o.name("function")), n.Line
	}
	return name, o.get("host").Line
}

// sameNeeds checks that a function gets what it takes.
func (l *loader) sameNeeds(h *host.Host, function string, line int, r role) {
	takes := h.Needs(function)
	if takes == nil {
		return
	}
	for _, need := range takes {
		if !slices.Contains(r.needs, need) {
			l.at(line, "%s doesn't need %q, which the host's %s takes%s", r.what, need, function, pipeline.Suggest(need, r.needs))
		}
	}
	for _, need := range r.needs {
		if !slices.Contains(takes, need) {
			l.at(line, "%s needs %q, which the host's %s doesn't take%s", r.what, need, function, pipeline.Suggest(need, takes))
		}
	}
}

// misplacedOnHost reports what a host's declaration says for all its steps.
func (l *loader) misplacedOnHost(o object) {
	for _, f := range o.any([]string{"env", "max_output"}) {
		l.at(f.line, "%s of %s belongs to the host, under hosts", f.key, o.what)
	}
}

// overHost returns what the file says about a run, over what a host does.
func (o options) overHost() host.Impl {
	var over host.Impl
	for _, key := range o.given {
		switch key {
		case "cost":
			over.Cost = &o.cost
		case "timeout":
			ms := float64(o.timeout) / 1e6
			over.TimeoutMS = &ms
		case "retries":
			over.Retries = &o.retries
		case "deterministic":
			over.Deterministic = &o.deterministic
		case "version":
			over.Version = o.version
		}
	}
	return over
}

// takeOver gives a step what the function that it runs declares of steps.
func (l *loader) takeOver(run object, s *pipeline.Spec) {
	n := run.get("host")
	if n == nil {
		return
	}
	h := l.host(n, "step "+s.Name)
	if h == nil {
		return
	}
	function, _ := l.function(run, s.Name)
	if s.Key == nil {
		s.Key = h.Key(function)
	}
	if s.Concurrency == 0 {
		s.Concurrency = h.Concurrency(function)
	}
}

// hostScore is a host's score.
func (l *loader) hostScore(o object, metric field, opt options) pipeline.Score {
	l.misplacedOnHost(o)
	h := l.host(metric.value, "the score")
	if h == nil {
		return pipeline.Score{}
	}
	score, err := h.Score(opt.overHost())
	if err == nil && h.Manifest().Kind == host.KindProgram {
		err = errors.New("the host's score is of its program's output")
	}
	if err != nil {
		l.at(metric.line, "the score: %v", err)
		return pipeline.Score{}
	}
	if o.get("needs") != nil || score.Needs == nil {
		score.Needs = l.scoreNeeds(o)
		return score
	}
	for _, need := range score.Needs {
		if !slices.Contains(l.known(), need) {
			l.at(metric.line, "the host's score needs %q, which is neither a step nor an input%s", need, pipeline.Suggest(need, l.known()))
		}
	}
	return score
}
