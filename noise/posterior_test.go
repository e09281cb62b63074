package noise

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func given(t testing.TB, w World, draws ...Draw) World {
	t.Helper()
	var observed []Observed
	for _, d := range draws {
		observed = append(observed, Observed{"writer", "1", d})
	}
	p, err := NewPosterior(observed...)
	if err != nil {
		t.Fatal(err)
	}
	return w.Given(p)
}

func name(i int) string { return string(rune('a'+i%26)) + strconv.Itoa(i) }

// named gives logits names, and leaves out NaN ones.
func named(logits []float64) map[string]float64 {
	m := make(map[string]float64)
	for i, l := range logits {
		if !math.IsNaN(l) {
			m[name(i)] = l
		}
	}
	return m
}

// possible draws an option that can have been chosen.
func possible(t *rapid.T, logits []float64) int {
	return rapid.IntRange(0, len(logits)-1).Filter(func(i int) bool { return !math.IsInf(logits[i], -1) }).Draw(t, "chosen")
}

// drawGen makes a draw of any kind that can have been drawn.
func drawGen(key string) *rapid.Generator[Draw] {
	return rapid.Custom(func(t *rapid.T) Draw {
		d := Draw{Key: key}
		switch d.Kind = rapid.SampledFrom([]Kind{Uniform, Normal, Exponential, Int, Bool, Seed, Perm, Categorical, Index}).Draw(t, "kind"); d.Kind {
		case Uniform:
			d.Value = rapid.Float64Range(1e-300, 1-0x1p-53).Draw(t, "value")
		case Normal:
			d.Value = rapid.Float64Range(-50, 50).Draw(t, "value")
		case Exponential:
			d.Value = rapid.Float64Range(1e-300, 800).Draw(t, "value")
		case Int:
			d.N = rapid.IntRange(1, maxInt).Draw(t, "n")
			d.Value = float64(rapid.IntRange(0, d.N-1).Draw(t, "value"))
		case Bool:
			d.P = rapid.Float64Range(0x1p-53, 1-0x1p-53).Draw(t, "p")
			d.Value = float64(rapid.IntRange(0, 1).Draw(t, "value"))
		case Seed:
			d.Value = float64(rapid.Uint64Range(0, last).Draw(t, "value"))
		case Perm:
			d.Perm = rapid.Permutation(World{}.Source("", "").Perm("k", rapid.IntRange(1, 20).Draw(t, "n"))).Draw(t, "perm")
		case Categorical:
			logits := logitsGen().Draw(t, "logits")
			d.Logits, d.Chosen = named(logits), name(possible(t, logits))
		case Index:
			d.IndexLogits = logitsGen().Draw(t, "logits")
			d.Value = float64(possible(t, d.IndexLogits))
		}
		return d
	})
}

// Every world given observations repeats all of them, to the last bit.
func TestPosteriorRepeatsObservations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var draws []Draw
		for i := range rapid.IntRange(1, 5).Draw(t, "draws") {
			draws = append(draws, drawGen("k"+strconv.Itoa(i)).Draw(t, "draw"))
		}
		var observed []Observed
		for _, d := range draws {
			observed = append(observed, Observed{"writer", "1", d})
		}
		p, err := NewPosterior(observed...)
		if err != nil {
			t.Fatal(err)
		}
		w := World{Seed: rapid.Uint64().Draw(t, "seed"), Index: rapid.Uint64().Draw(t, "index")}.Given(p)
		for _, d := range draws {
			if diff := cmp.Diff(d, repeat(w, "writer", "1", d)); diff != "" {
				t.Errorf("observed (-) and drawn again (+):\n%s", diff)
			}
		}
	})
}

