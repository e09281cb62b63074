package noise

import (
	"testing"

	"pgregory.net/rapid"
)

// The span of a scalar holds exactly the bits that give it: its ends do, their
// neighbours don't.
func TestSpanIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawGen("k").Filter(func(d Draw) bool { return d.Kind == Int || d.Kind == Bool || d.Kind == Seed }).Draw(t, "draw")
		gives := func(k uint64) bool {
			switch d.Kind {
			case Int:
				return below(k, uint64(d.N)) == uint64(d.Value)
			case Bool:
				return uniform(k) < d.P == (d.Value == 1)
			}
			return k == uint64(d.Value)
		}
		lo, hi := d.span()
		if lo > hi || hi > last {
			t.Fatalf("span is %d to %d", lo, hi)
		}
		if !gives(lo) || !gives(hi) || lo > 0 && gives(lo-1) || hi < last && gives(hi+1) {
			t.Errorf("span %d to %d has wrong ends", lo, hi)
		}
	})
}

// A uniform, normal or exponential that was drawn leads back to its bits, or to
// a neighbour that rounds to the same number.
func TestSpanOfReals(t *testing.T) {
	r := testStream("span")
	for i := range uint64(2000) {
		k := r.bits(i)
		u := uniform(k)
		for _, d := range []Draw{{Kind: Uniform, Value: u}, {Kind: Normal, Value: normal(u)}, {Kind: Exponential, Value: exponential(u)}} {
			lo, hi := d.span()
			if lo != hi {
				t.Fatalf("%s %v has the span %d to %d", d.Kind, d.Value, lo, hi)
			}
			if off := max(lo, k) - min(lo, k); off > 8 || d.Kind == Uniform && off > 0 {
				t.Errorf("%s of bits %d leads back to %d", d.Kind, k, lo)
			}
		}
	}
}
