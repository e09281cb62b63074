package noise

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// argmax is Index without any pruning.
func argmax(s *Source, key string, logits []float64) int {
	d := s.digest(prior, key)
	r := d.stream()
	at, best := -1, 0.0
	for i, l := range logits {
		if math.IsInf(l, -1) {
			continue
		}
		if v := l + gumbel(uniform(r.bits(uint64(i)))); at < 0 || v > best {
			at, best = i, v
		}
	}
	return at
}

// logits of many shapes, always with a possible option.
func logitsGen() *rapid.Generator[[]float64] {
	one := rapid.OneOf(
		rapid.Float64Range(-3, 3), rapid.Float64Range(-40, 40), rapid.Just(0.0), rapid.Just(math.Inf(-1)),
		rapid.SampledFrom([]float64{1e9, 1e9 + 1, -1e9, -1e30, 1e17, 1e17 + 16, math.MaxFloat64, -math.MaxFloat64}),
	)
	return rapid.OneOf(
		rapid.SliceOfN(one, 1, 40),
		rapid.SliceOfN(rapid.Float64Range(-5, 5), 1, 300),
	).Filter(func(l []float64) bool { return !math.IsInf(slices.Max(l), -1) })
}

func TestIndexIsArgmax(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		logits := logitsGen().Draw(t, "logits")
		w := World{Seed: rapid.Uint64().Draw(t, "seed")}
		if got, want := w.Source("writer", "1").Index("k", logits), argmax(w.Source("writer", "1"), "k", logits); got != want {
			t.Errorf("Index is %d, the argmax %d", got, want)
		}
	})
}

func TestIndexIsArgmaxOfVocabulary(t *testing.T) {
	for _, shape := range []string{"normal", "flat", "rising", "falling", "masked"} {
		logits := vocabulary(shape)
		for _, n := range []int{len(logits), len(logits) - 1, len(logits) - 2, len(logits) - 3} {
			s := World{Seed: uint64(n)}.Source("writer", "1")
			if got, want := s.Index("k", logits[:n]), argmax(s, "k", logits[:n]); got != want {
				t.Errorf("%s, %d options: Index is %d, the argmax %d", shape, n, got, want)
			}
		}
	}
}

// The bound that Index prunes with holds at the ends of all its intervals,
// where it is tight, and between.
func TestGumbelBound(t *testing.T) {
	check := func(k uint64) {
		if g := gumbel(uniform(k)); gumbelBound(k) < g || g > gumbelMax {
			t.Fatalf("gumbel of %d is %v, above its bound %v", k, g, gumbelBound(k))
		}
	}
	for e := range 53 {
		for d := range uint64(3) {
			check(1<<53 - (1<<e + d))
			if c := uint64(1)<<e - d; c-1 < last {
				check(1<<53 - c)
			}
		}
	}
	check(0)
	check(last)
	r := testStream("bound")
	for i := range uint64(100_000) {
		check(r.bits(i))
	}
}

// Options exactly equal: the lower index, the smaller name in byte order.
func TestTies(t *testing.T) {
	const l = 1e300 // swallows every Gumbel
	for range 20 {
		s := World{}.Source("writer", "1")
		if got := s.Index("i", []float64{0, l, l, l, l, l, l}); got != 1 {
			t.Errorf("Index of equals is %d, want 1", got)
		}
		if got := s.Index("j", []float64{l, -l, l}); got != 0 {
			t.Errorf("Index of equals is %d, want 0", got)
		}
		// In UTF-16 order 𝄞 would come before ｡.
		if got := s.Categorical("c", map[string]float64{"𝄞": l, "｡": l, "": -l}); got != "｡" {
			t.Errorf("Categorical of equals is %q, want ｡", got)
		}
	}
}

// Adding options never changes who wins among the old ones.
func TestCategoricalIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := World{Seed: rapid.Uint64().Draw(t, "seed")}
		logits := rapid.MapOfN(rapid.StringN(0, 3, -1), rapid.Float64Range(-5, 5), 1, 6).Draw(t, "logits")
		before := w.Source("s", "1").Categorical("k", logits)
		logits["another option"] = rapid.Float64Range(-5, 5).Draw(t, "another")
		if after := w.Source("s", "1").Categorical("k", logits); after != before && after != "another option" {
			t.Errorf("%q won before another option came, %q after", before, after)
		}
	})
}

// Permutations of one address agree where they can: the longer one is the
// shorter one after its own swaps.
func TestPermSharesSwaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := World{Seed: rapid.Uint64().Draw(t, "seed")}
		n := rapid.IntRange(1, 30).Draw(t, "n")
		long, short := w.Source("s", "1").Perm("k", n), w.Source("s", "1").Perm("k", n-1)
		a, b := swaps(long), swaps(short)
		if !slices.Equal(a[:n-1], b) {
			t.Errorf("swaps of the longer are %v, of the shorter %v", a, b)
		}
	})
}

func TestIntNOfHugeRange(t *testing.T) {
	for i := range 1000 {
		s := World{Index: uint64(i)}.Source("s", "1")
		if v := s.IntN(strconv.Itoa(i), maxInt); v < 0 || v >= maxInt {
			t.Errorf("IntN(2^31-1) = %d", v)
		}
	}
	if v := below(last, maxInt); v != maxInt-1 {
		t.Errorf("the largest draw is %d, want 2^31-2", v)
	}
	if v := below(last, 1<<53); v != last {
		t.Errorf("below(last, 2^53) = %d, want %d", v, uint64(last))
	}
}
