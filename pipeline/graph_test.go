package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// concat is a step that puts its inputs in brackets behind its name.
func concat(name string, needs ...string) *Spec {
	return &Spec{Name: name, Needs: needs, Impls: []Impl{{Run: func(_ context.Context, args Args) (any, error) {
		var in []string
		for i := range args.Len() {
			in = append(in, fmt.Sprint(args.At(i).Any()))
		}
		return name + "(" + strings.Join(in, ",") + ")", nil
	}}}}
}

func order(g *graph) (names []string) {
	for _, s := range g.steps {
		names = append(names, s.spec.Name)
	}
	return names
}

// plan names, for each step, the live slots before it and the steps that get
// ready with it.
func plan(g *graph) (live, ahead map[string]string) {
	live, ahead = map[string]string{}, map[string]string{}
	bySlot := map[int]string{}
	for name, slot := range g.slots {
		bySlot[slot] = name
	}
	for _, s := range g.steps {
		var l, a []string
		for _, slot := range s.live {
			l = append(l, bySlot[slot])
		}
		for _, j := range s.ahead {
			a = append(a, g.steps[j].spec.Name)
		}
		live[s.spec.Name], ahead[s.spec.Name] = strings.Join(l, " "), strings.Join(a, " ")
	}
	return live, ahead
}

func TestGraphPlan(t *testing.T) {
	tests := []struct {
		name        string
		inputs      []Input
		steps       []*Spec
		score       []string
		order       []string
		live, ahead map[string]string
	}{
		{
			name: "a chain", inputs: []Input{{Name: "q"}}, score: []string{"c"},
			steps: []*Spec{concat("a", "q"), concat("b", "a"), concat("c", "b")},
			order: []string{"a", "b", "c"},
			live:  map[string]string{"a": "", "b": "a", "c": "b"},
			ahead: map[string]string{"a": "", "b": "", "c": ""},
		},
		{
			name: "declared backwards", inputs: []Input{{Name: "q"}}, score: []string{"c"},
			steps: []*Spec{concat("c", "b"), concat("b", "a"), concat("a", "q")},
			order: []string{"a", "b", "c"},
			live:  map[string]string{"a": "", "b": "a", "c": "b"},
			ahead: map[string]string{"a": "", "b": "", "c": ""},
		},
		{
			name: "a diamond", inputs: []Input{{Name: "q"}}, score: []string{"d"},
			steps: []*Spec{concat("a", "q"), concat("b", "a"), concat("c", "a"), concat("d", "b", "c")},
			order: []string{"a", "b", "c", "d"},
			live:  map[string]string{"a": "", "b": "a", "c": "a b", "d": "b c"},
			// c is ready as soon as b is.
			ahead: map[string]string{"a": "", "b": "c", "c": "", "d": ""},
		},
		{
			name: "apart", inputs: []Input{{Name: "q"}}, score: []string{"a", "b", "c"},
			steps: []*Spec{concat("a", "q"), concat("b", "q"), concat("c")},
			order: []string{"a", "b", "c"},
			live:  map[string]string{"a": "", "b": "a", "c": "a b"},
			ahead: map[string]string{"a": "b c", "b": "", "c": ""},
		},
		{
			name: "nobody needs it", inputs: []Input{{Name: "q"}}, score: []string{"b"},
			steps: []*Spec{concat("a", "q"), concat("b", "q")},
			order: []string{"a", "b"},
			live:  map[string]string{"a": "", "b": ""},
			ahead: map[string]string{"a": "b", "b": ""},
		},
		{
			name: "the score reads all", inputs: []Input{{Name: "q"}},
			steps: []*Spec{concat("a", "q"), concat("b", "a")},
			order: []string{"a", "b"},
			live:  map[string]string{"a": "", "b": "a"},
			ahead: map[string]string{"a": "", "b": ""},
		},
		{
			name: "an input with variants", inputs: []Input{{Name: "q", Variants: []Impl{{Name: "clear", Run: nothing}}}, {Name: "r"}}, score: []string{"b"},
			steps: []*Spec{concat("a", "r"), concat("b", "q", "a")},
			order: []string{"q", "a", "b"},
			live:  map[string]string{"q": "", "a": "q", "b": "q a"},
			ahead: map[string]string{"q": "a", "a": "", "b": ""},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := Graph{Name: "g", Inputs: test.inputs, Steps: test.steps, Score: Score{Needs: test.score, Impl: Impl{Run: nothing}}}.Pipeline()
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
			g := p.Program.(*graph)
			if diff := cmp.Diff(test.order, order(g)); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
			live, ahead := plan(g)
			if diff := cmp.Diff(test.live, live); diff != "" {
				t.Errorf("live slots (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.ahead, ahead); diff != "" {
				t.Errorf("ahead (-want +got):\n%s", diff)
			}
		})
	}
}

// points is an engine that runs everything as it is and keeps the points it saw.
type points struct {
	asRun
	at    []Point
	calls []Call
}

func (p *points) Call(ctx context.Context, c Call) (*Value, error) {
	p.at, p.calls = append(p.at, c.At), append(p.calls, c)
	return p.asRun.Call(ctx, c)
}

