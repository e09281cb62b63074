package noise

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// misuse returns the error that f panics with.
func misuse(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(*Error)
		}
	}()
	f()
	return nil
}

func TestMisuse(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		want string
		f    func(s *Source)
	}{
		{"logit of option \"a\" is NaN", func(s *Source) { s.Categorical("k", map[string]float64{"b": nan, "c": inf, "a": nan, "d": 1}) }},
		{"logit of option \"b\" is +Inf", func(s *Source) { s.Categorical("k", map[string]float64{"b": inf, "a": 0}) }},
		{"no options", func(s *Source) { s.Categorical("k", nil) }},
		{"no possible option: every logit is -Inf", func(s *Source) { s.Categorical("k", map[string]float64{"a": -inf}) }},
		{`option "a\xff" is not valid UTF-8`, func(s *Source) { s.Categorical("k", map[string]float64{"a\xff": 0}) }},
		{"logit of option 1 is NaN", func(s *Source) { s.Index("k", []float64{0, nan, nan}) }},
		{"logit of option 0 is +Inf", func(s *Source) { s.Index("k", []float64{inf}) }},
		{"no options", func(s *Source) { s.Index("k", nil) }},
		{"no possible option: every logit is -Inf", func(s *Source) { s.Index("k", []float64{-inf, -inf}) }},
		{"IntN(0): n must be from 1 to 2^31-1", func(s *Source) { s.IntN("k", 0) }},
		{"IntN(-1): n must be from 1 to 2^31-1", func(s *Source) { s.IntN("k", -1) }},
		{"IntN(2147483648): n must be from 1 to 2^31-1", func(s *Source) { s.IntN("k", 1<<31) }},
		{"Perm(-1): n must be from 0 to 2^31-1", func(s *Source) { s.Perm("k", -1) }},
		{"Bool(1.5): p must be from 0 to 1", func(s *Source) { s.Bool("k", 1.5) }},
		{"Bool(-0.1): p must be from 0 to 1", func(s *Source) { s.Bool("k", -0.1) }},
		{"Bool(NaN): p must be from 0 to 1", func(s *Source) { s.Bool("k", nan) }},
	} {
		s := World{}.Source("writer", "2")
		err := misuse(func() { c.f(s) })
		if want := `noise: step writer#2: key "k": ` + c.want; err == nil || err.Error() != want {
			t.Errorf("error is %q, want %q", err, want)
		}
		var e *Error
		if !errors.As(err, &e) || e.Step != "writer" || e.Call != "2" || e.Key != "k" || e.Msg != c.want {
			t.Errorf("error's fields are %+v", e)
		}
	}
	if err := misuse(func() { World{}.Source("a\xff", "1").Float64("k") }); err == nil {
		t.Error("no error for a step name that is not valid UTF-8")
	}
	if err := misuse(func() { World{}.Source("", "").Float64("k\xff") }); err == nil || strings.Contains(err.Error(), "step") {
		t.Errorf("error is %q, want one about the key, without a step", err)
	}
}

// kinds draws once with each method, under the key it is given.
var kinds = map[Kind]func(s *Source, key string) any{
	Uniform:     func(s *Source, key string) any { return s.Float64(key) },
	Normal:      func(s *Source, key string) any { return s.Norm(key) },
	Exponential: func(s *Source, key string) any { return s.Exp(key) },
	Int:         func(s *Source, key string) any { return s.IntN(key, 10) },
	Bool:        func(s *Source, key string) any { return s.Bool(key, 0.4) },
	Seed:        func(s *Source, key string) any { return s.Seed(key) },
	Perm:        func(s *Source, key string) any { return s.Perm(key, 5) },
	Categorical: func(s *Source, key string) any { return s.Categorical(key, map[string]float64{"a": 0, "b": 1}) },
	Index:       func(s *Source, key string) any { return s.Index(key, []float64{0, 1, 2}) },
}

// A key is used once, whatever the kinds of draw and however many others there
// are between.
func TestKeyUsedTwice(t *testing.T) {
	for a, first := range kinds {
		for b, second := range kinds {
			for _, between := range []int{0, inline - 1, inline, 50} {
				for _, late := range []bool{false, true} {
					s := World{}.Source("writer", "1")
					if late { // the key is not among the inline ones
						for i := range inline {
							s.Float64(fmt.Sprint("before", i))
						}
					}
					first(s, "k")
					for i := range between {
						s.Float64(fmt.Sprint("between", i))
					}
					err := misuse(func() { second(s, "k") })
					if err == nil || !strings.Contains(err.Error(), `key "k": used twice`) {
						t.Errorf("%s then %s with %d draws between: error %v", a, b, between, err)
					}
				}
			}
		}
	}
}