// Whatever is recorded in a world can be conditioned on, and a world so
// conditioned draws it again; elsewhere it draws as without condition.
func TestRecordedDrawsAreRepeated(t *testing.T) {
	for i := range uint64(50) {
		s := World{Seed: 3, Index: i}.Source("writer", "1")
		s.Record()
		for kind, draw := range kinds {
			draw(s, string(kind))
		}
		w := given(t, World{Seed: 4, Index: i}, s.Draws()...)
		again := w.Source("writer", "1")
		again.Record()
		for kind, draw := range kinds {
			draw(again, string(kind))
			for _, other := range []struct{ step, call, key string }{
				{"writer", "2", string(kind)}, {"planner", "1", string(kind)}, {"writer", "1", "other"},
			} {
				prior := draw(w.Given(nil).Source(other.step, other.call), other.key)
				if diff := cmp.Diff(prior, draw(w.Source(other.step, other.call), other.key)); diff != "" {
					t.Errorf("%v wasn't observed and yet changed (-prior +posterior):\n%s", other, diff)
				}
			}
		}
		if diff := cmp.Diff(s.Draws(), again.Draws()); diff != "" {
			t.Errorf("recorded (-) and drawn again (+):\n%s", diff)
		}
	}
}

func TestPosteriorErrors(t *testing.T) {
	ok := Draw{Key: "k", Kind: Uniform, Value: 0.5}
	for want, observed := range map[string][]Observed{
		`noise: observation of step writer#1: draw "k": observed twice`:                                   {{"writer", "1", ok}, {"writer", "1", ok}},
		`noise: observation of step writer#1: draw "d": impossible: chosen option "a" has logit -Inf`:     {{"writer", "1", Draw{Key: "d", Kind: Categorical, Logits: map[string]float64{"a": math.Inf(-1), "b": 0}, Chosen: "a"}}},
		`noise: observation of step writer#1: draw "d": impossible: chosen option 0 has logit -Inf`:       {{"writer", "1", Draw{Key: "d", Kind: Index, IndexLogits: []float64{math.Inf(-1), 0}}}},
		`noise: observation of step writer#1: draw "d": impossible: true with probability of true 1e-300`: {{"writer", "1", Draw{Key: "d", Kind: Bool, P: 1e-300, Value: 1}}},
	} {
		if _, err := NewPosterior(observed...); err == nil || err.Error() != want {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
	if _, err := NewPosterior(Observed{"writer", "1", ok}, Observed{"writer", "2", ok}, Observed{"planner", "1", ok}); err != nil {
		t.Errorf("one key in three step runs: %v", err)
	}
}

// The observation is copied: changing the caller's data later changes nothing.
func TestPosteriorCopies(t *testing.T) {
	d := Draw{Key: "k", Kind: Categorical, Logits: map[string]float64{"a": 0, "b": -20}, Chosen: "b"}
	w := given(t, World{Seed: 1}, d)
	d.Logits["b"] = 20
	if got := w.Source("writer", "1").Categorical("k", map[string]float64{"a": 0, "b": -20}); got != "b" {
		t.Errorf("drew %q, want the observed b", got)
	}
}

// What a source says of itself is enough to make the same draws elsewhere.
func TestSourceCanBeRebuilt(t *testing.T) {
	draws := []Draw{
		{Key: "b", Kind: Categorical, Logits: map[string]float64{"a": 0, "b": 1}, Chosen: "a"},
		{Key: "a", Kind: Int, N: 6, Value: 2},
	}
	s := given(t, World{Seed: 1, Index: 2}, draws...).Source("writer", "1")
	if diff := cmp.Diff([]Draw{draws[1], draws[0]}, s.Observed()); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
	w, step, call := s.Address()
	again := given(t, World{Seed: w.Seed, Index: w.Index}, s.Observed()...).Source(step, call)
	for _, d := range draws {
		if got, want := kinds[d.Kind](again, d.Key), kinds[d.Kind](s, d.Key); got != want {
			t.Errorf("%s drawn elsewhere is %v, want %v", d.Key, got, want)
		}
	}
	if other := s.world.Source("writer", "2").Observed(); other != nil {
		t.Errorf("another call's observations are %v", other)
	}
}

// standings is Index given an observation without any pruning.
func standings(w World, d Draw, logits []float64) int {
	s := w.Given(nil).Source("writer", "1")
	own, abd := s.digest(prior, d.Key), s.digest(abducted, d.Key)
	r, a := own.stream(), abd.stream()
	e, _ := newEvidence(d)
	g0 := gumbel(uniform(a.bits(uint64(d.Value))))
	at, best := -1, 0.0
	for i, l := range logits {
		if math.IsInf(l, -1) {
			continue
		}
		old := math.Inf(-1)
		if i < len(d.IndexLogits) {
			old = d.IndexLogits[i]
		}
		v := l - old
		if i != int(d.Value) {
			k := a.bits(uint64(i))
			if math.IsInf(old, -1) {
				k = r.bits(uint64(i))
			}
			v = e.standing(l, old, g0, gumbel(uniform(k)))
		}
		if at < 0 || v > best {
			at, best = i, v
		}
	}
	return at
}

func TestPosteriorIndexIsArgmax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		old := logitsGen().Draw(t, "observed logits")
		d := Draw{Key: "k", Kind: Index, IndexLogits: old, Value: float64(possible(t, old))}
		logits := logitsGen().Draw(t, "logits")
		if rapid.Bool().Draw(t, "near") { // most logits as observed, some changed
			logits = slices.Clone(old)
			for range rapid.IntRange(0, 3).Draw(t, "changes") {
				logits[rapid.IntRange(0, len(logits)-1).Draw(t, "at")] = rapid.Float64Range(-5, 5).Draw(t, "to")
			}
		}
		p, err := NewPosterior(Observed{"writer", "1", d})
		if err != nil {
			t.Fatal(err)
		}
		if math.IsInf(slices.Max(logits), -1) {
			t.Skip("no possible option left")
		}
		w := World{Seed: rapid.Uint64().Draw(t, "seed")}.Given(p)
		if got, want := w.Source("writer", "1").Index("k", logits), standings(w, d, logits); got != want {
			t.Errorf("Index is %d, the argmax of the standings %d", got, want)
		}
	})
}

