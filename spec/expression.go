package spec

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"
)

// expression is an expr-lang expression over steps and inputs by name, and over
// the case.
type expression struct {
	program   *vm.Program
	reads     []string // the names that it mentions, in the order of those there are
	readsCase bool     // it mentions the case
}

// longestExpression bounds an expression's text, and with it how deeply one can
// be nested.
const longestExpression = 16 << 10

// mistake is what is wrong with an expression, on which of its lines.
type mistake struct {
	line int // from 0
	text string
}

// compile compiles an expression over names. inputs and gold are the names that
// case.inputs and case.gold may have.
func compile(text string, names, inputs, gold []string) (*expression, []mistake) {
	if len(text) > longestExpression {
		return nil, []mistake{{0, fmt.Sprintf("an expression is longer than %d bytes", longestExpression)}}
	}
	parsed, err := parser.Parse(text)
	if err != nil {
		return nil, []mistake{exprMistake(err)}
	}
	look := &survey{text: text, names: names, inputs: inputs, gold: gold, seen: map[string]bool{}}
	look.collect(&parsed.Node)
	ast.Walk(&parsed.Node, look)
	if look.whole > 0 {
		look.everything()
	}
	if len(look.mistakes) > 0 {
		return nil, look.mistakes
	}
	env := types.Map{"case": types.Any}
	for _, n := range names {
		env[n] = types.Any
	}
	e := &expression{readsCase: look.seen["case"]}
	if e.program, err = expr.Compile(text, expr.Env(env), sorted("keys"), sorted("values"), sorted("toPairs")); err != nil {
		return nil, []mistake{exprMistake(err)}
	}
	for _, n := range names {
		if look.seen[n] {
			e.reads = append(e.reads, n)
		}
	}
	return e, nil
}

// exprMistake words an error of the expression language.
func exprMistake(err error) mistake {
	var at *file.Error
	if !errors.As(err, &at) {
		return mistake{0, err.Error()}
	}
	return mistake{max(0, at.Line-1), fmt.Sprintf("%s (at column %d of the expression)", at.Message, at.Column+1)}
}

// run evaluates the expression.
func (e *expression) run(args pipeline.Args) (any, error) {
	env := map[string]any{}
	for _, n := range e.reads {
		v, err := plainTree().decode([]byte(args.Get(n).JSON()))
		if err != nil {
			return nil, fmt.Errorf("decoding %s: %w", n, err)
		}
		env[n] = v
	}
	if e.readsCase {
		text, err := caseJSON(args.Case)
		if err != nil {
			return nil, fmt.Errorf("encoding the case: %w", err)
		}
		if text, err = canonical(text); err != nil {
			return nil, fmt.Errorf("encoding the case: %w", err)
		}
		if env["case"], err = plainTree().decode(text); err != nil {
			return nil, fmt.Errorf("decoding the case: %w", err)
		}
	}
	out, err := expr.Run(e.program, env)
	if err != nil {
		return nil, fmt.Errorf("expr: %s", exprMistake(err).text)
	}
	return out, nil
}

// survey walks an expression and finds out what it mentions.
type survey struct {
	text                string
	names, inputs, gold []string
	local               []string // variables declared with let
	seen                map[string]bool
	whole               int // mentions of $env that aren't followed by a name
	mistakes            []mistake
}

// collect finds the variables that the expression declares itself.
func (s *survey) collect(n *ast.Node) { ast.Walk(n, locals{s}) }

type locals struct{ *survey }

func (l locals) Visit(n *ast.Node) {
	if let, ok := (*n).(*ast.VariableDeclaratorNode); ok {
		l.local = append(l.local, let.Name)
	}
}

// Visit implements ast.Visitor.
func (s *survey) Visit(n *ast.Node) {
	switch node := (*n).(type) {
	case *ast.IdentifierNode:
		s.name(node)
	case *ast.BuiltinNode:
		if node.Name == "now" {
			s.mistake(node, "now() can't be used: a replay must give the same whenever it is made")
		}
	case *ast.MemberNode:
		s.member(node)
	}
}

func (s *survey) name(node *ast.IdentifierNode) {
	name := node.Value
	switch {
	case name == "case" || slices.Contains(s.names, name):
		s.seen[name] = true
	case name == "$env":
		s.whole++
	case slices.Contains(s.local, name):
	default:
		s.mistake(node, "there is nothing named %q%s", name, pipeline.Suggest(name, s.spelled()))
	}
}

// spelled returns the names as an expression must write them.
func (s *survey) spelled() []string {
	var out []string
	for _, n := range append(slices.Clone(s.names), "case") {
		if !isVariable(n) {
			n = "$env[" + string(quote(n)) + "]"
		}
		out = append(out, n)
	}
	return out
}

// member notes names that are spelled $env["name"], and checks those under case.
func (s *survey) member(node *ast.MemberNode) {
	property, constant := node.Property.(*ast.StringNode)
	switch base := unchained(node.Node).(type) {
	case *ast.IdentifierNode:
		switch {
		case base.Value == "$env" && constant:
			s.whole--
			if property.Value == "case" || slices.Contains(s.names, property.Value) {
				s.seen[property.Value] = true
			} else {
				s.mistake(node, "there is nothing named %q%s", property.Value, pipeline.Suggest(property.Value, s.spelled()))
			}
		case base.Value == "case" && constant:
			s.known(node, property.Value, "case has no", []string{"id", "inputs", "expected", "gold", "tags"})
		}
	case *ast.MemberNode:
		of, ok := unchained(base.Node).(*ast.IdentifierNode)
		part, known := base.Property.(*ast.StringNode)
		if !ok || of.Value != "case" || !known || !constant {
			return
		}
		switch part.Value {
		case "inputs":
			s.known(node, property.Value, "the pipeline has no input", s.inputs)
		case "gold":
			s.known(node, property.Value, "gold is by step or input; there is none named", s.gold)
		}
	}
}

func unchained(n ast.Node) ast.Node {
	if chain, ok := n.(*ast.ChainNode); ok {
		return chain.Node
	}
	return n
}

func (s *survey) known(node ast.Node, name, message string, names []string) {
	if !slices.Contains(names, name) {
		s.mistake(node, "%s %q%s", message, name, pipeline.Suggest(name, names))
	}
}

// everything notes that any name may be meant.
func (s *survey) everything() {
	s.seen["case"] = true
	for _, n := range s.names {
		s.seen[n] = true
	}
}

func (s *survey) mistake(node ast.Node, format string, args ...any) {
	before := []rune(s.text)
	line := strings.Count(string(before[:min(node.Location().From, len(before))]), "\n")
	m := mistake{line, fmt.Sprintf(format, args...)}
	if !slices.Contains(s.mistakes, m) {
		s.mistakes = append(s.mistakes, m)
	}
}

// sorted replaces one of the language's functions over an object's members,
// which go through them in an order that differs from run to run.
func sorted(name string) expr.Option {
	return expr.Function(name, func(params ...any) (any, error) {
		object, ok := params[0].(map[string]any)
		if !ok {
			return nil, fmt.Errorf("%s needs an object, not a %T", name, params[0])
		}
		out := []any{}
		for _, key := range slices.Sorted(maps.Keys(object)) {
			switch name {
			case "keys":
				out = append(out, key)
			case "values":
				out = append(out, object[key])
			default:
				out = append(out, []any{key, object[key]})
			}
		}
		return out, nil
	}, new(func(any) []any))
}
