package game

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func drawPlayers(t *rapid.T, label string) map[int]bool {
	set := map[int]bool{}
	for _, p := range rapid.SliceOf(rapid.IntRange(0, MaxPlayers-1)).Draw(t, label) {
		set[p] = true
	}
	return set
}

func coalitionOf(set map[int]bool) Coalition {
	var c Coalition
	for p := range set {
		c = c.With(p)
	}
	return c
}

// Coalitions do what maps of players do.
func TestCoalitionAgainstMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawPlayers(t, "a"), drawPlayers(t, "b")
		ca, cb := coalitionOf(a), coalitionOf(b)
		union, both, minus := Coalition{}, Coalition{}, Coalition{}
		for p := range MaxPlayers {
			if a[p] || b[p] {
				union = union.With(p)
			}
			if a[p] && b[p] {
				both = both.With(p)
			}
			if a[p] && !b[p] {
				minus = minus.With(p)
			}
			if ca.Has(p) != a[p] {
				t.Fatalf("%v.Has(%d) = %v", ca, p, ca.Has(p))
			}
		}
		if ca.Union(cb) != union || ca.Intersect(cb) != both || ca.Minus(cb) != minus {
			t.Fatalf("%v and %v: union %v, intersect %v, minus %v", ca, cb, ca.Union(cb), ca.Intersect(cb), ca.Minus(cb))
		}
		if ca.SubsetOf(cb) != minus.IsEmpty() || !both.SubsetOf(ca) {
			t.Fatalf("%v.SubsetOf(%v) = %v", ca, cb, ca.SubsetOf(cb))
		}
		players := ca.Slice()
		if len(players) != len(a) || ca.Len() != len(a) || !slices.IsSorted(players) || Of(players...) != ca {
			t.Fatalf("players %v of %v", players, a)
		}
		for p := range a {
			if got := ca.Without(p); got.Has(p) || got.With(p) != ca {
				t.Fatalf("%v.Without(%d) = %v", ca, p, got)
			}
		}
		if got := sign(Compare(ca, cb)); got != compareSlices(ca.Slice(), cb.Slice()) || got != -sign(Compare(cb, ca)) {
			t.Fatalf("Compare(%v, %v) = %d", ca, cb, got)
		}
		var back Coalition
		if err := back.UnmarshalText(must(ca.MarshalText())); err != nil || back != ca {
			t.Fatalf("%v comes back as %v: %v", ca, back, err)
		}
	})
}

func compareSlices(a, b []int) int {
	if len(a) != len(b) {
		return sign(len(a) - len(b))
	}
	return slices.Compare(a, b)
}

func sign(x int) int {
	return max(-1, min(1, x))
}

func TestFull(t *testing.T) {
	for n := range MaxPlayers + 1 {
		c := Full(n)
		if c.Len() != n || n > 0 && !c.Has(n-1) || n < MaxPlayers && c.Has(n) {
			t.Fatalf("Full(%d) = %v", n, c)
		}
	}
	for _, n := range []int{-1, MaxPlayers + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Full(%d) does not panic", n)
				}
			}()
			Full(n)
		}()
	}
}

func TestCoalitionText(t *testing.T) {
	for _, test := range []struct {
		c            Coalition
		text, string string
	}{
		{Coalition{}, "0", "{}"},
		{Of(0, 2), "5", "{0,2}"},
		{Of(64), "10000000000000000", "{64}"},
		{Of(3, 67), "80000000000000008", "{3,67}"},
	} {
		if got := string(must(test.c.MarshalText())); got != test.text {
			t.Errorf("%v as text: %q, want %q", test.c, got, test.text)
		}
		if diff := cmp.Diff(test.string, test.c.String()); diff != "" {
			t.Error(diff)
		}
	}
	for _, text := range []string{"", "00", "05", "-1", "+1", "0x1", "G", "A", " 1", "1_0", "1" + string(make([]byte, 70))} {
		var c Coalition
		if err := c.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q decodes as %v", text, c)
		}
	}
}

func FuzzCoalitionText(f *testing.F) {
	for _, s := range []string{"0", "5", "10000000000000000", "00", "x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var c Coalition
		if err := c.UnmarshalText([]byte(s)); err != nil {
			return
		}
		if got := string(must(c.MarshalText())); got != s {
			t.Errorf("%q is written back as %q", s, got)
		}
	})
}

func TestPlayersStops(t *testing.T) {
	for p := range Of(3, 5, 70).Players() {
		if p != 3 {
			t.Fatalf("first player %d", p)
		}
		break
	}
}
