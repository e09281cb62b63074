package pipeline

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Value is one interned value of a replay: a case's input, a step's output or
// a step's error. Within one [Values] table, equal values are one Value, so that
// comparing pointers (or IDs) compares contents.
type Value struct {
	// ID is the value's number in its table, from 1.
	ID uint32

	plain any // the Go value itself where it can be shared safely, or nil
	err   error
	self  [1]*Value // the value itself, see Alone

	once sync.Once
	text string // canonical JSON
}

// Err returns the error that this value stands for, or nil.
func (v *Value) Err() error { return v.err }

// Alone returns the value as the only one of a list. The list must not be changed.
func (v *Value) Alone() []*Value { return v.self[:] }

// JSON returns the value as canonical JSON (RFC 8785, but for integers beyond
// 2^53, which keep their digits). It is empty for an error.
func (v *Value) JSON() string {
	v.once.Do(func() {
		if v.text == "" && v.err == nil {
			v.text, _ = canonical(v.plain) // a plain value always encodes
		}
	})
	return v.text
}

// Decode decodes the value into what into points to.
func (v *Value) Decode(into any) error {
	if err := json.Unmarshal([]byte(v.JSON()), into); err != nil {
		return jsonError(err)
	}
	return nil
}

// Any returns the value as Go's JSON values: nil, bool, float64, string,
// []any, map[string]any.
func (v *Value) Any() any {
	switch plain := v.plain.(type) {
	case string, bool, float64:
		return plain
	}
	var out any
	if err := v.Decode(&out); err != nil {
		return nil // canonical JSON decodes
	}
	return out
}

// Values interns values: each distinct one is encoded and stored once. It is
// safe for use by several goroutines.
type Values struct {
	mu     sync.Mutex
	plain  map[any]*Value
	texts  map[string]*Value
	errs   map[string]*Value
	traces map[string]string // of errors, by text
	pairs  map[[2]uint32]uint32
	nValue uint32
	nPair  uint32
}

// Intern returns the Value equal to v. Values of types without pointers, slices,
// maps, interfaces or floats are compared as Go values, all others by their
// canonical JSON. What has no JSON form (NaN, channels, cycles) is an error.
func (t *Values) Intern(v any) (*Value, error) {
	switch x := v.(type) {
	case *Value:
		return x, nil
	case string, bool:
		return t.internPlain(v), nil
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("%v has no JSON form", x)
		}
		return t.internPlain(x + 0), nil // -0 becomes 0
	case jsontext.Value:
		return t.InternJSON(x)
	}
	if v != nil && isPlain(reflect.TypeOf(v)) {
		return t.internPlain(v), nil
	}
	text, err := canonical(v)
	if err != nil {
		return nil, err
	}
	return t.internText(text), nil
}

// InternJSON returns the Value of a JSON text.
func (t *Values) InternJSON(text []byte) (*Value, error) {
	c, err := canonicalText(text)
	if err != nil {
		return nil, err
	}
	return t.internText(c), nil
}

// InternDecoded interns v as the Go type that decode makes of its JSON: what was
// recorded is then the same value as what a run gives. A nil decode is Intern.
func (t *Values) InternDecoded(v any, decode func([]byte) (any, error)) (*Value, error) {
	if decode == nil {
		return t.Intern(v)
	}
	text, err := canonical(v)
	if err != nil {
		return nil, err
	}
	typed, err := decode([]byte(text))
	if err != nil {
		return nil, err
	}
	return t.Intern(typed)
}

// InternError returns the Value of a step's error; errors are equal when their
// texts are, and their kinds, if they have a method Kind: a pipeline function may
// handle errors by their kind. A method Traceback is asked where it comes from.
func (t *Values) InternError(err error) *Value {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := err.Error()
	t.trace(text, err)
	key := text
	var kind interface{ Kind() string }
	if errors.As(err, &kind) && kind.Kind() != "" {
		key = text + "\x00" + kind.Kind()
	}
	if v, ok := t.errs[key]; ok {
		return v
	}
	if t.errs == nil {
		t.errs = map[string]*Value{}
	}
	v := t.add(nil, err, "")
	t.errs[key] = v
	return v
}

// trace notes where an error comes from. Of equal errors that come from several
// places one is kept, whichever was first: the least.
func (t *Values) trace(text string, err error) {
	var traced interface{ Traceback() string }
	if !errors.As(err, &traced) {
		return
	}
	from := traced.Traceback()
	if have, ok := t.traces[text]; from == "" || ok && have <= from {
		return
	}
	if t.traces == nil {
		t.traces = map[string]string{}
	}
	t.traces[text] = from
}

