package spec

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	yaml "go.yaml.in/yaml/v4"
)

// deepest is how deeply a value in a YAML file may be nested.
const deepest = 1000

// json reads any value as JSON. Numbers keep their digits. The value is nil, with
// a fault, where there is no such JSON.
func (r *reader) json(n *yaml.Node, what string) jsontext.Value {
	c := converter{reader: r, what: what, ok: true}
	c.append(n, 0, false)
	if !c.ok {
		return nil
	}
	return c.out
}

// converter writes a YAML value as JSON.
type converter struct {
	*reader
	what string
	out  jsontext.Value
	ok   bool
}

func (c *converter) fail(n *yaml.Node, format string, args ...any) {
	c.ok = false
	c.at(n.Line, c.what+": "+format, args...)
}

func (c *converter) append(n *yaml.Node, depth int, aliased bool) {
	if depth > deepest {
		c.fail(n, "a value is nested more than %d deep", deepest)
		return
	}
	if n.Kind == yaml.AliasNode {
		aliased = true
		n = c.follow(n)
	}
	if aliased && !c.spend(n.Line, len(n.Value)+8) {
		c.ok = false
		return
	}
	switch n.Kind {
	case yaml.MappingNode:
		c.out = append(c.out, '{')
		for i, f := range c.unfaulted(n) {
			if i > 0 {
				c.out = append(c.out, ',')
			}
			c.quote(n, f.key)
			c.out = append(c.out, ':')
			if c.append(f.value, depth+1, aliased); !c.ok {
				return
			}
		}
		c.out = append(c.out, '}')
	case yaml.SequenceNode:
		c.out = append(c.out, '[')
		for i, e := range n.Content {
			if i > 0 {
				c.out = append(c.out, ',')
			}
			if c.append(e, depth+1, aliased); !c.ok {
				return
			}
		}
		c.out = append(c.out, ']')
	default:
		c.scalar(n)
	}
}

// unfaulted returns a mapping's fields; a fault in them is one of the value.
func (c *converter) unfaulted(n *yaml.Node) []field {
	before := len(c.list)
	fields := c.fields(n, c.what)
	if len(c.list) > before {
		c.ok = false
	}
	return fields
}

func (c *converter) scalar(n *yaml.Node) {
	switch tag := n.ShortTag(); tag {
	case "!!null":
		c.out = append(c.out, "null"...)
	case "!!bool":
		word := strings.ToLower(n.Value)
		if word != "true" && word != "false" {
			c.fail(n, "%s is neither true nor false", describe(n))
			return
		}
		c.out = append(c.out, word...)
	case "!!int", "!!float":
		text, fault := numberText(n)
		if fault != "" {
			c.fail(n, "%s %s", describe(n), fault)
			return
		}
		c.out = append(c.out, text...)
	case "!!str", "!!timestamp":
		c.quote(n, n.Value)
	default:
		c.fail(n, "the tag %s isn't supported", tag)
	}
}

func (c *converter) quote(n *yaml.Node, s string) {
	out, err := jsontext.AppendQuote(c.out, s)
	if err != nil {
		c.fail(n, "%s isn't valid UTF-8", describe(n))
		return
	}
	c.out = out
}
