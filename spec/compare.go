package spec

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// decimal is a JSON number in the one form that all its spellings share: a sign,
// the digits without zeros at either end, "e", and the power of ten. Comparing
// two of them compares the numbers by value, whatever their size.
type decimal string

func toDecimal(text string) decimal {
	sign := ""
	if rest, negative := strings.CutPrefix(text, "-"); negative {
		sign, text = "-", rest
	}
	exponent := 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		e, err := strconv.Atoi(text[i+1:])
		if err != nil {
			return decimal(sign + text) // beyond all reason: equal to itself only
		}
		text, exponent = text[:i], e
	}
	if whole, fraction, ok := strings.Cut(text, "."); ok {
		text, exponent = whole+fraction, exponent-len(fraction)
	}
	text = strings.TrimLeft(text, "0")
	if text == "" {
		return "0"
	}
	short := strings.TrimRight(text, "0")
	return decimal(sign + short + "e" + strconv.Itoa(exponent+len(text)-len(short)))
}

// folding says which differences between strings don't matter.
type folding struct{ ignoreCase, trim bool }

func (f folding) fold(s string) string {
	if f.trim {
		s = strings.TrimSpace(s)
	}
	if f.ignoreCase {
		s = strings.ToLower(s)
	}
	return s
}

// decode decodes a value for comparison.
func (f folding) decode(v jsontext.Value) (any, error) {
	c, err := canonical(v)
	if err != nil {
		return nil, err
	}
	return tree{
		number: func(text string) any { return toDecimal(text) },
		text:   func(s string) any { return f.fold(s) },
	}.decode(c)
}

// same says whether two decoded values are equal. A number and a string are when
// the string is that number: a model that answers "30" says 30, and a CSV file
// knows only strings. Two strings are compared as strings: "1.10" isn't "1.1".
func same(a, b any) bool {
	if s, ok := a.(string); ok {
		a, b = b, s
	}
	if s, ok := b.(string); ok {
		if d, ok := a.(decimal); ok {
			s = strings.TrimSpace(s)
			return isNumber(s) && canonicalDecimal(s) == d
		}
	}
	return reflect.DeepEqual(a, b)
}

// canonicalDecimal is the decimal of a number's canonical form.
func canonicalDecimal(text string) decimal {
	c, err := canonical(jsontext.Value(text))
	if err != nil {
		return toDecimal(text)
	}
	return toDecimal(string(c))
}

// asNumber returns the number that a decoded value is, or that it spells.
func asNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case decimal:
		f, err := strconv.ParseFloat(string(v), 64)
		return f, err == nil
	case string:
		s := strings.TrimSpace(v)
		if isNumber(s) {
			f, err := strconv.ParseFloat(s, 64)
			return f, err == nil
		}
	}
	return 0, false
}