// Thousands of options, and every counterfactual of a world from the same
// Gumbels: raising one option's logit can only make that option win.
func TestPosteriorIsStable(t *testing.T) {
	logits := pattern(3000)
	for i := range uint64(10) {
		w := given(t, World{Seed: 6, Index: i}, Draw{Key: "k", Kind: Index, IndexLogits: logits, Value: float64(i * 290)})
		up := slices.Clone(logits)
		raised := int(i * 97)
		won := false
		for range 40 {
			got := w.Source("writer", "1").Index("k", up)
			if got != int(i*290) && got != raised || won && got != raised {
				t.Fatalf("world %d: option %d wins when only %d was raised", i, got, raised)
			}
			won = won || got == raised
			up[raised]++
		}
		if !won {
			t.Errorf("world %d: option %d doesn't win even 40 above", i, raised)
		}
	}
}

// An offset common to the observed logits and the new ones changes nothing,
// however large: the logits here stay exact at ±10⁹.
func TestPosteriorAtExtremeOffsets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grid := rapid.Map(rapid.IntRange(-8000, 8000), func(i int) float64 { return float64(i) / 1024 })
		n := rapid.IntRange(1, 8).Draw(t, "n")
		old := rapid.SliceOfN(grid, n, n).Draw(t, "observed logits")
		logits := rapid.SliceOfN(grid, n, n).Draw(t, "logits")
		chosen := rapid.IntRange(0, n-1).Draw(t, "chosen")
		seed := rapid.Uint64().Draw(t, "seed")
		choose := func(by float64) (int, string) {
			shifted := func(l []float64) []float64 {
				l = slices.Clone(l)
				for i := range l {
					l[i] += by
				}
				return l
			}
			p, err := NewPosterior(
				Observed{"writer", "1", Draw{Key: "i", Kind: Index, IndexLogits: shifted(old), Value: float64(chosen)}},
				Observed{"writer", "1", Draw{Key: "c", Kind: Categorical, Logits: named(shifted(old)), Chosen: name(chosen)}},
			)
			if err != nil {
				t.Fatal(err)
			}
			s := World{Seed: seed}.Given(p).Source("writer", "1")
			return s.Index("i", shifted(logits)), s.Categorical("c", named(shifted(logits)))
		}
		index, option := choose(0)
		for _, offset := range []float64{1e9, -1e9} {
			if i, o := choose(offset); i != index || o != option {
				t.Errorf("offset %v: %d and %s, without it %d and %s", offset, i, o, index, option)
			}
		}
	})
}

