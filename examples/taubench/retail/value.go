package retail

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Int is a JSON integer of any size: its decimal digits, with a minus sign when negative.
// Integers are kept apart from floats because Python does: it prints 51 and 51.0 differently.
type Int string

// Member is one name of an [Object] with its value.
type Member struct {
	Name  string
	Value any
}

// indexFrom is the size from which an object keeps an index: below, looking at each name is quicker than a map.
const indexFrom = 16

// Object is a JSON object that remembers the order of its names, as a Python dict does. It is immutable; nil is the empty object.
//
// Its values are nil, bool, string, [Int], float64, []any and *Object; lists must not be changed either.
type Object struct {
	members []Member
	index   map[string]int // by name; nil in small objects
}

// NewObject makes an object of members in their order. Of a repeated name the last value counts, at the place of the first, as in Python.
func NewObject(members ...Member) *Object {
	o := &Object{members: make([]Member, 0, len(members))}
	if len(members) >= indexFrom {
		o.index = make(map[string]int, len(members))
	}
	for _, m := range members {
		if i := o.find(m.Name); i >= 0 {
			o.members[i].Value = m.Value
			continue
		}
		if o.index != nil {
			o.index[m.Name] = len(o.members)
		}
		o.members = append(o.members, m)
	}
	return o
}

// ParseObject reads a JSON object. Anything but exactly one object is an error. Half a surrogate pair in a string becomes U+FFFD.
func ParseObject(data []byte) (*Object, error) {
	d := jsontext.NewDecoder(bytes.NewReader(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v, err := decode(d)
	if err != nil {
		return nil, fmt.Errorf("parse JSON object: %w", err)
	}
	if _, err := d.ReadToken(); err != io.EOF {
		return nil, fmt.Errorf("parse JSON object: text after byte %d", d.InputOffset())
	}
	o, ok := v.(*Object)
	if !ok {
		return nil, fmt.Errorf("parse JSON object: got a %s", typeName(v))
	}
	return o, nil
}

func decode(d *jsontext.Decoder) (any, error) {
	token, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		var members []Member
		for d.PeekKind() != '}' {
			name, err := d.ReadToken()
			if err != nil {
				return nil, err
			}
			member := Member{Name: name.String()} // before the next read: it reuses the token's bytes
			if member.Value, err = decode(d); err != nil {
				return nil, err
			}
			members = append(members, member)
		}
		_, err := d.ReadToken()
		return NewObject(members...), err
	case '[':
		list := []any{}
		for d.PeekKind() != ']' {
			v, err := decode(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err := d.ReadToken()
		return list, err
	case '"':
		return token.String(), nil
	case '0':
		return number(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

// number keeps an integer's digits and rounds everything else to the nearest float64, as Python does.
func number(text string) any {
	if !strings.ContainsAny(text, ".eE") {
		if text == "-0" {
			return Int("0")
		}
		return Int(text)
	}
	f, _ := strconv.ParseFloat(text, 64) // out of range: ±Inf, as in Python
	return f
}

func (o *Object) find(name string) int {
	if o == nil {
		return -1
	}
	if o.index != nil {
		if i, ok := o.index[name]; ok {
			return i
		}
		return -1
	}
	for i := range o.members {
		if o.members[i].Name == name {
			return i
		}
	}
	return -1
}

// Len is the number of names.
func (o *Object) Len() int {
	if o == nil {
		return 0
	}
	return len(o.members)
}

// Get returns the value of name, and whether there is one.
func (o *Object) Get(name string) (any, bool) {
	if i := o.find(name); i >= 0 {
		return o.members[i].Value, true
	}
	return nil, false
}

// All yields the names and values in order.
func (o *Object) All() iter.Seq2[string, any] {
	return func(yield func(string, any) bool) {
		if o == nil {
			return
		}
		for _, m := range o.members {
			if !yield(m.Name, m.Value) {
				return
			}
		}
	}
}

// With returns the object with the given members set: a known name keeps its place, a new one comes last. The object itself stays as it is.
func (o *Object) With(members ...Member) *Object {
	if o == nil {
		return NewObject(members...)
	}
	return NewObject(slices.Concat(o.members, members)...)
}

// String is the object as Python's json.dumps prints it.
func (o *Object) String() string {
	if o == nil {
		return "{}"
	}
	return string(appendDumps(nil, o, false))
}

// MarshalJSON keeps the order of names. A number beyond float64, which was read as infinity, has no JSON and is an error of the encoder.
func (o *Object) MarshalJSON() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalJSON keeps the order of names.
func (o *Object) UnmarshalJSON(data []byte) error {
	parsed, err := ParseObject(data)
	if err != nil {
		return err
	}
	*o = *parsed
	return nil
}

// Equal compares as Python compares dicts: the order of names does not matter, and numbers are equal by value (51 and 51.0).
func (o *Object) Equal(other *Object) bool { return o == other || equal(o, other) }

func equal(a, b any) bool {
	switch a := a.(type) {
	case *Object:
		b, ok := b.(*Object)
		if !ok || a.Len() != b.Len() {
			return false
		}
		for name, v := range a.All() {
			w, ok := b.Get(name)
			if !ok || !equal(v, w) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case string:
		b, ok := b.(string)
		return ok && a == b
	case nil:
		return b == nil
	}
	x, ok := numberText(a)
	y, also := numberText(b)
	return ok && also && x == y
}

// numberText writes a number so that equal numbers have equal text: in Python 1, 1.0 and True are equal.
func numberText(v any) (string, bool) {
	switch v := v.(type) {
	case bool:
		if v {
			return "1", true
		}
		return "0", true
	case Int:
		return string(v), true
	case float64:
		switch {
		case v == 0:
			return "0", true // -0.0 too
		case v == math.Trunc(v):
			return strconv.FormatFloat(v, 'f', 0, 64), true // all its digits, as an Int has them
		}
		return reprFloat(v), true
	}
	return "", false
}
