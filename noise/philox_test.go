package noise

import "testing"

// The known answers of the authors' Random123 library.
func TestPhiloxKnownAnswers(t *testing.T) {
	type words [4]uint32
	for _, c := range []struct {
		counter words
		key     [2]uint32
		want    words
	}{
		{words{}, [2]uint32{}, words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
		{words{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, [2]uint32{0xffffffff, 0xffffffff}, words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
		{words{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, [2]uint32{0xa4093822, 0x299f31d0}, words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
	} {
		var got words
		got[0], got[1], got[2], got[3] = philox(c.counter[0], c.counter[1], c.counter[2], c.counter[3], c.key[0], c.key[1])
		if got != c.want {
			t.Errorf("philox(%08x, %08x) = %08x, want %08x", c.counter, c.key, got, c.want)
		}
	}
}

func TestTwoBlocksAtOnce(t *testing.T) {
	r := testStream("two")
	for _, b := range []uint64{0, 2, 4, 74_998, 1<<32 - 2, 1 << 32, 1 << 52} {
		var want, got [4]uint64
		want[0], want[1] = r.block(b)
		want[2], want[3] = r.block(b + 1)
		got[0], got[1], got[2], got[3] = r.two(b)
		if got != want {
			t.Errorf("two(%d) = %v, want %v", b, got, want)
		}
		for i, k := range want {
			if u := r.bits(2*b + uint64(i)); u != k {
				t.Errorf("bits(%d) = %d, want %d", 2*b+uint64(i), u, k)
			}
		}
	}
}
