package spec

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/pipeline"
	yaml "go.yaml.in/yaml/v4"
)

// reader reads the nodes of one YAML document and collects what is wrong with
// them. It goes on after a fault, so that all come out at once.
type reader struct {
	faults
	expanded int // what has been reached through aliases, in bytes
}

// maxExpanded bounds what aliases may blow a document up to.
const maxExpanded = 16 << 20

// aliasPrice is what following one alias counts, so that cycles of empty values
// end too.
const aliasPrice = 256

// document parses the only document of a YAML text. It is nil, with a fault,
// when there is none.
func (r *reader) document(data []byte) *yaml.Node {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		r.at(0, "%v", err)
		return nil
	}
	var doc, second yaml.Node
	err = loader.Load(&doc)
	if err == nil {
		if again := loader.Load(&second); again == nil {
			r.at(second.Line, "a second YAML document begins here; there must be one only")
			return nil
		} else if !errors.Is(again, io.EOF) {
			err = again
		}
	}
	switch {
	case errors.Is(err, io.EOF):
		r.at(1, "the file is empty")
		return nil
	case err != nil:
		line, text := yamlError(err)
		r.at(line, "not YAML: %s", text)
		return nil
	case len(doc.Content) == 0:
		r.at(1, "the file is empty")
		return nil
	}
	if n := circular(doc.Content[0], nil); n != nil {
		r.at(n.Line, "the anchor %q contains itself", n.Value)
		return nil
	}
	return doc.Content[0]
}

// yamlError takes a parser's error apart.
func yamlError(err error) (line int, text string) {
	var at *yaml.LoadError
	if !errors.As(err, &at) {
		return 1, strings.TrimPrefix(err.Error(), "yaml: ")
	}
	text = strings.TrimPrefix(at.Message, "yaml: ")
	if at.ContextMsg != "" {
		text = at.ContextMsg + ": " + text
	}
	return max(1, at.Mark.Line), text
}

// circular returns an alias that stands inside of what it stands for, or nil.
// Anchors come before their aliases, so there are no other circles.
func circular(n *yaml.Node, inside []*yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		if slices.Contains(inside, n.Alias) {
			return n
		}
		return nil
	}
	if n.Anchor != "" {
		inside = append(inside, n)
	}
	for _, c := range n.Content {
		if found := circular(c, inside); found != nil {
			return found
		}
	}
	return nil
}

// follow returns what an alias stands for, and any other node as it is.
func (r *reader) follow(n *yaml.Node) *yaml.Node {
	if n.Kind != yaml.AliasNode {
		return n
	}
	if !r.spend(n.Line, aliasPrice) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Line: n.Line}
	}
	return n.Alias
}

// spend counts what an alias brings in. It is false when that is too much.
func (r *reader) spend(line, bytes int) bool {
	before := r.expanded
	r.expanded += bytes
	if r.expanded <= maxExpanded {
		return true
	}
	if before <= maxExpanded {
		r.at(line, "the file's aliases stand for more than %d MiB", maxExpanded>>20)
	}
	return false
}

// field is one entry of a mapping.
type field struct {
	key   string
	line  int
	value *yaml.Node
}

// fields returns the entries of a mapping in order, those merged in with "<<"
// last. An empty value is an empty mapping.
func (r *reader) fields(n *yaml.Node, what string) []field {
	n = r.follow(n)
	if isNull(n) {
		return nil
	}
	if n.Kind != yaml.MappingNode {
		r.at(n.Line, "%s must be a mapping, not %s", what, describe(n))
		return nil
	}
	var out []field
	var merged []*yaml.Node
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			if from := r.follow(value); from.Kind == yaml.SequenceNode {
				merged = append(merged, from.Content...)
			} else {
				merged = append(merged, from)
			}
			continue
		}
		line := key.Line
		if key = r.follow(key); key.Kind != yaml.ScalarNode {
			r.at(line, "%s has a key that is %s; a key must be a name", what, describe(key))
			continue
		}
		if first, twice := lines[key.Value]; twice {
			r.at(line, "%s: %q is given twice (first on line %d)", what, key.Value, first)
			continue
		}
		lines[key.Value] = line
		out = append(out, field{key.Value, line, value})
	}
	for _, m := range merged {
		for _, f := range r.fields(m, "what << brings into "+what) {
			if _, have := lines[f.key]; !have {
				lines[f.key] = f.line
				out = append(out, f)
			}
		}
	}
	return out
}

// object is a mapping whose keys are known.
type object struct {
	what   string // for messages: "step planner"
	line   int
	fields []field
}

// object reads a mapping of a place; other keys than the place's are faults.
func (r *reader) object(n *yaml.Node, what string, where place) object {
	o := object{what: what, line: n.Line}
	known := where.keys()
	for _, f := range r.fields(n, what) {
		if !slices.Contains(known, f.key) {
			r.at(f.line, "%s has no key %q%s", what, f.key, pipeline.Suggest(f.key, known))
			continue
		}
		o.fields = append(o.fields, f)
	}
	return o
}

// get returns the value of a key, or nil when it isn't given or is empty.
func (o object) get(key string) *yaml.Node {
	for _, f := range o.fields {
		if f.key == key && !isNull(f.value) {
			return f.value
		}
	}
	return nil
}

// any returns the keys given among those named.
func (o object) any(keys []string) []field {
	var out []field
	for _, f := range o.fields {
		if slices.Contains(keys, f.key) {
			out = append(out, f)
		}
	}
	return out
}

// name names a key's value for messages: "timeout of step planner".
func (o object) name(key string) string { return key + " of " + o.what }
