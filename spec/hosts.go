package spec

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/agentblame/agentblame/host"
	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	yaml "go.yaml.in/yaml/v4"
)

// HostOptions are what hosts are told and who hears from them: see
// [host.Options].
type HostOptions struct {
	Client string
	Log    func(line string)
}

// FromHost makes a file's contents of a host that has a whole pipeline: its cases
// are elsewhere, and its analysis has the defaults. Close closes the host.
func FromHost(h *host.Host) (*File, error) {
	p, err := h.Pipeline()
	if err != nil {
		return nil, err
	}
	if err := p.Check(); err != nil {
		return nil, err
	}
	return &File{Dir: ".", Name: p.Name, Pipeline: p, Check: CheckOf(p), Hosts: []*host.Host{h}}, nil
}

// Close ends the processes of the file's hosts.
func (f *File) Close() {
	for _, h := range f.Hosts {
		h.Close()
	}
}

// AskedAgain returns how many runs were asked for a second time since the process
// that had them ended, by the host's step; nil if none were.
func (f *File) AskedAgain() map[string]int {
	var all map[string]int
	for _, h := range f.Hosts {
		for step, n := range h.Stats().Retried {
			if all == nil {
				all = map[string]int{}
			}
			all[step] += n
		}
	}
	return all
}

// HostError returns why a host of the file can't be used any more, or nil.
func (f *File) HostError() error {
	var errs []error
	for _, h := range f.Hosts {
		if err := h.Err(); err != nil {
			errs = append(errs, fmt.Errorf("the analysis was ended: %w", err))
		}
	}
	return errors.Join(errs...)
}

// hosts are the hosts that a file declares. Each is asked what it has when the
// first step runs on it.
type hosts struct {
	ctx      context.Context // nil: none is started
	options  HostOptions
	declared map[string]*declaredHost
	open     []*host.Host
}

type declaredHost struct {
	line    int
	options host.Options
	host    *host.Host
	failed  bool // it isn't there, which has been said
}

func (h *hosts) close() {
	for _, open := range h.open {
		open.Close()
	}
}

// declareHosts reads the hosts block.
func (l *loader) declareHosts(file object, base options) {
	n := file.get("hosts")
	if n == nil {
		return
	}
	for _, f := range l.fields(n, "hosts") {
		if f.key == "" {
			l.at(f.line, "there is a host without a name")
		}
		l.hosts.declared[f.key] = l.declareHost(f, base)
	}
}

func (l *loader) declareHost(f field, base options) *declaredHost {
	what, faults := "host "+f.key, len(l.list)
	o := l.object(f.value, what, inHost)
	d := &declaredHost{line: f.line, options: host.Options{
		Name: f.key, Dir: l.absolute(), Env: l.environment(o, base.env), Client: l.hosts.options.Client, Log: l.hosts.options.Log,
	}}
	switch given := o.any([]string{"command", "url"}); len(given) {
	case 0:
		l.at(f.line, "%s has neither a command nor a url", what)
	case 2:
		l.at(given[1].line, "%s has both a command and a url; it can only be in one place", what)
	default:
		if given[0].key == "command" {
			d.options.Command = l.command(given[0].value, what)
		} else {
			l.address(o, given[0].value, what, d)
		}
	}
	if n := o.get("workers"); n != nil {
		d.options.Workers = int(l.whole(n, o.name("workers"), 1, 1000))
	}
	if n := o.get("start_timeout"); n != nil {
		d.options.StartTimeout = l.duration(n, o.name("start_timeout"))
	}
	if n := o.get("hang_timeout"); n != nil {
		d.options.HangTimeout = l.duration(n, o.name("hang_timeout"))
	}
	if n := o.get("max_output"); n != nil {
		d.options.MaxOutput = int(l.whole(n, o.name("max_output"), 1, math.MaxInt32))
	}
	d.failed = len(l.list) > faults
	return d
}

// command reads a program and its arguments, or a command line.
func (l *loader) command(n *yaml.Node, what string) []string {
	if n := l.follow(n); n.Kind != yaml.SequenceNode {
		return host.Split(l.text(n, "the command of "+what))
	}
	var argv []string
	for _, e := range l.follow(n).Content {
		argv = append(argv, l.argument(e, role{what: what}))
	}
	if len(argv) == 0 || argv[0] == "" {
		l.at(n.Line, "the command of %s names no program", what)
	}
	return argv
}

// address reads where a service is, variables filled in, and its headers.
func (l *loader) address(o object, n *yaml.Node, what string, d *declaredHost) {
	text := l.text(n, "the url of "+what)
	url, err := parseTemplate(text)
	if err == nil {
		d.options.URL, err = url.expand(secrets{})
	}
	if err != nil {
		l.at(n.Line, "the url of %s: %v", what, err)
	} else if fault := outside.AddressFault(d.options.URL); text != "" && fault != "" {
		l.at(n.Line, "the url of %s: %q %s", what, text, fault)
	}
	if h := o.get("headers"); h != nil {
		headers := l.headers(h, role{what: what})
		d.options.Header = func() (map[string]string, error) {
			out := map[string]string{}
			for _, h := range headers {
				value, err := h.value.expand(secrets{})
				if err != nil {
					return nil, fmt.Errorf("header %s: %w", h.name, err)
				}
				out[h.name] = value
			}
			return out, nil
		}
	}
}

// host returns the host of a name, and asks it what it has when it is the first to.
// It is nil, with a fault, when it isn't there.
func (l *loader) host(n *yaml.Node, what string) *host.Host {
	name := l.text(n, "host of "+what)
	d := l.hosts.declared[name]
	switch {
	case name == "":
		return nil
	case d == nil:
		names := slices.Sorted(maps.Keys(l.hosts.declared))
		l.at(n.Line, "%s runs on host %q, which hosts doesn't have%s", what, name, pipeline.Suggest(name, names))
		return nil
	case d.host == nil && !d.failed && l.hosts.ctx == nil:
		d.failed = true
		l.at(d.line, "host %s can't be asked what it has here", name)
	case d.host == nil && !d.failed:
		h, err := host.Open(l.hosts.ctx, d.options)
		if err != nil {
			d.failed = true
			// Its lines are fit for a terminal already, and there may be many.
			l.list = append(l.list, Fault{l.file, d.line, err.Error()})
			return nil
		}
		d.host = h
		l.hosts.open = append(l.hosts.open, h)
	}
	return d.host
}