// TestGraphPoints takes runs of random graphs up at each of their points: they
// go on with the same calls to the same end.
func TestGraphPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawGraph(t)
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		var values Values
		in, err := p.Program.Prepare(&Case{ID: "c", Inputs: map[string]any{"q": "Q", "r": "R"}}, &values)
		if err != nil {
			t.Fatal(err)
		}
		first := &points{asRun: asRun{p: p, in: in}}
		want, err := p.Program.Run(t.Context(), in, nil, first)
		if err != nil {
			t.Fatal(err)
		}
		checkAhead(t, p, first.calls)
		for i, at := range first.at {
			again := &points{asRun: asRun{p: p, in: in}}
			got, err := p.Program.Run(t.Context(), in, at, again)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("from point %d: %v, want %v; error %v", i, got, want, err)
			}
			if diff := cmp.Diff(first.called[i:], again.called); diff != "" {
				t.Fatalf("calls from point %d (-want +got):\n%s", i, diff)
			}
			for j, other := range first.at {
				if (other.Key() == at.Key()) != (i == j) {
					t.Fatalf("points %d and %d have keys %v and %v", i, j, at.Key(), other.Key())
				}
				if again := again.at[0].Key(); i == j && again != at.Key() {
					t.Fatalf("point %d has key %v, and when taken up %v", i, at.Key(), again)
				}
			}
		}
	})
}

// checkAhead says whether calls announced ahead are made later as announced.
func checkAhead(t *rapid.T, p *Pipeline, calls []Call) {
	announced := map[int]Call{}
	for _, c := range calls {
		if a, ok := announced[c.Step]; ok && !slices.Equal(a.Args, c.Args) {
			t.Fatalf("step %s was announced with %v and called with %v", p.Steps[c.Step].Name, a.Args, c.Args)
		}
		for _, a := range c.Ahead {
			if _, twice := announced[a.Step]; twice {
				t.Fatalf("step %s was announced twice", p.Steps[a.Step].Name)
			}
			announced[a.Step] = a
		}
	}
}

func drawGraph(t *rapid.T) *Pipeline {
	names := []string{"q", "r"}
	var steps []*Spec
	for i := range rapid.IntRange(1, 7).Draw(t, "steps") {
		name := string(rune('a' + i))
		var needs []string
		for _, n := range names {
			if rapid.Bool().Draw(t, name+" needs "+n) {
				needs = append(needs, n)
			}
		}
		steps, names = append(steps, concat(name, needs...)), append(names, name)
	}
	steps = rapid.Permutation(steps).Draw(t, "declared")
	score := []string{rapid.SampledFrom(names[2:]).Draw(t, "score")}
	inputs := []Input{{Name: "q"}, {Name: "r"}}
	if rapid.Bool().Draw(t, "input with variants") {
		inputs[1].Variants = []Impl{{Name: "v", Run: nothing}}
	}
	return Graph{Name: "g", Inputs: inputs, Steps: steps, Score: Score{Needs: score, Impl: Impl{Run: nothing}}}.Pipeline()
}

// TestGraphKeys: points that differ in nothing that is still needed are equal.
func TestGraphKeys(t *testing.T) {
	p := Graph{Name: "g", Inputs: []Input{{Name: "q"}}, Score: Score{Needs: []string{"c"}, Impl: Impl{Run: nothing}},
		Steps: []*Spec{concat("a", "q"), concat("b", "a"), concat("c", "b")}}.Pipeline()
	keys := func(values *Values, a, b string) [][2]uint32 {
		in, err := p.Program.Prepare(&Case{ID: "c", Inputs: map[string]any{"q": "Q"}}, values)
		if err != nil {
			t.Fatal(err)
		}
		engine := &told{values: values, say: map[int]string{0: a, 1: b}}
		if _, err := p.Program.Run(t.Context(), in, nil, engine); err != nil {
			t.Fatal(err)
		}
		return engine.keys
	}
	var values Values
	first, other := keys(&values, "a1", "b"), keys(&values, "a2", "b")
	want := []bool{true, false, true}
	for i := range want {
		if (first[i] == other[i]) != want[i] {
			t.Errorf("before step %d the keys are %v and %v", i, first[i], other[i])
		}
	}
}

// told is an engine that answers as it was told.
type told struct {
	values *Values
	say    map[int]string
	keys   [][2]uint32
}

func (e *told) Call(_ context.Context, c Call) (*Value, error) {
	e.keys = append(e.keys, c.At.Key())
	return e.values.Intern(e.say[c.Step])
}

func TestGraphRun(t *testing.T) {
	p := Graph{Name: "g", Inputs: []Input{{Name: "q"}}, Score: Score{Needs: []string{"c", "q"}, Impl: Impl{Run: nothing}},
		Steps: []*Spec{concat("c", "b", "a"), concat("a", "q"), concat("b", "a", "q")}}.Pipeline()
	out, _, err := run(t, p, map[string]any{"q": "why", "more": 1})
	if err != nil || out != `"c(b(a(why),why),a(why))""why"` {
		t.Errorf("%s, %v", out, err)
	}
	if _, _, err := run(t, p, map[string]any{"Q": "why"}); err == nil || err.Error() != `case c has no input "q"; did you mean "Q"? (there are: Q)` {
		t.Errorf("error %v", err)
	}
	if _, _, err := run(t, p, map[string]any{"q": make(chan int)}); err == nil || !strings.HasPrefix(err.Error(), "input q of case c: ") {
		t.Errorf("error %v", err)
	}
	p.Steps[1].Impls[0].Run = func(context.Context, Args) (any, error) { return nil, fmt.Errorf("no idea") }
	if _, a, err := run(t, p, map[string]any{"q": "why"}); err == nil || err.Error() != "step a: no idea" || len(a.called) != 1 {
		t.Errorf("error %v after %v", err, a.called)
	}
}
