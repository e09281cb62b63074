package pipeline

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWorldSeed(t *testing.T) {
	own := uint64(7)
	given := Case{ID: "a", Seed: &own}
	if given.WorldSeed(1) != 7 || given.WorldSeed(2) != 7 {
		t.Error("a case's own seed wasn't used")
	}
	seen := map[uint64]string{}
	for _, id := range []string{"", "a", "b"} {
		for seed := range uint64(3) {
			c := Case{ID: id}
			got := c.WorldSeed(seed)
			if got != c.WorldSeed(seed) || got >= 1<<53 {
				t.Errorf("%q, seed %d: %d", id, seed, got)
			}
			if other, taken := seen[got]; taken {
				t.Errorf("%q, seed %d has the world of %s", id, seed, other)
			}
			seen[got] = fmt.Sprintf("%q, seed %d", id, seed)
		}
	}
}

func TestCaseDecode(t *testing.T) {
	c := Case{
		ID:       "c",
		Inputs:   map[string]any{"question": "why?", "limit": 3},
		Expected: map[string]any{"text": "so", "year": 2026},
		Gold:     map[string]any{"planner": []string{"a", "b"}, "broken": make(chan int)},
	}
	var question string
	if err := c.DecodeInput("question", &question); err != nil || question != "why?" {
		t.Errorf("input %q, %v", question, err)
	}
	var expected plain
	if err := c.DecodeExpected(&expected); err != nil || expected.Year != 2026 {
		t.Errorf("expected %v, %v", expected, err)
	}
	var gold []string
	if err := c.DecodeGold("planner", &gold); err != nil || !cmp.Equal(gold, []string{"a", "b"}) {
		t.Errorf("gold %v, %v", gold, err)
	}
	var missing *NoGoldError
	if err := c.DecodeGold("writer", &gold); !errors.As(err, &missing) || err.Error() != "case c has no gold for writer" {
		t.Errorf("no gold: %v", err)
	}
	var n int
	for _, test := range []struct {
		err  error
		want string
	}{
		{c.DecodeInput("questoin", &question), `case c has no input "questoin"; did you mean "question"? (there are: limit, question)`},
		{c.DecodeInput("question", &n), "decoding input question: cannot unmarshal"},
		{c.DecodeExpected(&n), "decoding expected: cannot unmarshal"},
		{c.DecodeGold("planner", &n), "decoding gold of planner: cannot unmarshal"},
		{c.DecodeGold("broken", &n), "encoding gold of broken: cannot marshal"},
	} {
		if test.err == nil || !strings.HasPrefix(test.err.Error(), test.want) {
			t.Errorf("error %v, want %q", test.err, test.want)
		}
	}
}

// takes runs a pipeline whose function returns its input as text.
func takes[In any](t *testing.T, inputs map[string]any) (string, error) {
	step := NewStep("s", same)
	p := New("p", func(_ context.Context, in In) (string, error) { return fmt.Sprintf("%+v", in), nil },
		func(context.Context, Case, string) (float64, error) { return 0, nil }, step)
	out, _, err := run(t, p, inputs)
	return out, err
}

