package pipeline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func same(_ context.Context, n int) (int, error) { return n, nil }

func half(context.Context, Case, int) (float64, error) { return 0.5, nil }

// named is a graph's step that does something.
func named(name string, needs ...string) *Spec {
	return &Spec{Name: name, Needs: needs, Impls: []Impl{{Run: nothing}}}
}

func nothing(context.Context, Args) (any, error) { return nil, nil }

func graphOf(steps ...*Spec) *Pipeline {
	return Graph{Name: "g", Inputs: []Input{{Name: "question"}}, Steps: steps, Score: Score{Impl: Impl{Run: nothing}}}.Pipeline()
}

func stepOf[T any]() *Step[T, int] {
	return NewStep("s", func(context.Context, T) (int, error) { return 0, nil })
}

// TestCheck declares one thing wrongly at a time.
func TestCheck(t *testing.T) {
	function := func(steps ...AnyStep) *Pipeline { return New("p", same, half, steps...) }
	ok := NewStep("ok", same)
	tests := []struct {
		name string
		p    *Pipeline
		want string
	}{
		{"a function", function(ok, NewStep("s", same).Variant("fix", same)), ""},
		{"a graph", graphOf(named("a", "question"), named("b", "a", "question")), ""},
		{"no steps", function(), "pipeline p: there are no steps"},
		{"no pipeline name", New("", same, nil, ok), "pipeline (unnamed): there is no score"},
		{"no function", New[int, int]("p", nil, half, ok), "pipeline p: the pipeline function is nil"},
		{"no score", New("p", same, nil, ok), "pipeline p: there is no score"},
		{"nil", function(ok, nil), "pipeline p: a nil step was given"},
		{"nil pointer", function(ok, (*Step[int, int])(nil)), "pipeline p: a nil step was given"},
		{"nil in a graph", graphOf(named("a"), nil), "pipeline g: a nil step was given"},
		{"no step name", function(NewStep("", same)), "pipeline p: a step has no name"},
		{"# in a name", function(NewStep("a#1", same)), `pipeline p: step "a#1": a name must not contain '#' or a line break`},
		{"line break in a name", function(NewStep("a\nb", same)), `pipeline p: step "a\nb": a name must not contain '#' or a line break`},
		{"named as the score", function(NewStep("score", same)), `pipeline p: a step must not be named "score": that is what the score is called, and it would share the step's noise`},
		{"two of one name", function(NewStep("a", same), NewStep("a", same)), `pipeline p: two steps are named "a"`},
		{"one step twice", function(ok, ok), `pipeline p: two steps are named "ok"`},
		{"two of one name in a graph", graphOf(named("a"), named("a")), `pipeline g: two steps are named "a"`},
		{"variant without a name", function(NewStep("a", same).Variant("", same)), "pipeline p: step a: variant 1 has no name"},
		{"variant twice", function(NewStep("a", same).Variant("fix", same).Variant("fix", same)), `pipeline p: step a: two variants are named "fix"`},
		{"nothing to run", function(NewStep[int, int]("a", nil)), "pipeline p: step a: there is nothing to run"},
		{"nothing to run as a variant", function(NewStep("a", same).Variant("fix", nil)), "pipeline p: step a, variant fix: there is nothing to run"},
		{"no implementation", graphOf(&Spec{Name: "a"}), "pipeline g: step a: there is nothing to run"},
		{"negative cost", function(NewStep("a", same, Cost(-1))), "pipeline p: step a: the cost is -1; it must be a number from 0 up"},
		{"cost NaN", function(NewStep("a", same).Variant("fix", same, Cost(math.NaN()))), "pipeline p: step a, variant fix: the cost is NaN; it must be a number from 0 up"},
		{"infinite cost", function(NewStep("a", same, Cost(math.Inf(1)))), "pipeline p: step a: the cost is +Inf; it must be a number from 0 up"},
		{"unknown need", graphOf(named("retriever", "plannr"), named("planner")), `pipeline g: step retriever needs "plannr", which is neither a step nor an input; did you mean "planner"? (there are: question, planner)`},
		{"unknown need, none near", graphOf(named("a", "weather")), `pipeline g: step a needs "weather", which is neither a step nor an input (there are: question)`},
		{"a need twice", graphOf(named("a", "question", "question")), `pipeline g: step a needs "question" twice`},
		{"itself", graphOf(named("a", "a")), "pipeline g: the steps a → a need each other in a circle"},
		{"a circle", graphOf(named("start"), named("c", "b"), named("a", "c", "start"), named("b", "a"), named("end", "b")), "pipeline g: the steps c → a → b → c need each other in a circle"},
		{"two inputs of one name", Graph{Name: "g", Inputs: []Input{{Name: "q"}, {Name: "q"}}, Steps: []*Spec{named("a")}, Score: Score{Impl: Impl{Run: nothing}}}.Pipeline(), `pipeline g: two inputs are named "q"`},
		{"an input and a step", graphOf(named("question")), `pipeline g: "question" is both an input and a step`},
		{"unknown need of the score", Graph{Name: "g", Steps: []*Spec{named("writer")}, Score: Score{Needs: []string{"writr"}, Impl: Impl{Run: nothing}}}.Pipeline(), `pipeline g: the score needs "writr", which is neither a step nor an input; did you mean "writer"? (there are: writer)`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			if err := test.p.Check(); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("error %q\nwant  %q", got, test.want)
			}
		})
	}
}

