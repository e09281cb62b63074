package retail

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func parse(t testing.TB, text string) *Object {
	t.Helper()
	o, err := ParseObject([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// What Python 3.11 prints for json.dumps(json.loads(text)).
func TestDumpsAsPython(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{}`, `{}`},
		{`{"b":1,"a":[],"c":{}}`, `{"b": 1, "a": [], "c": {}}`},
		{`{"a":1,"b":2,"a":3}`, `{"a": 3, "b": 2}`},
		{`{"v":[1.0,1e2,-0.0,-0,1e16,123456789012345678,0.0001,0.00001,1e22,13.750000000000028]}`,
			`{"v": [1.0, 100.0, -0.0, 0, 1e+16, 123456789012345678, 0.0001, 1e-05, 1e+22, 13.750000000000028]}`},
		{`{"v":[1e400,-1e400,true,false,null]}`, `{"v": [Infinity, -Infinity, true, false, null]}`},
		{`{"é\/":"ü\"\\\n\r\t\b\f\u0001\u007f/😀"}`, `{"\u00e9/": "\u00fc\"\\\n\r\t\b\f\u0001\u007f/\ud83d\ude00"}`},
		{` { "v" : [ 1 , { "w" : null } ] } `, `{"v": [1, {"w": null}]}`},
	} {
		if got := parse(t, tt.text).String(); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.text, got, tt.want)
		}
	}
}

func TestParseObjectRefuses(t *testing.T) {
	for _, text := range []string{``, `[]`, `"x"`, `{`, `{"a":}`, `{"a":1}{}`, `{"a":01}`, `{'a':1}`, `{"a":1,}`, "{\"a\":\"\n\"}"} {
		if o, err := ParseObject([]byte(text)); err == nil {
			t.Errorf("%q: got %s, want an error", text, o)
		}
	}
}

// What Python 3.11 answers for repr(json.loads(text)["v"]).
func TestRepr(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`"a'b"`, `"a'b"`},
		{`"a\"b"`, `'a"b'`},
		{`"a'\"b"`, `'a\'"b'`},
		{`"\\\n\r\té\u0007\u00a0\u2028\udb40\udc01"`, `'\\\n\r\té\x07\xa0\u2028\U000e0001'`},
		{`[null,true,false,1,1.0,1e400,{"a":[]}]`, `[None, True, False, 1, 1.0, inf, {'a': []}]`},
	} {
		v, _ := parse(t, `{"v":`+tt.text+`}`).Get("v")
		if got := repr(v); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestRound2(t *testing.T) {
	for _, tt := range []struct {
		v    any
		want string
	}{
		{0.125, "0.12"}, {0.375, "0.38"}, {2.675, "2.67"}, {1.005, "1.0"}, {-0.001, "-0.0"}, {1e22, "1e+22"}, {Int("7"), "7"}, {math.Inf(1), "inf"},
	} {
		if got := str(round2(tt.v)); got != tt.want {
			t.Errorf("round(%v, 2): got %s, want %s", tt.v, got, tt.want)
		}
	}
}

func TestEqual(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true},
		{`{"a":1}`, `{"a":1.0}`, true},
		{`{"a":1}`, `{"a":true}`, true},
		{`{"a":0}`, `{"a":-0.0}`, true},
		{`{"a":100000000000000000000000}`, `{"a":1e23}`, false}, // the float is 99999999999999991611392
		{`{"a":99999999999999991611392}`, `{"a":1e23}`, true},
		{`{"a":"1"}`, `{"a":1}`, false},
		{`{"a":null}`, `{}`, false},
		{`{"a":null}`, `{"a":0}`, false},
		{`{"a":null}`, `{"b":null}`, false},
		{`{"a":[1,2]}`, `{"a":[2,1]}`, false},
		{`{"a":[]}`, `{"a":{}}`, false},
		{`{"a":[{"x":1}]}`, `{"a":[{"x":1}]}`, true},
	} {
		a, b := parse(t, tt.a), parse(t, tt.b)
		if a.Equal(b) != tt.want || b.Equal(a) != tt.want {
			t.Errorf("%s and %s: want equal %v", a, b, tt.want)
		}
		if same := string(appendCanonical(nil, a)) == string(appendCanonical(nil, b)); same != tt.want {
			t.Errorf("%s and %s: canonical texts are the same: %v, want %v", a, b, same, tt.want)
		}
	}
}

func TestObjectIsImmutable(t *testing.T) {
	o := parse(t, `{"a":1,"b":2}`)
	with := o.With(Member{"b", "x"}, Member{"c", nil}, Member{"a", "y"})
	if got, want := with.String(), `{"a": "y", "b": "x", "c": null}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := o.String(), `{"a": 1, "b": 2}`; got != want {
		t.Errorf("the object itself became %s, want %s", got, want)
	}
	var none *Object
	if _, ok := none.Get("a"); ok || none.Len() != 0 || none.String() != "{}" || none.With(Member{"a", true}).String() != `{"a": true}` || !none.Equal(NewObject()) {
		t.Error("nil is not the empty object")
	}
}

// values draws JSON values; small alphabets make equal ones likely.
func values(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 7
		if depth == 0 {
			kinds = 5
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return nil
		case 1:
			return rapid.Bool().Draw(t, "bool")
		case 2:
			return rapid.StringN(0, 4, -1).Draw(t, "string")
		case 3:
			return number(rapid.SampledFrom([]string{"0", "1", "-1", "12345678901234567890"}).Draw(t, "int"))
		case 4:
			return rapid.SampledFrom([]float64{0, 1, -1, 0.1, 1e300, 1.5e-7}).Draw(t, "float")
		case 5:
			return rapid.SliceOfN(values(depth-1), 0, 3).Draw(t, "list")
		}
		return objects(depth-1).Draw(t, "object")
	})
}

func objects(depth int) *rapid.Generator[*Object] {
	return rapid.Custom(func(t *rapid.T) *Object {
		var members []Member
		most := []int{2, 6, 20}[max(0, depth)] // 20 are enough for an index
		for range rapid.IntRange(0, most).Draw(t, "size") {
			members = append(members, Member{rapid.StringOfN(rapid.RuneFrom([]rune("abcdé\"")), 0, 2, -1).Draw(t, "name"), values(max(0, depth)).Draw(t, "value")})
		}
		return NewObject(members...)
	})
}

func TestObjectLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := objects(2).Draw(t, "object")
		text := o.String()
		back, err := ParseObject([]byte(text))
		if err != nil || back.String() != text || !back.Equal(o) {
			t.Fatalf("%s: read back as %s, %v", text, back, err)
		}
		// The standard library reads the same value.
		var std, again any
		sorted := appendDumps(nil, o, true)
		if json.Unmarshal([]byte(text), &std) != nil || json.Unmarshal(sorted, &again) != nil || !cmp.Equal(std, again) {
			t.Fatalf("%s and, with sorted names, %s are not the same JSON", text, sorted)
		}
		marshaled, err := json.Marshal(o)
		var unmarshaled Object
		if err != nil || json.Unmarshal(marshaled, &unmarshaled) != nil || unmarshaled.String() != text {
			t.Fatalf("%s: marshaled as %s, %v", text, marshaled, err)
		}
		other := objects(1).Draw(t, "other")
		if same := string(appendCanonical(nil, o)) == string(appendCanonical(nil, other)); same != o.Equal(other) {
			t.Fatalf("%s and %s: equal %v, canonical texts the same %v", o, other, o.Equal(other), same)
		}
		for name, v := range o.All() {
			if got, ok := o.Get(name); !ok || !equal(got, v) {
				t.Fatalf("%s: Get(%q) = %v, %v", o, name, got, ok)
			}
		}
	})
}

func FuzzParseObject(f *testing.F) {
	for _, text := range []string{`{}`, `{"a":[1,2.5,{"b":null}],"a":"\ud83d\ude00"}`, `{"a":-0}`, `{"a":1e999}`, `[`, `{"a":"\ud83d"}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		o, err := ParseObject(data)
		if err != nil {
			return
		}
		text := string(appendDumps(nil, o, false))
		if !json.Valid([]byte(text)) && !hasInfinity(o) {
			t.Fatalf("%q is printed as %s, which is not JSON", data, text)
		}
		if hasInfinity(o) {
			return // printed as Python does, which no JSON reader takes
		}
		back, err := ParseObject([]byte(text))
		if err != nil || back.String() != text || !back.Equal(o) {
			t.Fatalf("%s: read back as %s, %v", text, back, err)
		}
	})
}

func hasInfinity(v any) bool {
	switch v := v.(type) {
	case float64:
		return math.IsInf(v, 0)
	case []any:
		for _, e := range v {
			if hasInfinity(e) {
				return true
			}
		}
	case *Object:
		for _, e := range v.All() {
			if hasInfinity(e) {
				return true
			}
		}
	}
	return false
}
