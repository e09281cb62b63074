package spec

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agentblame/agentblame/pipeline"
	yaml "go.yaml.in/yaml/v4"
)

// options say how an implementation is run.
type options struct {
	cost          float64
	timeout       time.Duration
	retries       int
	deterministic bool
	version       string
	env           []string // nil: the whole environment
	maxOutput     int
	given         []string // the keys of what isn't a default
}

// defaults returns the options of what doesn't say otherwise.
func defaults() options {
	return options{cost: 1, timeout: time.Minute, retries: 2, maxOutput: 16 << 20}
}

// options reads the options that a mapping gives on top of others.
func (l *loader) options(o object, base options) options {
	if n := o.get("cost"); n != nil {
		base.cost = l.number(n, o.name("cost"), "a number from 0 up", func(f float64) bool { return f >= 0 && f <= 1e300 })
	}
	if n := o.get("timeout"); n != nil {
		base.timeout = l.duration(n, o.name("timeout"))
	}
	if n := o.get("retries"); n != nil {
		base.retries = int(l.whole(n, o.name("retries"), 0, 1000))
	}
	if n := o.get("deterministic"); n != nil {
		base.deterministic = l.flag(n, o.name("deterministic"))
	}
	if n := o.get("version"); n != nil {
		base.version = l.text(n, o.name("version"))
	}
	if n := o.get("max_output"); n != nil {
		base.maxOutput = int(l.whole(n, o.name("max_output"), 1, math.MaxInt32))
	}
	base.env = l.environment(o, base.env)
	base.given = slices.Clone(base.given)
	for _, f := range o.any(runKeys()) {
		base.given = append(base.given, f.key)
	}
	return base
}

// environment reads the names of environment variables, added to others.
func (l *loader) environment(o object, base []string) []string {
	given := o.any([]string{"env"})
	if len(given) == 0 {
		return base
	}
	env := append([]string{}, base...)
	for _, n := range l.names(given[0].value, o.name("env")) {
		if !isVariable(n.name) {
			l.at(n.line, "env of %s lists names of environment variables; %q isn't one", o.what, n.name)
		}
		env = append(env, n.name)
	}
	return env
}

// role is what an implementation is for.
type role struct {
	what  string   // for messages
	name  string   // of the step
	needs []string // what it sees
	score bool
}

// implementation reads one: of a step, of a variant, or a score's. It is nil,
// with a fault, when there is none. A string is a shell command.
func (l *loader) implementation(o object, r role, opt options) *pipeline.Impl {
	given := o.any(kinds())
	switch len(given) {
	case 0:
		l.at(o.line, "%s has nothing to run: give it one of %s", r.what, strings.Join(kinds(), ", "))
		return nil
	case 1:
		if given[0].key == "host" {
			return l.hosted(o, r, opt)
		}
		for _, f := range o.any([]string{"function", "variant"}) {
			l.at(f.line, "%s of %s goes with host, not with %s", f.key, r.what, given[0].key)
		}
		return l.kind(given[0].key, given[0].value, r, opt)
	}
	l.at(given[1].line, "%s has both %s and %s; only one can run", r.what, given[0].key, given[1].key)
	return nil
}

func (l *loader) kind(kind string, n *yaml.Node, r role, opt options) *pipeline.Impl {
	faults := len(l.list)
	impl := &pipeline.Impl{Cost: opt.cost}
	id := identity{kind, opt.version, strings.Join(r.needs, "\x00")}
	switch kind {
	case "exec", "http":
		var asked ask
		if kind == "exec" {
			asked = l.process(n, r, opt, &id)
		} else {
			asked = l.endpoint(n, r, opt, &id)
		}
		impl.Timeout, impl.Retries = opt.timeout, opt.retries
		impl.Blocking, impl.Opaque = true, !opt.deterministic
		id.add(fmt.Sprint(opt.deterministic))
		impl.Run = func(ctx context.Context, args pipeline.Args) (any, error) {
			q, err := question(ctx, args, r.score, !opt.deterministic)
			if err != nil {
				return nil, err
			}
			return asked(ctx, q)
		}
	case "value":
		v := l.json(n, "value of "+r.what)
		id.add(string(v))
		impl.Run = func(context.Context, pipeline.Args) (any, error) { return v, nil }
	case "gold":
		if !l.flag(n, "gold of "+r.what) && len(l.list) == faults {
			l.at(n.Line, "gold of %s can only be true", r.what)
		}
		impl.Run = func(_ context.Context, args pipeline.Args) (any, error) {
			v, ok := args.Case.Gold[r.name]
			if !ok {
				return nil, &pipeline.NoGoldError{Case: args.Case.ID, Step: r.name}
			}
			return v, nil
		}
	case "expr":
		if e := l.expression(n, r, r.needs); e != nil {
			id.add(n.Value)
			impl.Run = func(_ context.Context, args pipeline.Args) (any, error) { return e.run(args) }
		}
	}
	if len(l.list) > faults {
		return nil
	}
	impl.Version = id.version(opt.version)
	return impl
}

// expression reads an expression over names.
func (l *loader) expression(n *yaml.Node, r role, names []string) *expression {
	text := l.text(n, "expr of "+r.what)
	if text == "" {
		return nil
	}
	e, mistakes := compile(text, names, l.inputs, l.known())
	n = l.follow(n)
	for _, m := range mistakes {
		line := n.Line
		if n.Style == yaml.LiteralStyle {
			line += 1 + m.line // the text begins below its "|"
		}
		l.at(line, "expr of %s: %s", r.what, m.text)
	}
	return e
}