// TestCheckListsAll declares everything wrongly at once: one error says it all.
func TestCheckListsAll(t *testing.T) {
	p := graphOf(named("a", "b"), named("b", "a"), named("b"), &Spec{Name: "#"}, nil)
	p.Score.Run = nil
	want := `pipeline g has 6 faults:
  a nil step was given
  the steps a → b → a need each other in a circle
  two steps are named "b"
  step "#": a name must not contain '#' or a line break
  step #: there is nothing to run
  there is no score`
	for range 2 {
		if diff := cmp.Diff(want, fmt.Sprint(p.Check())); diff != "" {
			t.Errorf("error (-want +got):\n%s", diff)
		}
	}
}

type (
	tree     struct{ Kids []tree }
	inner    struct{ A int }
	embedded struct {
		inner
		B int
	}
	unexported struct{ A, b int }
	left       struct {
		A int
		B int `json:"-"`
	}
	text   struct{ a int }
	shape  interface{ Area() float64 }
	deep   struct{ M map[string][]*unexported }
	byText struct{ N int }
)

func (t text) MarshalText() ([]byte, error)    { return fmt.Append(nil, t.a), nil }
func (t *text) UnmarshalText(b []byte) error   { _, err := fmt.Sscan(string(b), &t.a); return err }
func (b *byText) MarshalText() ([]byte, error) { return fmt.Append(nil, b.N), nil }
func (b *byText) UnmarshalText(s []byte) error { _, err := fmt.Sscan(string(s), &b.N); return err }

// TestCheckTypes rejects types of which JSON would lose a part: values that
// differ only there would be taken for the same.
func TestCheckTypes(t *testing.T) {
	tests := []struct {
		name string
		step AnyStep
		want string
	}{
		{"struct", stepOf[plain](), ""},
		{"recursive", stepOf[tree](), ""},
		{"embedded", stepOf[embedded](), ""},
		{"any", stepOf[map[string]any](), ""},
		{"time", stepOf[time.Time](), ""},
		{"text of its own", stepOf[text](), ""},
		{"text of its own by pointer", stepOf[byText](), ""},
		{"JSON of its own by pointer", stepOf[[]pointed](), ""},
		{"unexported", stepOf[unexported](), "step s: field b of pipeline.unexported is unexported"},
		{"deep within", stepOf[deep](), "step s: field b of pipeline.unexported is unexported"},
		{"left out", stepOf[left](), `step s: field B of pipeline.left has the tag json:"-"`},
		{"channel", stepOf[chan int](), "step s: a chan int has no JSON form"},
		{"function", stepOf[[]func()](), "step s: a func() has no JSON form"},
		{"complex", stepOf[complex128](), "step s: a complex128 has no JSON form"},
		{"interface", stepOf[shape](), "step s: a pipeline.shape can't be read back"},
		{"error", stepOf[struct{ Err error }](), "step s: a error can't be read back"},
		{"output", NewStep("s", func(context.Context, int) (unexported, error) { return unexported{b: 1}, nil }), "step s: field b"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := New("p", same, half, test.step).Check()
			if got := fmt.Sprint(err); (err == nil) != (test.want == "") || err != nil && !strings.Contains(got, test.want) {
				t.Errorf("error %v\nwant  %q", err, test.want)
			}
		})
	}
	err := New("p", func(context.Context, int) (unexported, error) { return unexported{b: 1}, nil }, func(context.Context, Case, unexported) (float64, error) { return 0, nil }, NewStep("s", same)).Check()
	if err == nil || !strings.Contains(err.Error(), "the pipeline's output: field b") {
		t.Errorf("error %v", err)
	}
}

func TestSuggest(t *testing.T) {
	names := []string{"planner", "retriever", "x"}
	tests := map[string]string{
		"planer":    `; did you mean "planner"? (there are: planner, retriever, x)`,
		"Retriever": `; did you mean "retriever"? (there are: planner, retriever, x)`,
		"writer":    " (there are: planner, retriever, x)",
		"y":         " (there are: planner, retriever, x)",
		"":          " (there are: planner, retriever, x)",
	}
	for got, want := range tests {
		if s := Suggest(got, names); s != want {
			t.Errorf("%q: %q, want %q", got, s, want)
		}
	}
	if s := Suggest("a", nil); s != "" {
		t.Errorf("without names: %q", s)
	}
}

func TestPanicError(t *testing.T) {
	err := func() (err error) {
		defer func() { err = PanicError("the step", recover()) }()
		none := func() map[string]int { return nil }
		none()["a"] = 1
		return nil
	}()
	if err == nil || !strings.HasPrefix(err.Error(), "the step panicked: assignment to entry in nil map (in github.com/agentblame/agentblame/pipeline.TestPanicError") {
		t.Errorf("error %v", err)
	}
}

func TestTransient(t *testing.T) {
	if Transient(nil) != nil {
		t.Error("no error became one")
	}
	cause := errors.New("busy")
	err := fmt.Errorf("asking: %w", Transient(cause))
	var transient interface{ Transient() bool }
	if !errors.Is(err, cause) || !errors.As(err, &transient) || !transient.Transient() || err.Error() != "asking: busy" {
		t.Errorf("error %v", err)
	}
}
