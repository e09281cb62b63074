package pipeline

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// asRun is the simplest engine: it answers every call by running its as-run
// implementation, and keeps what was called.
type asRun struct {
	p      *Pipeline
	in     Session
	mu     sync.Mutex
	called []string
	ended  error // if not nil: what every call is told
}

func (a *asRun) Call(ctx context.Context, c Call) (*Value, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	overlaps := ""
	if c.Overlaps {
		overlaps = "!"
	}
	a.called = append(a.called, a.p.Steps[c.Step].Name+"#"+c.Label+overlaps)
	if a.ended != nil {
		return nil, a.ended
	}
	s := a.p.Steps[c.Step]
	out, err := s.Impls[0].Run(inside{ctx}, NewArgs(a.in.Case, s.Needs, c.Args))
	if err != nil {
		return a.in.Values.InternError(err), nil
	}
	return a.in.Values.Intern(out)
}

// inside is the context of a step's own run.
type inside struct{ context.Context }

func (c inside) Value(key any) any {
	if key == (InsideKey{}) {
		return true
	}
	return c.Context.Value(key)
}

// run runs a pipeline as it is on inputs, and returns its result as JSON.
func run(t *testing.T, p *Pipeline, inputs map[string]any) (out string, a *asRun, err error) {
	t.Helper()
	a = &asRun{p: p}
	a.in, err = p.Program.Prepare(&Case{ID: "c", Inputs: inputs}, &Values{})
	if err != nil {
		return "", a, err
	}
	values, err := p.Program.Run(t.Context(), a.in, nil, a)
	if err != nil {
		return "", a, err
	}
	for _, v := range values {
		out += v.JSON()
	}
	return out, a, nil
}

// TestDoPlain calls steps outside an analysis: they just run.
func TestDoPlain(t *testing.T) {
	double := NewStep("double", func(_ context.Context, n int) (int, error) {
		if n < 0 {
			return 0, errors.New("negative")
		}
		return 2 * n, nil
	}).Variant("triple", func(_ context.Context, n int) (int, error) { return 3 * n, nil })
	calls := map[string]func(context.Context, int) (int, error){
		"Do":             double.Do,
		"At":             double.At("x").Do,
		"At, any name":   double.At("7").Do,
		"At without one": double.At("").Do,
	}
	for name, do := range calls {
		if got, err := do(t.Context(), 2); err != nil || got != 4 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		if _, err := do(t.Context(), -1); err == nil || err.Error() != "negative" {
			t.Errorf("%s: error %v", name, err)
		}
	}
	Charge(t.Context(), 5) // does nothing
	if c := CaseOf(t.Context()); c != nil {
		t.Errorf("case %v", c)
	}
}

