package spec

import (
	"math"
	"slices"
	"time"

	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/pipeline"
	yaml "go.yaml.in/yaml/v4"
)

// Settings are what a file says about the analysis: its blame block. What isn't
// given is zero, or nil where zero means something.
type Settings struct {
	Mode    string // recorded, posterior or prior
	Method  string // auto, exact or permutation
	Players string // steps or calls
	// Fixes name the variant to try as the fix, by step or input.
	Fixes map[string]string
	// Worlds is the number of worlds in posterior and prior mode.
	Worlds int
	Seed   *uint64
	// Pass is the pass mark: a case fails when its score is below it.
	Pass *float64
	// Delta is the probability with which the conclusions may be wrong.
	Delta float64
	// Stop says when to stop early: none, top1, topk, ranking, width or budget.
	Stop string
	// Width is the radius of intervals at which stop: width stops.
	Width  float64
	Budget *float64
	// Concurrency is how many step runs may go on at once.
	Concurrency int
	// Timeout and Retries hold for steps and scores that don't say otherwise.
	Timeout *time.Duration
	Retries *int
	// Nodes limits the size of a case's decision diagram.
	Nodes int
	// KeepCases is how many cases the result lists in full; 0 is all.
	KeepCases int
	// Claim is whom conclusions are about: traffic or batch.
	Claim string
	// Harm is on how many passing cases harm is measured; -1 is none, 0 that the
	// file doesn't say.
	Harm int
	// CheckKeys is how many coalitions of a case are replayed without keys.
	CheckKeys int
	// Groups are the steps that belong together, by group.
	Groups []Group
	// Ordered asks for values over orders that respect the wiring.
	Ordered bool
	// Rule names the rule that decides about stopping, and TopK is how many
	// steps stop: topk is about.
	Rule string
	TopK int
}

// A Group is steps that belong together.
type Group struct {
	Name    string
	Members []string
}

// settings reads the blame block, and the pass mark, which may also stand at the
// top. Time-outs and retries go into the steps' defaults.
func (l *loader) settings(file object, base *options) Settings {
	var s Settings
	top := file.get("pass")
	if top != nil {
		s.Pass = l.pass(top)
	}
	n := file.get("blame")
	if n == nil {
		return s
	}
	o := l.object(n, "blame", inBlame)
	words := func(key string, into *string, allowed ...string) {
		if n := o.get(key); n != nil {
			*into = l.choice(n, o.name(key), allowed...)
		}
	}
	words("mode", &s.Mode, "recorded", "posterior", "prior")
	words("method", &s.Method, "auto", "exact", "permutation")
	words("players", &s.Players, "steps", "calls")
	words("stop", &s.Stop, "none", "top1", "topk", "ranking", "width", "budget")
	words("rule", &s.Rule, confseq.Names()...)
	counts := func(key string, into *int) {
		if n := o.get(key); n != nil {
			*into = int(l.whole(n, o.name(key), 1, math.MaxInt32))
		}
	}
	counts("worlds", &s.Worlds)
	counts("concurrency", &s.Concurrency)
	counts("nodes", &s.Nodes)
	counts("check_keys", &s.CheckKeys)
	words("claim", &s.Claim, "traffic", "batch")
	if n := o.get("harm"); n != nil {
		if s.Harm = int(l.whole(n, o.name("harm"), -1, math.MaxInt32)); s.Harm == 0 {
			s.Harm = -1
		}
	}
	if n := o.get("ordered"); n != nil {
		s.Ordered = l.flag(n, o.name("ordered"))
	}
	if n := o.get("groups"); n != nil {
		for _, f := range l.fields(n, o.name("groups")) {
			members := l.names(f.value, "group "+f.key)
			s.Groups = append(s.Groups, Group{f.key, namesOf(members)})
			l.grouped = append(l.grouped, members...)
		}
	}
	counts("top_k", &s.TopK)
	if n := o.get("seed"); n != nil {
		seed := uint64(l.whole(n, o.name("seed"), 0, maxSeed))
		s.Seed = &seed
	}
	if n := o.get("pass"); n != nil {
		if top != nil {
			l.at(n.Line, "pass is given twice (first on line %d)", top.Line)
		}
		s.Pass = l.pass(n)
	}
	if n := o.get("delta"); n != nil {
		s.Delta = l.number(n, o.name("delta"), "a number between 0 and 1", func(f float64) bool { return f > 0 && f < 1 })
	}
	if n := o.get("budget"); n != nil {
		budget := l.number(n, o.name("budget"), "a number above 0", func(f float64) bool { return f > 0 && f <= 1e300 })
		s.Budget = &budget
	}
	l.stopping(o, &s)
	if n := o.get("timeout"); n != nil {
		timeout := l.duration(n, o.name("timeout"))
		base.timeout, s.Timeout = timeout, &timeout
	}
	if n := o.get("retries"); n != nil {
		retries := int(l.whole(n, o.name("retries"), 0, 1000))
		base.retries, s.Retries = retries, &retries
	}
	if n := o.get("keep_cases"); n != nil {
		s.KeepCases = int(l.whole(n, o.name("keep_cases"), -1, math.MaxInt32))
	}
	if n := o.get("fixes"); n != nil {
		s.Fixes = map[string]string{}
		l.fixed = l.fields(n, o.name("fixes"))
		for _, f := range l.fixed {
			s.Fixes[f.key] = l.text(f.value, "the fix for "+f.key)
		}
	}
	return s
}

// pass reads the pass mark.
func (l *loader) pass(n *yaml.Node) *float64 {
	mark := l.number(n, "pass", "a number above 0, up to 1", func(f float64) bool { return f > 0 && f <= 1 })
	return &mark
}

// stopping reads what goes with the stopping rule. A width alone asks for
// stopping at it.
func (l *loader) stopping(o object, s *Settings) {
	if s.Stop == "topk" && o.get("top_k") == nil {
		l.at(o.get("stop").Line, "stop: topk needs top_k: of how many steps")
	}
	if n := o.get("width"); n != nil {
		s.Width = l.number(n, o.name("width"), "a number above 0, up to 2", func(f float64) bool { return f > 0 && f <= 2 })
		switch s.Stop {
		case "":
			s.Stop = "width"
		case "width":
		default:
			l.at(n.Line, "width goes with stop: width, not with stop: %s", s.Stop)
		}
	} else if s.Stop == "width" {
		l.at(o.get("stop").Line, "stop: width needs a width")
	}
	if s.Stop == "budget" && s.Budget == nil {
		l.at(o.get("stop").Line, "stop: budget needs a budget")
	}
}

// fixes checks that the steps and fixes that the settings name are there.
func (l *loader) fixes(d *declared, fixes map[string]string) {
	for i, member := range l.grouped {
		if !slices.Contains(l.known(), member.name) {
			l.at(member.line, "groups name %q, which is neither a step nor an input%s", member.name, pipeline.Suggest(member.name, l.known()))
		} else if slices.Contains(namesOf(l.grouped[:i]), member.name) {
			l.at(member.line, "groups name %q twice", member.name)
		}
	}
	for _, f := range l.fixed {
		names, known := d.variants(f.key)
		switch fix := fixes[f.key]; {
		case !known:
			l.at(f.line, "fixes name %q, which is neither a step nor an input%s", f.key, pipeline.Suggest(f.key, l.known()))
		case fix != "" && len(names) == 0:
			l.at(f.line, "fixes name %q for %s, which has no variants", fix, f.key)
		case fix != "" && !slices.Contains(names, fix):
			l.at(f.line, "%s has no variant %q%s", f.key, fix, pipeline.Suggest(fix, names))
		}
	}
}
