package pipeline

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

type plain struct {
	Text string `json:"text"`
	Year int    `json:"year"`
	Tags [2]string
}

type withSlice struct {
	Docs  []string
	Score float64
}

// secret has a JSON form of its own, that shows only half of it.
type secret struct{ Shown, Hidden int }

func (s secret) MarshalJSON() ([]byte, error)   { return json.Marshal(s.Shown) }
func (s *secret) UnmarshalJSON(b []byte) error  { return json.Unmarshal(b, &s.Shown) }
func (p *pointed) MarshalJSON() ([]byte, error) { return json.Marshal(p.N % 10) }

// pointed is as secret is, with a pointer receiver.
type pointed struct{ N int }

// cyclic can't be encoded when it contains itself.
type cyclic struct{ Next *cyclic }

// twice looks plain but has no JSON form: two fields of one name. Vet would
// rightly say so of a struct that is written down.
func twice() any {
	field := func(name string) reflect.StructField {
		return reflect.StructField{Name: name, Type: reflect.TypeFor[int](), Tag: `json:"x"`}
	}
	return reflect.Zero(reflect.StructOf([]reflect.StructField{field("A"), field("B")})).Interface()
}

// TestIntern says which Go values are the same value, and what their JSON is.
func TestIntern(t *testing.T) {
	negativeZero := math.Copysign(0, -1)
	tests := []struct {
		name string
		same []any
		json string
	}{
		{"strings", []any{"a", json.RawMessage(`"a"`), json.RawMessage(` "\u0061" `)}, `"a"`},
		{"booleans", []any{true, json.RawMessage(`true`)}, `true`},
		{"null", []any{nil, (*int)(nil), json.RawMessage(`null`)}, `null`},
		{"floats", []any{1.5, float32(1.5), json.RawMessage(`1.50`), json.RawMessage(`15e-1`)}, `1.5`},
		{"whole floats", []any{100.0, json.RawMessage(`100`), json.RawMessage(`1e2`), json.RawMessage(`100.0`)}, `100`},
		{"zeros", []any{0.0, negativeZero, json.RawMessage(`-0`), json.RawMessage(`0.0`)}, `0`},
		{"zeros within", []any{[]float64{0}, []float64{negativeZero}, json.RawMessage(`[-0.0]`)}, `[0]`},
		{"lists", []any{[]int{1, 2}, []float64{1, 2}, [2]float64{1, 2}, []any{1, 2.0}, json.RawMessage(`[1, 2]`)}, `[1,2]`},
		{"no list", []any{[]int(nil), []int{}, json.RawMessage(`[]`)}, `[]`},
		{"objects", []any{withSlice{[]string{"d"}, 1}, map[string]any{"Score": 1, "Docs": []string{"d"}}, json.RawMessage(`{"Score":1,"Docs":["d"]}`)}, `{"Docs":["d"],"Score":1}`},
		{"plain structs", []any{plain{Text: "a"}, plain{Text: "a"}}, `{"Tags":["",""],"text":"a","year":0}`},
		{"a form of its own", []any{secret{1, 2}, secret{1, 3}, json.RawMessage(`1`), 1.0}, `1`},
		{"by pointer", []any{pointed{11}, pointed{21}, &pointed{1}}, `1`},
		{"bytes", []any{[]byte("abc"), "YWJj"}, `"YWJj"`},
	}
	var values Values
	ids := map[uint32]string{}
	for _, test := range tests {
		first, err := values.Intern(test.same[0])
		if err != nil {
			t.Fatalf("%s: %v", test.name, err)
		}
		for i, v := range test.same {
			got, err := values.Intern(v)
			if err != nil || got != first {
				t.Errorf("%s: value %d (%#v) is another: %v, error %v", test.name, i, v, got, err)
			}
			if back, _ := values.Intern(got); back != got {
				t.Errorf("%s: a Value isn't interned as itself", test.name)
			}
		}
		if first.JSON() != test.json {
			t.Errorf("%s: JSON %s, want %s", test.name, first.JSON(), test.json)
		}
		if first.Err() != nil || len(first.Alone()) != 1 || first.Alone()[0] != first {
			t.Errorf("%s: error %v, alone %v", test.name, first.Err(), first.Alone())
		}
		// What two rows share, they share on purpose.
		if other, taken := ids[first.ID]; taken && test.json != `1` {
			t.Errorf("%s and %s are the same value", other, test.name)
		}
		ids[first.ID] = test.name
	}
}