// A draw depends on its address only: not on the order of draws nor on others.
func TestDrawsAreIndependentOfOrder(t *testing.T) {
	all := slices.Sorted(func(yield func(Kind) bool) {
		for k := range kinds {
			if !yield(k) {
				return
			}
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		w := World{Seed: rapid.Uint64().Draw(t, "seed"), Index: rapid.Uint64().Draw(t, "index")}
		step, call := rapid.String().Draw(t, "step"), rapid.String().Draw(t, "call")
		order := rapid.Permutation(all).Draw(t, "order")
		order = order[:rapid.IntRange(0, len(order)).Draw(t, "draws")]
		together := w.Source(step, call)
		for _, kind := range order {
			alone := kinds[kind](w.Source(step, call), string(kind))
			if diff := cmp.Diff(alone, kinds[kind](together, string(kind))); diff != "" {
				t.Errorf("%s drawn after others (-alone +together):\n%s", kind, diff)
			}
		}
	})
}

func TestConcurrentDraws(t *testing.T) {
	w := World{Seed: 5}
	s := w.Source("writer", "1")
	s.Record()
	drawn := 0
	s.OnDraw(func() { drawn++ })
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() { s.Float64(fmt.Sprint("k", i)) })
	}
	wg.Wait()
	if drawn != 1 {
		t.Errorf("OnDraw was called %d times, want once", drawn)
	}
	var want []Draw
	for i := range 200 {
		key := fmt.Sprint("k", i)
		want = append(want, Draw{Key: key, Kind: Uniform, Value: w.Source("writer", "1").Float64(key)})
	}
	slices.SortFunc(want, func(a, b Draw) int { return strings.Compare(a.Key, b.Key) })
	if diff := cmp.Diff(want, s.Draws()); diff != "" {
		t.Errorf("draws (-want +got):\n%s", diff)
	}
}

func TestResetForgetsEverything(t *testing.T) {
	var s Source
	s.Reset(World{Seed: 1}, "a", "1")
	s.Record()
	s.OnDraw(func() {})
	for i := range 2 * inline {
		s.Float64(fmt.Sprint(i))
	}
	s.Reset(World{Seed: 2}, "b", "2")
	var fresh Source
	fresh.Reset(World{Seed: 2}, "b", "2")
	if s.Drew() || len(s.Draws()) != 0 || s.onDraw != nil || s.recording || s.more != nil || s.first != fresh.first {
		t.Errorf("after Reset the source still has %+v", &s)
	}
	for i := range 2 * inline {
		if key := fmt.Sprint(i); s.Float64(key) != fresh.Float64(key) {
			t.Errorf("key %s: a reset source draws otherwise than a new one", key)
		}
	}
}

func TestDrew(t *testing.T) {
	for kind, draw := range kinds {
		s := World{}.Source("writer", "1")
		drawn := 0
		s.OnDraw(func() { drawn++ })
		if s.Drew() || drawn != 0 {
			t.Errorf("%s: drawn before the draw", kind)
		}
		draw(s, "k")
		draw(s, "l")
		if !s.Drew() || drawn != 1 {
			t.Errorf("%s: Drew is %v and OnDraw was called %d times after drawing", kind, s.Drew(), drawn)
		}
	}
}

// An OnDraw function may use the source.
func TestOnDrawMayLook(t *testing.T) {
	s := World{}.Source("writer", "1")
	s.OnDraw(func() {
		if !s.Drew() {
			t.Error("the first draw isn't seen inside OnDraw")
		}
	})
	s.Float64("k")
}

