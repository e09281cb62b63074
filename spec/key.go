package spec

import (
	"github.com/agentblame/agentblame/pipeline"
	yaml "go.yaml.in/yaml/v4"
)

// key reads an expression over a step's output: what of it matters downstream.
func (l *loader) key(n *yaml.Node, r role) func(*pipeline.Value) (any, error) {
	const output = "output"
	faults := len(l.list)
	e := l.expression(n, role{what: "the key of " + r.what}, []string{output})
	if e == nil || len(l.list) > faults {
		return nil
	}
	if e.readsCase {
		l.at(n.Line, "expr of the key of %s: a key says what of the output matters, and can't read the case", r.what)
		return nil
	}
	return func(v *pipeline.Value) (any, error) {
		return e.run(pipeline.NewArgs(nil, []string{output}, []*pipeline.Value{v}))
	}
}