// TestDo calls steps in a replay: they are numbered or named, and answered.
func TestDo(t *testing.T) {
	add := NewStep("add", func(_ context.Context, n int) (int, error) { return n + 1, nil })
	fail := NewStep("fail", func(context.Context, int) (int, error) { return 0, errors.New("it fails") })
	other := NewStep("other", func(_ context.Context, n int) (int, error) { return n + 100, nil })
	outer := NewStep("outer", func(ctx context.Context, n int) (int, error) { return other.Do(ctx, n) })
	nest := NewStep("nest", func(ctx context.Context, n int) (int, error) { return add.Do(ctx, n) })
	tests := []struct {
		name   string
		run    func(ctx context.Context, n int) (int, error)
		want   string
		called []string
		err    string
	}{
		{"one call", add.Do, "1", []string{"add#1"}, ""},
		{"calls in turn", func(ctx context.Context, n int) (int, error) {
			for range 3 {
				n, _ = add.Do(ctx, n)
			}
			return n, nil
		}, "3", []string{"add#1", "add#2", "add#3"}, ""},
		{"steps are numbered apart", func(ctx context.Context, n int) (int, error) {
			n, _ = add.Do(ctx, n)
			n, _ = outer.Do(ctx, n)
			return add.Do(ctx, n)
		}, "102", []string{"add#1", "outer#1", "add#2"}, ""},
		{"names don't count", func(ctx context.Context, n int) (int, error) {
			n, _ = add.At("first").Do(ctx, n)
			n, _ = add.Do(ctx, n)
			return add.At("last").Do(ctx, n)
		}, "3", []string{"add#first", "add#1", "add#last"}, ""},
		{"an error comes back", func(ctx context.Context, n int) (int, error) {
			_, err := fail.Do(ctx, n)
			if err == nil || err.Error() != "it fails" {
				t.Errorf("error %v", err)
			}
			return 7, nil
		}, "7", []string{"fail#1"}, ""},
		{"an error goes on", fail.Do, "", []string{"fail#1"}, "it fails"},
		{"a step that isn't given, inside a step", outer.Do, "100", []string{"outer#1"}, ""},
		{"a given step inside a step", nest.Do, "", []string{"nest#1"}, "step add was called from inside another step's run, where it can't be replayed on its own: call it from the pipeline function, or don't give it to New"},
		{"a step that isn't given", func(ctx context.Context, n int) (int, error) {
			other.Do(ctx, n)
			return n, nil
		}, "", nil, "step other was called, but it is not among the steps given to New for pipeline p: add, fail, outer, nest"},
		{"no name", func(ctx context.Context, n int) (int, error) {
			add.At("").Do(ctx, n)
			return n, nil
		}, "", nil, "step add: At needs a name"},
		{"a number as a name", func(ctx context.Context, n int) (int, error) {
			return add.At("2").Do(ctx, n)
		}, "", nil, `step add: At("2"): a call's name must not be a number, as unnamed calls have numbers`},
		{"a name twice", func(ctx context.Context, n int) (int, error) {
			add.At("x").Do(ctx, n)
			add.At("x").Do(ctx, n)
			return n, nil
		}, "", []string{"add#x"}, "the call add#x was made twice in a run: names given to At must differ"},
		{"a panic", func(context.Context, int) (int, error) { panic("boom") }, "", nil, "p panicked: boom (in github.com/agentblame/agentblame/pipeline.TestDo."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := New("p", test.run, half, add, fail, outer, nest)
			if err := p.Check(); err != nil {
				t.Fatal(err)
			}
			out, engine, err := run(t, p, map[string]any{"n": 0})
			if out != test.want || (err == nil) != (test.err == "") || err != nil && !strings.HasPrefix(err.Error(), test.err) {
				t.Errorf("result %s, error %v; want %s, %q", out, err, test.want, test.err)
			}
			if diff := cmp.Diff(test.called, engine.called); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

// TestDoAtOnce makes calls that go on at once: named ones are told apart, and
// known to overlap; unnamed ones of one step are a fault.
func TestDoAtOnce(t *testing.T) {
	release := make(chan struct{})
	called := make(chan struct{}, 2)
	slow := NewStep("slow", func(_ context.Context, n int) (int, error) { return n, nil })
	atOnce := func(calls ...func(context.Context, int) (int, error)) func(context.Context, int) (int, error) {
		return func(ctx context.Context, n int) (int, error) {
			var all sync.WaitGroup
			for i, call := range calls {
				all.Go(func() { call(ctx, i) })
				if i == 0 {
					<-called
				}
			}
			all.Go(func() { <-called; close(release) })
			all.Wait()
			return n, nil
		}
	}
	p := New("p", atOnce(slow.At("a").Do, slow.At("b").Do), half, slow)
	engine := &held{called: called, release: release}
	in, err := p.Program.Prepare(&Case{ID: "c", Inputs: map[string]any{"n": 0}}, &Values{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Program.Run(t.Context(), in, nil, engine); err != nil {
		t.Errorf("named calls: %v", err)
	}
	if diff := cmp.Diff(map[string]bool{"a": false, "b": true}, engine.overlaps); diff != "" {
		t.Errorf("overlaps (-want +got):\n%s", diff)
	}
	release = make(chan struct{})
	p = New("p", func(ctx context.Context, n int) (int, error) {
		var all sync.WaitGroup
		all.Go(func() { slow.Do(ctx, 1) })
		<-called
		slow.Do(ctx, 2) // fails at once
		close(release)
		all.Wait()
		return n, nil
	}, half, slow)
	var fault *FaultError
	_, err = p.Program.Run(t.Context(), in, nil, &held{called: called, release: release})
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "step slow was called twice at once: name such calls with At") {
		t.Errorf("unnamed calls: %v", err)
	}
}

// held is an engine that holds calls back until it is told.
type held struct {
	called   chan<- struct{}
	release  <-chan struct{}
	mu       sync.Mutex
	overlaps map[string]bool
}

func (h *held) Call(_ context.Context, c Call) (*Value, error) {
	h.mu.Lock()
	if h.overlaps == nil {
		h.overlaps = map[string]bool{}
	}
	h.overlaps[c.Label] = c.Overlaps
	h.mu.Unlock()
	h.called <- struct{}{}
	<-h.release
	return c.Args[0], nil
}

// TestDoAfterTheEnd lets functions go on when the engine has ended their run.
func TestDoAfterTheEnd(t *testing.T) {
	ended := errors.New("the run is over")
	step := NewStep("s", same)
	tests := map[string]func(ctx context.Context, n int) (int, error){
		"gives up":      step.Do,
		"goes on a bit": func(ctx context.Context, n int) (int, error) { step.Do(ctx, n); step.Do(ctx, n); return n, nil },
		"never stops": func(ctx context.Context, n int) (int, error) {
			for {
				step.Do(ctx, n)
			}
		},
		"never stops in a goroutine": func(ctx context.Context, n int) (int, error) {
			var all sync.WaitGroup
			all.Go(func() {
				for {
					step.Do(ctx, n)
				}
			})
			all.Wait()
			return n, nil
		},
	}
	for name, f := range tests {
		t.Run(name, func(t *testing.T) {
			p := New("p", f, half, step)
			a := &asRun{p: p, ended: ended}
			in, err := p.Program.Prepare(&Case{ID: "c", Inputs: map[string]any{"n": 0}}, &Values{})
			if err != nil {
				t.Fatal(err)
			}
			// Whatever comes of it doesn't matter to the engine: but it comes back.
			p.Program.Run(t.Context(), in, nil, a)
			if len(a.called) == 0 || len(a.called) > patience+1 {
				t.Errorf("%d calls", len(a.called))
			}
		})
	}
	// A goroutine that a function leaves behind is told that the run is over.
	late := make(chan error)
	var kept context.Context
	p := New("p", func(ctx context.Context, n int) (int, error) { kept = ctx; return n, nil }, half, step)
	if _, _, err := run(t, p, map[string]any{"n": 0}); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, err := step.Do(kept, 1)
		late <- err
	}()
	if err := <-late; err == nil {
		t.Error("a call after the end was answered")
	}
}

// TestDoTypes passes values through JSON where they can't be shared: nobody sees
// what another does to his.
func TestDoTypes(t *testing.T) {
	type box struct{ Items []string }
	spoil := NewStep("spoil", func(_ context.Context, b box) (box, error) {
		b.Items[0] = "spoiled"
		return b, nil
	})
	p := New("p", func(ctx context.Context, b box) (string, error) {
		out, err := spoil.Do(ctx, b)
		if err != nil {
			return "", err
		}
		again, err := spoil.Do(ctx, b)
		return strings.Join([]string{b.Items[0], out.Items[0], again.Items[0]}, " "), err
	}, func(context.Context, Case, string) (float64, error) { return 0, nil }, spoil)
	for range 2 {
		in := map[string]any{"Items": []string{"fresh"}}
		if out, _, err := run(t, p, in); err != nil || out != `"fresh spoiled spoiled"` {
			t.Errorf("%s, %v", out, err)
		}
		if in["Items"].([]string)[0] != "fresh" {
			t.Error("the case was changed")
		}
	}
	// A type that isn't read back as it was written is a wrong use, not a failure.
	oneWay := NewStep("oneWay", func(context.Context, int) (writeOnly, error) { return writeOnly{1}, nil })
	p = New("p", func(ctx context.Context, n int) (int, error) { oneWay.Do(ctx, n); return n, nil }, half, oneWay)
	_, _, err := run(t, p, map[string]any{"n": 0})
	var fault *FaultError
	if !errors.As(err, &fault) || !strings.Contains(err.Error(), "step oneWay gave an output that its own type can't be read from") {
		t.Errorf("error %v", err)
	}
	// Nor is what can't be written at all.
	var loop cyclic
	loop.Next = &loop
	takes := NewStep("takes", func(context.Context, *cyclic) (int, error) { return 0, nil })
	p = New("p", func(ctx context.Context, n int) (int, error) { return takes.Do(ctx, &loop) }, half, takes)
	if _, _, err = run(t, p, map[string]any{"n": 0}); !errors.As(err, &fault) || !strings.Contains(err.Error(), "encoding the input of step takes") {
		t.Errorf("error %v", err)
	}
}

// writeOnly has a JSON form that it can't be read from.
type writeOnly struct{ N int }

func (w writeOnly) MarshalJSON() ([]byte, error) { return []byte(`"one way"`), nil }

// BenchmarkDo is a call outside an analysis, compared with the plain function.
func BenchmarkDo(b *testing.B) {
	step := NewStep("s", same)
	b.Run("plain", func(b *testing.B) {
		f := same
		for b.Loop() {
			if _, err := f(b.Context(), 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Do", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := step.Do(b.Context(), 1); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("At", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := step.At("x").Do(b.Context(), 1); err != nil {
				b.Fatal(err)
			}
		}
	})
}