func TestRecord(t *testing.T) {
	s := World{Seed: 3}.Source("writer", "1")
	s.Record()
	logits := map[string]float64{"gold": 1, "stale": 1.3}
	scores := []float64{1, 2, 3}
	want := []Draw{
		{Key: "b", Kind: Categorical, Chosen: s.Categorical("b", logits), Logits: map[string]float64{"gold": 1, "stale": 1.3}},
		{Key: "a", Kind: Index, Value: float64(s.Index("a", scores)), IndexLogits: []float64{1, 2, 3}},
		{Key: "c", Kind: Uniform, Value: s.Float64("c")},
		{Key: "d", Kind: Normal, Value: s.Norm("d")},
		{Key: "e", Kind: Exponential, Value: s.Exp("e")},
		{Key: "f", Kind: Int, N: 10, Value: float64(s.IntN("f", 10))},
		{Key: "g", Kind: Seed, Value: float64(s.Seed("g"))},
		{Key: "h", Kind: Bool, P: 1, Value: 1},
		{Key: "i", Kind: Bool, P: 0, Value: 0},
	}
	s.Bool("h", 1)
	s.Bool("i", 0)
	p := s.Perm("j", 4)
	want = append(want, Draw{Key: "j", Kind: Perm, Perm: slices.Clone(p)})
	want[0], want[1] = want[1], want[0] // sorted by key
	logits["gold"], scores[0], p[0] = 9, 9, 9
	if diff := cmp.Diff(want, s.Draws()); diff != "" {
		t.Errorf("draws (-want +got):\n%s", diff)
	}
}

func TestFrom(t *testing.T) {
	s := World{Seed: 1}.Source("writer", "1")
	ctx := With(context.Background(), s)
	if From(ctx) != s {
		t.Error("From doesn't find the source that With put there")
	}
	type other struct{}
	if From(context.WithValue(ctx, other{}, 1)) != s {
		t.Error("From doesn't find the source through another context")
	}
	if a, b := From(context.Background()), From(context.Background()); a.Float64("k") == b.Float64("k") {
		t.Error("two sources outside an analysis draw the same")
	}
}

func TestAddress(t *testing.T) {
	s := World{Seed: 1, Index: 2}.Source("writer", "3")
	if w, step, call := s.Address(); w != (World{Seed: 1, Index: 2}) || step != "writer" || call != "3" {
		t.Errorf("address is %v, %q, %q", w, step, call)
	}
	if s.Drew() {
		t.Error("reading the address counts as a draw")
	}
}

func TestWorldID(t *testing.T) {
	obs := func(v float64) Observed {
		return Observed{Step: "writer", Call: "1", Draw: Draw{Key: fmt.Sprint(v), Kind: Uniform, Value: v}}
	}
	given := func(o ...Observed) World {
		p, err := NewPosterior(o...)
		if err != nil {
			t.Fatal(err)
		}
		return World{Seed: 1, Index: 2}.Given(p)
	}
	w := given(obs(0.25), obs(0.5))
	if a, b := w.ID(), given(obs(0.5), obs(0.25)).ID(); a != b {
		t.Errorf("the order of observations changes the ID: %s, %s", a, b)
	}
	ids := map[string]bool{w.ID(): true, given(obs(0.25)).ID(): true, given().ID(): true, w.Given(nil).ID(): true, World{Seed: 1, Index: 3}.ID(): true}
	if len(ids) != 5 {
		t.Errorf("IDs of five different worlds: %v", ids)
	}
	if got := (World{Seed: 1, Index: 2}).ID(); got != "1/2" {
		t.Errorf("ID is %q, want 1/2", got)
	}
}

func TestSourceIsSmall(t *testing.T) {
	if size := unsafe.Sizeof(Source{}); size > 300 {
		t.Errorf("a Source has %d bytes", size)
	}
}

func TestDrawingAllocatesNothing(t *testing.T) {
	logits := map[string]float64{"gold": 1, "stale": 1.3, "other": 0}
	scores := []float64{1, 2, 3}
	p, err := NewPosterior(Observed{"writer", "1", Draw{Key: "f", Kind: Categorical, Logits: logits, Chosen: "gold"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []World{{Seed: 1}, World{Seed: 1}.Given(p)} {
		var s Source
		if n := testing.AllocsPerRun(100, func() {
			s.Reset(w, "writer", "1")
			s.Float64("a")
			s.Norm("b")
			s.IntN("c", 5)
			s.Bool("d", 0.5)
			s.Index("e", scores)
			s.Categorical("f", logits)
		}); n != 0 {
			t.Errorf("%v allocations for a step run with six draws", n)
		}
	}
}