// Scalars of one address come from one uniform: an observation of one kind says
// all it can about the others.
func TestPosteriorAcrossScalarKinds(t *testing.T) {
	for i := range uint64(200) {
		w := World{Seed: 8, Index: i}
		u := given(t, World{}, Draw{Key: "k", Kind: Uniform, Value: w.Source("writer", "1").Float64("k")})
		for _, kind := range []Kind{Uniform, Normal, Exponential, Int, Bool, Seed} {
			want := kinds[kind](w.Source("writer", "1"), "k")
			if got := kinds[kind](u.Source("writer", "1"), "k"); got != want {
				t.Errorf("%s given the uniform is %v, want %v", kind, got, want)
			}
		}
		n := w.Source("writer", "1").IntN("k", 10)
		b := w.Source("writer", "1").Bool("k", 0.35)
		g := given(t, World{Seed: 1, Index: i}, Draw{Key: "k", Kind: Int, N: 10, Value: float64(n)})
		if x := g.Source("writer", "1").Float64("k"); int(x*10) != n {
			t.Errorf("uniform %v given that tenth %d was drawn", x, n)
		}
		if m := g.Source("writer", "1").IntN("k", 5); m != n/2 {
			t.Errorf("fifth %d given tenth %d", m, n)
		}
		value := 0.0
		if b {
			value = 1
		}
		g = given(t, World{Seed: 1, Index: i}, Draw{Key: "k", Kind: Bool, P: 0.35, Value: value})
		if x := g.Source("writer", "1").Float64("k"); x < 0.35 != b {
			t.Errorf("uniform %v given that below 0.35 is %v", x, b)
		}
		if b && !g.Source("writer", "1").Bool("k", 0.4) || !b && g.Source("writer", "1").Bool("k", 0.3) {
			t.Error("a coin isn't monotone in its probability")
		}
		perm := w.Source("writer", "1").Perm("k", 9)
		long := w.Source("writer", "1").Perm("k", 12)
		g = given(t, w, Draw{Key: "k", Kind: Perm, Perm: perm})
		if got := g.Source("writer", "1").Perm("k", 12); !slices.Equal(got, long) {
			t.Errorf("12 given the world's own 9: %v, want %v", got, long)
		}
		if got, want := g.Source("writer", "1").Perm("k", 5), w.Source("writer", "1").Perm("k", 5); !slices.Equal(got, want) {
			t.Errorf("5 given the world's own 9: %v, want %v", got, want)
		}
	}
}

// Draws that share no noise with the observed one are the world's own.
func TestPosteriorOfOtherKinds(t *testing.T) {
	for _, d := range observations() {
		d.Key = "k"
		w := given(t, World{Seed: 2}, d)
		for kind, draw := range kinds {
			if kind == d.Kind || kind.scalar() && d.Kind.scalar() {
				continue
			}
			if diff := cmp.Diff(draw(w.Given(nil).Source("writer", "1"), "k"), draw(w.Source("writer", "1"), "k")); diff != "" {
				t.Errorf("%s given %s (-prior +posterior):\n%s", kind, d.Kind, diff)
			}
		}
	}
}

func TestPosteriorErrorsKeepTheirNames(t *testing.T) {
	w := given(t, World{}, Draw{Key: "k", Kind: Categorical, Logits: map[string]float64{"a": 0}, Chosen: "a"})
	err := misuse(func() { w.Source("writer", "1").Categorical("k", map[string]float64{"a": math.Inf(-1)}) })
	if err == nil || !strings.Contains(err.Error(), "every logit is -Inf") {
		t.Errorf("error is %v", err)
	}
}
