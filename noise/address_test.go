package noise

import (
	"encoding/hex"
	"testing"

	"pgregory.net/rapid"
)

// The encoding written out by hand.
func TestAddressBytes(t *testing.T) {
	b := appendAddress(nil, prior, World{Seed: 0x0102030405060708, Index: 9}, "né", "1", "doc")
	b = appendString(b, "gold")
	want := "01" + "0102030405060708" + "0000000000000009" + "03" + "6ec3a9" + "01" + "31" + "03" + "646f63" + "04" + "676f6c64"
	if got := hex.EncodeToString(b); got != want {
		t.Errorf("address is\n%s, want\n%s", got, want)
	}
}

func TestTypicalAddressIsOneBlock(t *testing.T) {
	b := appendAddress(nil, prior, World{Seed: 1, Index: 2}, "retriever", "1", "document")
	if b = appendString(b, "superseded"); len(b) > 55 {
		t.Errorf("a typical address has %d bytes: more than one SHA-256 block", len(b))
	}
}

// Different addresses have different encodings, and none is another's beginning
// in a way that an option could complete.
func TestAddressIsInjective(t *testing.T) {
	name := rapid.OneOf(rapid.StringN(0, 3, 9), rapid.SampledFrom([]string{"", "a", "\x00", "\x01a", string(make([]byte, 128))}))
	type full struct {
		domain                  byte
		seed, index             uint64
		step, call, key, option string
		named                   bool
	}
	draw := rapid.Custom(func(t *rapid.T) full {
		f := full{
			domain: rapid.SampledFrom([]byte{prior, abducted}).Draw(t, "domain"),
			seed:   rapid.Uint64Range(0, 2).Draw(t, "seed"), index: rapid.Uint64Range(0, 2).Draw(t, "index"),
			step: name.Draw(t, "step"), call: name.Draw(t, "call"), key: name.Draw(t, "key"),
			named: rapid.Bool().Draw(t, "named"),
		}
		if f.named {
			f.option = name.Draw(t, "option")
		}
		return f
	})
	encode := func(f full) string {
		b := appendAddress(nil, f.domain, World{Seed: f.seed, Index: f.index}, f.step, f.call, f.key)
		if f.named {
			b = appendString(b, f.option)
		}
		return string(b)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		if (a == b) != (encode(a) == encode(b)) {
			t.Errorf("%+v and %+v share the encoding %x", a, b, encode(a))
		}
	})
}
