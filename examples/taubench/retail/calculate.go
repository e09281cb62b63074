package retail

import (
	"fmt"
	"math"
	"math/big"
	"strings"
)

// calculate works out an expression of numbers, + - * / // ** and parentheses as Python does, ints exact and floats in float64, and rounds to two decimals.
func calculate(_ *DB, args []any) (string, error) {
	if _, err := elements(args[0]); err != nil {
		return "", err
	}
	expression, ok := args[0].(string)
	if !ok || strings.ContainsFunc(expression, func(r rune) bool { return !strings.ContainsRune("0123456789+-*/(). ", r) }) {
		return "", refusal("invalid characters in expression")
	}
	if strings.Trim(expression, " ") == "" {
		return "", refusal("invalid syntax (<string>, line 0)")
	}
	p := parser{text: expression, rest: expression}
	v := p.sum()
	p.space()
	if p.syntax == "" && p.rest != "" {
		p.invalid()
	}
	if p.syntax != "" { // Python parses before it works anything out
		return "", p.syntax
	}
	f := p.float(v)
	if p.fault != "" {
		return "", p.fault
	}
	return str(round2(f)), nil
}

// parser reads an expression by recursive descent and works it out on the way. Its numbers are *big.Int and float64.
type parser struct {
	text   string // the whole expression
	rest   string // what is not read yet
	depth  int
	syntax refusal // the first fault of syntax
	fault  refusal // the first fault of arithmetic
}

// maxDepth bounds nesting, as Python's parser does.
const maxDepth = 200

// wrong notes a fault of syntax.
func (p *parser) wrong(what refusal) {
	if p.syntax == "" {
		p.syntax = what + " (<string>, line 1)"
	}
}

// invalid notes that the text does not go on as it should. Python then looks first for parentheses that don't match.
func (p *parser) invalid() {
	open := 0
	for _, r := range p.text {
		switch r {
		case '(':
			open++
		case ')':
			open--
		}
		if open < 0 {
			p.wrong("unmatched ')'")
		}
	}
	if open > 0 {
		p.wrong("'(' was never closed")
	}
	p.wrong("invalid syntax")
}

func (p *parser) fail(format string, args ...any) {
	if p.fault == "" {
		p.fault = refusal(fmt.Sprintf(format, args...))
	}
}

func (p *parser) space() { p.rest = strings.TrimLeft(p.rest, " ") }

// next takes the first of the operators that stands here.
func (p *parser) next(operators ...string) string {
	p.space()
	for _, op := range operators {
		if strings.HasPrefix(p.rest, op) {
			p.rest = p.rest[len(op):]
			return op
		}
	}
	return ""
}

func (p *parser) sum() any {
	v := p.product()
	for {
		op := p.next("+", "-")
		if op == "" {
			return v
		}
		v = p.apply(op, v, p.product())
	}
}

func (p *parser) product() any {
	v := p.signed()
	for {
		op := p.next("//", "*", "/")
		if op == "" {
			return v
		}
		v = p.apply(op, v, p.signed())
	}
}

// signed binds weaker than a power to its right: -2**2 is -4, 2**-1 is 0.5.
func (p *parser) signed() any {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		p.wrong("too many nested parentheses")
		return new(big.Int)
	}
	switch p.next("+", "-") {
	case "+":
		return p.signed()
	case "-":
		switch v := p.signed().(type) {
		case *big.Int:
			return new(big.Int).Neg(v)
		case float64:
			return -v
		}
	}
	v := p.atom()
	if p.next("**") != "" {
		return p.apply("**", v, p.signed())
	}
	return v
}

func (p *parser) atom() any {
	if p.next("(") != "" {
		v := p.sum()
		if p.next(")") == "" {
			p.invalid()
		}
		return p.called(v)
	}
	end := strings.IndexFunc(p.rest, func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(p.rest)
	}
	text := p.rest[:end]
	p.rest = p.rest[end:]
	whole, fraction, point := strings.Cut(text, ".")
	if whole+fraction == "" || strings.Contains(fraction, ".") {
		p.invalid()
		return new(big.Int)
	}
	if point {
		return p.called(float(number("0" + whole + "." + fraction + "0")))
	}
	if len(whole) > 1 && strings.Trim(whole, "0") != "" && whole[0] == '0' {
		p.wrong("leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers")
	}
	return p.called(Int(whole).big())
}

// called refuses parentheses after a value: to Python 2(3) is a call.
func (p *parser) called(v any) any {
	for p.next("(") != "" {
		if p.next(")") == "" {
			p.sum()
			if p.next(")") == "" {
				p.invalid()
				return v
			}
		}
		kind := "float"
		if _, ok := v.(*big.Int); ok {
			kind = "int"
		}
		p.fail("'%s' object is not callable", kind)
	}
	return v
}

// float is float(v).
func (p *parser) float(v any) float64 {
	i, ok := v.(*big.Int)
	if !ok {
		return v.(float64)
	}
	f, _ := new(big.Float).SetInt(i).Float64()
	if math.IsInf(f, 0) {
		p.fail("int too large to convert to float")
	}
	return f
}

func (p *parser) apply(op string, a, b any) any {
	if p.syntax != "" || p.fault != "" {
		return new(big.Int)
	}
	x, ok := a.(*big.Int)
	y, also := b.(*big.Int)
	if ok && also {
		return p.ints(op, x, y)
	}
	return p.floats(op, p.float(a), p.float(b))
}
