package retail

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// The tools' answers are Python's, so its spellings and its arithmetic are here: json.dumps, repr, str, round, and + and - over int and float.

// appendDumps writes v as json.dumps does with its defaults; sorted is its sort_keys.
func appendDumps(b []byte, v any, sorted bool) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...)
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		return appendString(b, v)
	case Int:
		return append(b, v...)
	case float64:
		switch {
		case math.IsNaN(v):
			return append(b, "NaN"...)
		case math.IsInf(v, 1):
			return append(b, "Infinity"...)
		case math.IsInf(v, -1):
			return append(b, "-Infinity"...)
		}
		return append(b, reprFloat(v)...)
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendDumps(b, e, sorted)
		}
		return append(b, ']')
	case *Object:
		b = append(b, '{')
		for i, m := range v.ordered(sorted) {
			if i > 0 {
				b = append(b, ", "...)
			}
			b = appendString(b, m.Name)
			b = append(b, ": "...)
			b = appendDumps(b, m.Value, sorted)
		}
		return append(b, '}')
	}
	panic(fmt.Sprintf("retail: %T is not a JSON value", v)) // a caller built an Object of something else
}

// ordered returns the members by name, or in their own order.
func (o *Object) ordered(sorted bool) []Member {
	if o == nil {
		return nil
	}
	if !sorted {
		return o.members
	}
	return slices.SortedFunc(slices.Values(o.members), func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
}

// appendString writes a JSON string in ASCII: everything else as \u escapes of its UTF-16 code units.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, `\n`...)
		case r == '\r':
			b = append(b, `\r`...)
		case r == '\t':
			b = append(b, `\t`...)
		case r == '\b':
			b = append(b, `\b`...)
		case r == '\f':
			b = append(b, `\f`...)
		case r >= ' ' && r <= '~':
			b = append(b, byte(r))
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			b = fmt.Appendf(b, `\u%04x\u%04x`, high, low)
		default:
			b = fmt.Appendf(b, `\u%04x`, r)
		}
	}
	return append(b, '"')
}

// reprFloat is repr of a Python float: the shortest digits that read back as f, always with a point or an exponent.
func reprFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return "nan"
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	e := strconv.FormatFloat(f, 'e', -1, 64)
	exponent, _ := strconv.Atoi(e[strings.IndexByte(e, 'e')+1:])
	if exponent < -4 || exponent >= 16 {
		return e
	}
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// str is Python's str(v).
func str(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return repr(v)
}

// repr is Python's repr(v).
func repr(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case bool:
		if v {
			return "True"
		}
		return "False"
	case string:
		return reprString(v)
	case Int:
		return string(v)
	case float64:
		return reprFloat(v)
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = repr(e)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case *Object:
		var parts []string
		for name, e := range v.All() {
			parts = append(parts, reprString(name)+": "+repr(e))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	panic(fmt.Sprintf("retail: %T is not a JSON value", v))
}

func reprString(s string) string {
	quote := '\''
	if strings.Contains(s, "'") && !strings.Contains(s, `"`) {
		quote = '"'
	}
	var b strings.Builder
	b.WriteRune(quote)
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteRune(quote)
	return b.String()
}

// typeName is the name of v's Python type.
func typeName(v any) string {
	switch v.(type) {
	case nil:
		return "NoneType"
	case bool:
		return "bool"
	case string:
		return "str"
	case Int:
		return "int"
	case float64:
		return "float"
	case []any:
		return "list"
	}
	return "dict"
}

// elements is what a for loop over v sees: a list's elements, a string's characters, a dict's names.
func elements(v any) ([]any, error) {
	switch v := v.(type) {
	case []any:
		return v, nil
	case string:
		list := make([]any, 0, utf8.RuneCountInString(v))
		for _, r := range v {
			list = append(list, string(r))
		}
		return list, nil
	case *Object:
		list := make([]any, 0, v.Len())
		for name := range v.All() {
			list = append(list, name)
		}
		return list, nil
	}
	return nil, fmt.Errorf("'%s' object is not iterable", typeName(v))
}

// lower is v.lower(), which only a string has.
func lower(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", fmt.Errorf("'%s' object has no attribute 'lower'", typeName(v))
	}
	return strings.ToLower(s), nil
}

// round2 is round(v, 2): the nearest decimal of the exact value, ties to even. An int stays an int.
func round2(v any) any {
	f, ok := v.(float64)
	if !ok || math.IsInf(f, 0) || math.IsNaN(f) {
		return v
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', 2, 64), 64)
	return rounded
}

// add is a + b: of two ints an int, else a float.
func add(a, b any) any {
	x, ok := a.(Int)
	y, also := b.(Int)
	if ok && also {
		sum := x.big()
		return Int(sum.Add(sum, y.big()).String())
	}
	return float(a) + float(b)
}

// negate is -v.
func negate(v any) any {
	if i, ok := v.(Int); ok {
		n := i.big()
		return Int(n.Neg(n).String())
	}
	return -float(v)
}

// float is float(v) of an int or a float.
func float(v any) float64 {
	switch v := v.(type) {
	case Int:
		f, _ := strconv.ParseFloat(string(v), 64)
		return f
	case float64:
		return v
	}
	return 0
}

func (i Int) big() *big.Int {
	n, _ := new(big.Int).SetString(string(i), 10)
	return n
}
