package noise

import (
	"crypto/sha256"
	"encoding/binary"
)

// The first byte of an encoded address is the domain of the noise.
const (
	prior    = 0x01 // noise as the world has it
	abducted = 0x02 // noise that completes an observation, see Posterior
)

// typical is the buffer size that keeps the encoding of all but very long
// addresses off the heap.
const typical = 160

// A digest is the SHA-256 of an encoded address: eight big-endian 32-bit words
// w0 … w7. Words 0 and 1 give the address's own uniform, words 2 to 5 key its
// counter generator, so the two are independent.
type digest [sha256.Size]byte

// bits returns the top 53 bits of the digest's first 64.
func (d *digest) bits() uint64 { return binary.BigEndian.Uint64(d[:8]) >> 11 }

func (d *digest) word(i int) uint32 { return binary.BigEndian.Uint32(d[4*i:]) }

// digest hashes the address of key in the source's step run.
func (s *Source) digest(domain byte, key string) digest {
	var buf [typical]byte
	return sha256.Sum256(s.address(buf[:0], domain, key))
}

func (s *Source) address(b []byte, domain byte, key string) []byte {
	return appendAddress(b, domain, s.world, s.step, s.call, key)
}

// optionGumbel returns the Gumbel variable of a named option. The address is
// one of the key, without option; its domain byte is overwritten.
func optionGumbel(address []byte, domain byte, option string) float64 {
	address[0] = domain
	d := digest(sha256.Sum256(appendString(address, option)))
	return gumbel(uniform(d.bits()))
}

// appendAddress appends the encoding of an address without option. As every
// string carries its length, no two addresses share an encoding, and appending
// an option can't make one look like another.
func appendAddress(b []byte, domain byte, w World, step, call, key string) []byte {
	b = append(b, domain)
	b = binary.BigEndian.AppendUint64(b, w.Seed)
	b = binary.BigEndian.AppendUint64(b, w.Index)
	b = appendString(b, step)
	b = appendString(b, call)
	return appendString(b, key)
}

func appendString(b []byte, s string) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}