// TestInputs gives a case's inputs to functions of several types.
func TestInputs(t *testing.T) {
	type pair struct {
		A string `json:"a"`
		B *int   `json:"-"`
	}
	one, two := map[string]any{"a": "x"}, map[string]any{"a": "x", "b": 2}
	tests := []struct {
		name      string
		got       func() (string, error)
		want, err string
	}{
		{"a struct", func() (string, error) { return takes[struct{ Text string }](t, map[string]any{"Text": "x"}) }, `"{Text:x}"`, ""},
		{"a struct, of more", func() (string, error) { return takes[pair](t, two) }, `"{A:x B:<nil>}"`, ""},
		{"a map", func() (string, error) { return takes[map[string]any](t, two) }, `"map[a:x b:2]"`, ""},
		{"anything", func() (string, error) { return takes[any](t, one) }, `"map[a:x]"`, ""},
		{"the only one", func() (string, error) { return takes[string](t, one) }, `"x"`, ""},
		{"a list", func() (string, error) { return takes[[]int](t, map[string]any{"l": []any{1, 2.0}}) }, `"[1 2]"`, ""},
		{"the only one of several", func() (string, error) { return takes[string](t, two) }, "", "case c has the inputs a, b, but the pipeline takes a single string"},
		{"none", func() (string, error) { return takes[string](t, nil) }, "", "case c has the inputs , but the pipeline takes a single string"},
		{"another type", func() (string, error) { return takes[int](t, one) }, "", "decoding input a of case c: cannot unmarshal"},
		{"another type within", func() (string, error) { return takes[struct{ A int }](t, map[string]any{"A": "x"}) }, "", "decoding inputs of case c: cannot unmarshal"},
		{"no JSON form", func() (string, error) { return takes[string](t, map[string]any{"a": make(chan int)}) }, "", "encoding input a of case c: cannot marshal"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := test.got()
			if got != test.want || (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
				t.Errorf("%s, %v; want %s, %q", got, err, test.want, test.err)
			}
		})
	}
}

func TestArgs(t *testing.T) {
	var values Values
	a, err := values.Intern("x")
	if err != nil {
		t.Fatal(err)
	}
	b, err := values.Intern([]int{1})
	if err != nil {
		t.Fatal(err)
	}
	args := NewArgs(&Case{ID: "c"}, []string{"a", "b\""}, []*Value{a, b})
	if args.Len() != 2 || args.At(1) != b || args.Get("a") != a || args.Get("c") != nil || args.Name(0) != "a" || args.Name(2) != "" {
		t.Errorf("args %v", args)
	}
	if got := string(args.JSON()); got != `{"a":"x","b\"":[1]}` {
		t.Errorf("JSON %s", got)
	}
	var s string
	if err := args.Decode("a", &s); err != nil || s != "x" {
		t.Errorf("decoded %q, %v", s, err)
	}
	if err := args.Decode("b\"", &s); err == nil || !strings.HasPrefix(err.Error(), `decoding input b"`) {
		t.Errorf("error %v", err)
	}
	if err := args.Decode("aa", &s); err == nil || !strings.HasPrefix(err.Error(), `no input "aa"`) {
		t.Errorf("error %v", err)
	}
}

func TestFix(t *testing.T) {
	s := &Spec{Impls: []Impl{{}, {Name: "a"}, {Name: "b"}}}
	for name, want := range map[string]int{"": 1, "a": 1, "b": 2, "c": 0} {
		if got := s.Fix(name); got != want {
			t.Errorf("fix %q is %d, want %d", name, got, want)
		}
	}
	if (&Spec{Impls: []Impl{{}}}).Fix("") != 0 {
		t.Error("a step without variants has a fix")
	}
}

// TestOptions reads what options set, and what variants take over.
func TestOptions(t *testing.T) {
	s := NewStep("s", same, Cost(2), Version("v1"), Timeout(3), Retries(4), Concurrency(5)).
		Variant("takes over", same).
		Variant("of its own", same, Cost(7), Version("v2"), Timeout(8), Retries(9))
	type settings struct {
		Cost             float64
		Version          string
		Timeout, Retries int
	}
	var got []settings
	for _, i := range s.spec.Impls {
		got = append(got, settings{i.Cost, i.Version, int(i.Timeout), i.Retries})
	}
	want := []settings{{2, "v1", 3, 4}, {2, "", 3, 4}, {7, "v2", 8, 9}}
	if diff := cmp.Diff(want, got); diff != "" || s.spec.Concurrency != 5 {
		t.Errorf("concurrency %d, settings (-want +got):\n%s", s.spec.Concurrency, diff)
	}
	in := NewInput[string]("question").Variant("clear", func(context.Context, string) (string, error) { return "what?", nil })
	if !in.spec.Input || in.spec.Impls[0].Cost != 0 || in.spec.Impls[1].Cost != 0 {
		t.Errorf("an input: %+v", in.spec)
	}
	if out, err := in.Do(t.Context(), "huh?"); err != nil || out != "huh?" {
		t.Errorf("an input gave %q, %v", out, err)
	}
}