// TestInternDigits keeps integers that a float64 can't hold apart, and whole.
func TestInternDigits(t *testing.T) {
	var values Values
	seen := map[*Value]string{}
	for _, text := range []string{
		"9007199254740991", "9007199254740992", "9007199254740993", "-9007199254740993",
		"12345678901234567890", "12345678901234567891", "123456789012345678901234567890",
	} {
		v, err := values.InternJSON([]byte(text))
		if err != nil || v.JSON() != text {
			t.Errorf("%s became %v, error %v", text, v.JSON(), err)
		}
		if other, taken := seen[v]; taken {
			t.Errorf("%s and %s are the same value", text, other)
		}
		seen[v] = text
	}
	v, err := values.Intern(int64(9007199254740993))
	if err != nil || v.JSON() != "9007199254740993" {
		t.Errorf("an int64 became %v, error %v", v.JSON(), err)
	}
	back, err := as[int64](v)
	if err != nil || back != 9007199254740993 {
		t.Errorf("an int64 came back as %v, error %v", back, err)
	}
}

func TestInternRejects(t *testing.T) {
	loop := &cyclic{}
	loop.Next = loop
	tests := map[string]any{
		"NaN":              math.NaN(),
		"+Inf":             math.Inf(1),
		"-Inf":             math.Inf(-1),
		"NaN within":       map[string]any{"a": []any{math.NaN()}},
		"NaN32":            float32(math.NaN()),
		"channel":          make(chan int),
		"function":         func() {},
		"complex":          1i,
		"cycle":            loop,
		"two of one name":  twice(),
		"not JSON":         json.RawMessage(`{`),
		"names twice":      json.RawMessage(`{"a":1,"a":2}`),
		"trailing garbage": json.RawMessage(`1 2`),
	}
	for name, v := range tests {
		t.Run(name, func(t *testing.T) {
			var values Values
			got, err := values.Intern(v)
			if err == nil {
				t.Fatalf("is %s", got.JSON())
			}
			if strings.HasPrefix(err.Error(), "json") {
				t.Errorf("error %q names the library", err)
			}
		})
	}
}

// TestInternInvalidUTF8: models do write half a character. JSON has U+FFFD for
// it; in Go the string stays as it is.
func TestInternInvalidUTF8(t *testing.T) {
	var values Values
	v, err := values.Intern("half \xe2\x82")
	if err != nil {
		t.Fatal(err)
	}
	if back, err := as[string](v); err != nil || back != "half \xe2\x82" {
		t.Errorf("came back as %q, %v", back, err)
	}
	var decoded string
	if err := v.Decode(&decoded); err != nil || !strings.HasPrefix(decoded, "half \ufffd") {
		t.Errorf("decoded as %q, %v", decoded, err)
	}
	list, err := values.Intern([]string{"half \xe2\x82"})
	if err != nil || !strings.Contains(list.JSON(), "\ufffd") {
		t.Errorf("in a list: %v, %v", list, err)
	}
}

func TestInternError(t *testing.T) {
	var values Values
	a, b := values.InternError(errors.New("no")), values.InternError(errors.New("yes"))
	if a == b || a != values.InternError(errors.New("no")) {
		t.Error("errors aren't equal when their texts are")
	}
	kinds := map[*Value]bool{}
	for _, data := range []map[string]any{nil, {"type": "A"}, {"type": "A", "line": 3}, {"type": "B"}, {"type": "A", "module": "m"}} {
		kinds[values.InternError(&RecordedError{Message: "no", Data: data})] = true
	}
	if len(kinds) != 4 || !kinds[a] {
		t.Errorf("errors of 4 kinds, one of them none, are %d values", len(kinds))
	}
	no, err := values.Intern("no")
	if err != nil || no == a || no.ID == a.ID {
		t.Error("an error is the same as its text")
	}
	if a.JSON() != "" || a.Err() == nil || a.Any() != nil {
		t.Errorf("JSON %q, error %v, any %v", a.JSON(), a.Err(), a.Any())
	}
}

func TestInternDecoded(t *testing.T) {
	var values Values
	want, err := values.Intern(plain{Text: "a", Year: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, recorded := range []any{map[string]any{"text": "a", "year": 3}, json.RawMessage(`{"year":3,"text":"a"}`), plain{Text: "a", Year: 3}} {
		got, err := values.InternDecoded(recorded, decode[plain])
		if err != nil || got != want {
			t.Errorf("%v is another value, error %v", recorded, err)
		}
	}
	if _, err := values.InternDecoded("a", decode[plain]); err == nil || !strings.Contains(err.Error(), "pipeline.plain") {
		t.Errorf("error %v", err)
	}
	if got, err := values.InternDecoded(want, nil); err != nil || got != want {
		t.Errorf("without a type: %v, %v", got, err)
	}
}

func TestValueAny(t *testing.T) {
	var values Values
	for _, want := range []any{nil, true, "a", 1.5, []any{1.0, "b"}, map[string]any{"a": []any{nil}}} {
		v, err := values.Intern(want)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, v.Any()); diff != "" {
			t.Errorf("any (-want +got):\n%s", diff)
		}
	}
	v, err := values.Intern(plain{Year: 1})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := v.Any().(map[string]any); got["year"] != 1.0 {
		t.Errorf("a struct became %v", v.Any())
	}
}

// TestTuple numbers sequences: equal ones equally, others differently.
func TestTuple(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var values Values
		seen := map[uint32][]uint32{}
		for range rapid.IntRange(1, 40).Draw(t, "sequences") {
			ids := rapid.SliceOfN(rapid.Uint32Range(1, 3), 0, 5).Draw(t, "ids")
			n := values.Tuple(ids...)
			if before, known := seen[n]; known && !cmp.Equal(before, ids) && len(before)+len(ids) > 0 {
				t.Fatalf("%v and %v have one number", before, ids)
			}
			seen[n] = ids
			if values.Tuple(ids...) != n {
				t.Fatalf("%v has two numbers", ids)
			}
		}
	})
	var values Values
	if values.Tuple() != 0 || values.Tuple(7) != 7 {
		t.Error("no ID must be 0, and one ID itself")
	}
}

