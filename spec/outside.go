package spec

import (
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/agentblame/agentblame/outside"
	yaml "go.yaml.in/yaml/v4"
)

// process reads a program and its arguments, or a shell command.
func (l *loader) process(n *yaml.Node, r role, opt options, id *identity) ask {
	p := &process{dir: l.absolute(), env: opt.env, limit: opt.maxOutput, timeout: opt.timeout, where: l.place(n)}
	if n := l.follow(n); n.Kind == yaml.SequenceNode {
		for _, e := range n.Content {
			p.argv = append(p.argv, l.argument(e, r))
		}
	} else if command := l.text(n, "exec of "+r.what); command != "" {
		p.name = fmt.Sprintf("%q", outside.Excerpt(command, 40))
		p.argv = []string{"sh", "-c", command}
		if runtime.GOOS == "windows" {
			p.argv = []string{"cmd", "/C", command}
		}
	}
	if len(p.argv) == 0 || p.argv[0] == "" {
		if l.follow(n).Kind == yaml.SequenceNode {
			l.at(n.Line, "exec of %s names no program", r.what)
		}
		return nil
	}
	for _, arg := range p.argv {
		if strings.ContainsRune(arg, 0) {
			l.at(n.Line, "exec of %s has a zero byte in an argument", r.what)
			return nil
		}
		id.add(arg)
		id.addFile(l.dir, arg)
	}
	if p.name == "" {
		p.name = outside.Excerpt(filepath.Base(p.argv[0]), 40)
	}
	return p.ask
}

// argument reads an argument of a program, which may be empty, or its name.
func (l *loader) argument(n *yaml.Node, r role) string {
	if at := l.follow(n); at.Kind == yaml.ScalarNode && at.Value == "" && !isNull(at) {
		return ""
	}
	return l.text(n, "an argument of exec of "+r.what)
}

// endpoint reads the address of a service, with or without headers.
func (l *loader) endpoint(n *yaml.Node, r role, opt options, id *identity) ask {
	e := &endpoint{client: l.client, limit: opt.maxOutput, timeout: opt.timeout, where: l.place(n)}
	address := n
	if l.follow(n).Kind == yaml.MappingNode {
		o := l.object(n, "http of "+r.what, inHTTP)
		if address = o.get("url"); address == nil {
			l.at(n.Line, "http of %s has no url", r.what)
		}
		if h := o.get("headers"); h != nil {
			e.headers = l.headers(h, r)
		}
	}
	if address != nil {
		text := l.text(address, "the url of "+r.what)
		var err error
		if e.url, err = parseTemplate(text); err != nil {
			l.at(address.Line, "the url of %s: %v", r.what, err)
		} else if fault := outside.AddressFault(text); text != "" && fault != "" && !e.url.variables() {
			l.at(address.Line, "the url of %s: %q %s", r.what, text, fault)
		}
	}
	id.add(e.url.written)
	for _, h := range e.headers {
		id.add(h.name)
		id.add(h.value.written)
	}
	return e.ask
}

// headers reads a request's headers. What looks like a key or a token must come
// from the environment: files are shared.
func (l *loader) headers(n *yaml.Node, r role) []header {
	var out []header
	for _, f := range l.fields(n, "headers of "+r.what) {
		value, err := parseTemplate(l.text(f.value, "header "+f.key))
		switch lower := strings.ToLower(f.key); {
		case err != nil:
			l.at(f.line, "header %s: %v", f.key, err)
		case !isToken(f.key):
			l.at(f.line, "%q isn't the name of a header", f.key)
		case lower == "content-length" || lower == "transfer-encoding" || lower == "content-type":
			l.at(f.line, "header %s can't be set: it follows from the request", f.key)
		case isSecret(lower) && !value.variables():
			l.at(f.line, "header %s must take its value from the environment, as in ${NAME}: keys don't belong into files", f.key)
		}
		out = append(out, header{http.CanonicalHeaderKey(f.key), value})
	}
	return out
}

// isToken says whether a header may have that name (RFC 9110, section 5.6.2).
func isToken(name string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	for _, r := range name {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(marks, r)) {
			return false
		}
	}
	return name != ""
}

func isSecret(header string) bool {
	for _, word := range []string{"auth", "cookie", "key", "token", "secret", "password"} {
		if strings.Contains(header, word) {
			return true
		}
	}
	return false
}

// place says where something is declared. It doesn't name the file: messages go
// into results, which are to be the same wherever the file is.
func (l *loader) place(n *yaml.Node) string {
	return fmt.Sprintf("line %d of the pipeline's file", n.Line)
}

// absolute returns the declaration's folder for processes to run in.
func (l *loader) absolute() string {
	if dir, err := filepath.Abs(l.dir); err == nil {
		return dir
	}
	return l.dir
}
