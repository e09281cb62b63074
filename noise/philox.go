package noise

// A stream is the counter generator of one address: uniform number i can be
// had without those before it. It is Philox4x32-10 of Salmon, Moraes, Dror and
// Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011), keyed with
// words 2 and 3 of the address's digest; words 4 and 5 are the upper half of
// the counter.
type stream struct {
	k0, k1 uint32
	c2, c3 uint32
}

func (d *digest) stream() stream {
	return stream{k0: d.word(2), k1: d.word(3), c2: d.word(4), c3: d.word(5)}
}

// block returns the 53 bits of uniforms 2b and 2b+1.
func (s *stream) block(b uint64) (even, odd uint64) {
	x0, x1, x2, x3 := philox(uint32(b), uint32(b>>32), s.c2, s.c3, s.k0, s.k1)
	return join(x0, x1), join(x2, x3)
}

// bits returns the 53 bits of uniform i.
func (s *stream) bits(i uint64) uint64 {
	even, odd := s.block(i / 2)
	if i%2 == 0 {
		return even
	}
	return odd
}

// two returns the bits of the four uniforms of blocks b and b+1, b even. The
// blocks are independent, so a processor does much of them at once.
func (s *stream) two(b uint64) (u0, u1, u2, u3 uint64) {
	const rounds = 10
	c0, c1, c2, c3 := uint32(b), uint32(b>>32), s.c2, s.c3
	d0, d1, d2, d3 := c0+1, c1, c2, c3
	k0, k1 := s.k0, s.k1
	for range rounds {
		p0, p1 := uint64(c0)*m0, uint64(c2)*m1
		q0, q1 := uint64(d0)*m0, uint64(d2)*m1
		c0, c1, c2, c3 = uint32(p1>>32)^c1^k0, uint32(p1), uint32(p0>>32)^c3^k1, uint32(p0)
		d0, d1, d2, d3 = uint32(q1>>32)^d1^k0, uint32(q1), uint32(q0>>32)^d3^k1, uint32(q0)
		k0 += w0
		k1 += w1
	}
	return join(c0, c1), join(c2, c3), join(d0, d1), join(d2, d3)
}

// join returns the top 53 bits of two words.
func join(hi, lo uint32) uint64 { return (uint64(hi)<<32 | uint64(lo)) >> 11 }

// Multipliers and key increments of Philox4x32.
const (
	m0, m1 = 0xD2511F53, 0xCD9E8D57
	w0, w1 = 0x9E3779B9, 0xBB67AE85
)

// philox is the Philox4x32-10 bijection of counter c under key k.
func philox(c0, c1, c2, c3, k0, k1 uint32) (x0, x1, x2, x3 uint32) {
	const rounds = 10
	for range rounds {
		p0, p1 := uint64(c0)*m0, uint64(c2)*m1
		c0, c1, c2, c3 = uint32(p1>>32)^c1^k0, uint32(p1), uint32(p0>>32)^c3^k1, uint32(p0)
		k0 += w0
		k1 += w1
	}
	return c0, c1, c2, c3
}