// Traceback returns where the error of that text comes from, in the words of the
// step's language; empty if that isn't known.
func (t *Values) Traceback(text string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.traces[text]
}

func (t *Values) internPlain(v any) *Value {
	t.mu.Lock()
	defer t.mu.Unlock()
	if found, ok := t.plain[v]; ok {
		return found
	}
	if t.plain == nil {
		t.plain = map[any]*Value{}
	}
	made := t.add(v, nil, "")
	t.plain[v] = made
	return made
}

// find returns the value of a plain type that equals v, or nil. Unlike interning,
// it needs no copy of v.
func (t *Values) find(v any) *Value {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.plain[v]
}

func (t *Values) internText(text string) *Value {
	// Scalars go where the Go scalars are, so that a step in Go and a step in
	// another process that say the same are the same.
	switch text[0] {
	case '"', 't', 'f':
		var v any
		if json.Unmarshal([]byte(text), &v) == nil {
			return t.internPlain(v)
		}
	case 'n', '[', '{':
	default:
		var f float64
		if json.Unmarshal([]byte(text), &f) == nil {
			if back, err := canonical(f); err == nil && back == text {
				return t.internPlain(f)
			}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if found, ok := t.texts[text]; ok {
		return found
	}
	if t.texts == nil {
		t.texts = map[string]*Value{}
	}
	made := t.add(nil, nil, text)
	t.texts[text] = made
	return made
}

// add numbers a new value. The caller holds the lock.
func (t *Values) add(plain any, err error, text string) *Value {
	t.nValue++
	v := &Value{ID: t.nValue, plain: plain, err: err, text: text}
	v.self[0] = v
	return v
}

// Tuple returns a number that stands for the sequence of IDs: equal sequences
// have equal numbers. An empty sequence is 0, one ID stands for itself.
func (t *Values) Tuple(ids ...uint32) uint32 {
	switch len(ids) {
	case 0:
		return 0
	case 1:
		return ids[0]
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	at := ids[0]
	for _, id := range ids[1:] {
		key := [2]uint32{at, id}
		n, ok := t.pairs[key]
		if !ok {
			if t.pairs == nil {
				t.pairs = map[[2]uint32]uint32{}
			}
			t.nPair++
			n = 1<<31 | t.nPair // apart from the values' own numbers
			t.pairs[key] = n
		}
		at = n
	}
	return at
}

// Reset forgets all values and keeps the memory.
func (t *Values) Reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	clear(t.plain)
	clear(t.texts)
	clear(t.errs)
	clear(t.traces)
	clear(t.pairs)
	t.nValue, t.nPair = 0, 0
}

// canonical encodes a Go value as canonical JSON.
func canonical(v any) (string, error) {
	b, err := json.Marshal(v, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return "", jsonError(err)
	}
	return canonicalText(b)
}

func canonicalText(text []byte) (string, error) {
	c := jsontext.Value(text).Clone()
	if err := c.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.AllowInvalidUTF8(true)); err != nil {
		return "", jsonError(err)
	}
	return string(c), nil
}

// jsonError takes the library's name off the front: users didn't call it. The
// library says "cannot" in one process and "unable to" in the next, so that nobody
// relies on its words; but results are to be the same, and errors stand in them.
func jsonError(err error) error {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "json: "), "jsontext: ")
	if rest, found := strings.CutPrefix(text, "unable to "); found {
		text = "cannot " + rest
	}
	return errors.New(text)
}

var plainTypes sync.Map // reflect.Type -> bool: an answer once computed never changes

// isPlain says whether values of t can be compared with == and shared between
// replays: no pointers, no slices or maps that someone could write to, no floats
// (NaN is not equal to itself), no type with an encoding of its own.
func isPlain(t reflect.Type) bool {
	if known, ok := plainTypes.Load(t); ok {
		return known.(bool)
	}
	plain := plainType(t)
	if plain {
		// A wrong tag makes a type that looks plain one that doesn't encode.
		_, err := canonical(reflect.Zero(t).Interface())
		plain = err == nil
	}
	plainTypes.Store(t, plain)
	return plain
}

func plainType(t reflect.Type) bool {
	if encodesItself(t) {
		return false
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return true
	case reflect.Array:
		return isPlain(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); !f.IsExported() || !isPlain(f.Type) || f.Tag.Get("json") == "-" {
				return false
			}
		}
		return true
	}
	return false
}