// TestInternJSONLaw: texts are one value exactly when they are the same JSON.
func TestInternJSONLaw(t *testing.T) {
	var leaf = rapid.OneOf(
		rapid.Just(any(nil)), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.Float64Range(-1e6, 1e6), func(f float64) any { return f }),
		rapid.Map(rapid.IntRange(-3, 3), func(n int) any { return float64(n) }),
		rapid.Map(rapid.StringN(0, 3, -1), func(s string) any { return s }),
	)
	var tree func(depth int) *rapid.Generator[any]
	tree = func(depth int) *rapid.Generator[any] {
		if depth == 0 {
			return leaf
		}
		below := tree(depth - 1)
		return rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(below, 0, 3), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b", "é"}), below, 0, 3), func(m map[string]any) any { return m }),
		)
	}
	rapid.Check(t, func(t *rapid.T) {
		var values Values
		a, b := tree(2).Draw(t, "a"), tree(2).Draw(t, "b")
		intern := func(v any, indent bool) *Value {
			text, err := json.Marshal(v)
			if indent {
				text, err = json.MarshalIndent(v, " ", "\t")
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := values.InternJSON(text)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		va, vb := intern(a, true), intern(b, false)
		if equal := cmp.Equal(a, b); equal != (va == vb) || equal != (va.JSON() == vb.JSON()) {
			t.Fatalf("%v and %v: values %d and %d", a, b, va.ID, vb.ID)
		}
		if direct, err := values.Intern(a); err != nil || direct != va {
			t.Fatalf("%v is one value as Go and another as JSON; error %v", a, err)
		}
		if diff := cmp.Diff(a, va.Any()); diff != "" {
			t.Fatalf("any (-want +got):\n%s", diff)
		}
	})
}

// TestInternConcurrently interns the same values from many goroutines.
func TestInternConcurrently(t *testing.T) {
	var values Values
	const n, workers = 50, 8
	var got [workers][n]*Value
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for i := range n {
				var v any = plain{Year: i}
				if i%2 == 0 {
					v = []int{i}
				}
				made, err := values.Intern(v)
				if err != nil {
					t.Error(err)
				}
				got[w][i] = made
				_ = made.JSON()
				values.Tuple(made.ID, uint32(i), 3)
				values.InternError(errors.New(made.JSON()))
			}
		})
	}
	all.Wait()
	for w := range workers {
		if got[w] != got[0] {
			t.Error("goroutines have different values")
		}
	}
	values.Reset()
	if v, err := values.Intern("first"); err != nil || v.ID != 1 {
		t.Errorf("after Reset, the first value has number %d; error %v", v.ID, err)
	}
}

// FuzzCanonical: whatever is accepted as JSON has one canonical form, which is
// its own, and means the same.
func FuzzCanonical(f *testing.F) {
	for _, text := range []string{`{"b":1,"a":[true,null,"x\u00e9"]}`, `-0`, `1e400`, `"\ud800"`, `9007199254740993`, `[1.0,1e2,-0.0]`, ` {} `, "\"\xff\"", `{"a":1,"a":2}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var values Values
		v, err := values.InternJSON(text)
		if err != nil {
			return
		}
		again, err := values.InternJSON([]byte(v.JSON()))
		if err != nil || again != v || again.JSON() != v.JSON() {
			t.Fatalf("%q became %q, and that %q; error %v", text, v.JSON(), again.JSON(), err)
		}
		if !json.Valid([]byte(v.JSON())) {
			t.Fatalf("%q became %q, which is no JSON", text, v.JSON())
		}
		var goValue any
		if err := v.Decode(&goValue); err != nil {
			t.Fatalf("%q can't be decoded: %v", v.JSON(), err)
		}
	})
}
