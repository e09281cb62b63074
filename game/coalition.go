package game

import (
	"fmt"
	"iter"
	"math/bits"
	"strconv"
	"strings"
)

// MaxPlayers is the largest number of players of a game.
const MaxPlayers = 256

const words = MaxPlayers / 64

// A Coalition is a set of players 0 … MaxPlayers−1: those that run their fix.
// The zero value is the empty coalition. Coalitions are values: they compare
// with ==, serve as map keys, and no method changes its receiver.
// Methods that take a player panic if it is out of range.
type Coalition struct {
	w [words]uint64
}

// Of returns the coalition of the given players.
func Of(players ...int) Coalition {
	var c Coalition
	for _, p := range players {
		c = c.With(p)
	}
	return c
}

// Full returns the coalition of all of n players, 0 … n−1.
// It panics unless 0 ≤ n ≤ MaxPlayers.
func Full(n int) Coalition {
	if n < 0 || n > MaxPlayers {
		panic(fmt.Sprintf("game: %d players, want 0 to %d", n, MaxPlayers))
	}
	var c Coalition
	for i := range c.w {
		switch {
		case n >= 64*(i+1):
			c.w[i] = ^uint64(0)
		case n > 64*i:
			c.w[i] = 1<<(n-64*i) - 1
		}
	}
	return c
}

// FromMask returns the coalition of the players whose bits are set, player 0
// being the lowest bit.
func FromMask(mask uint64) Coalition {
	return Coalition{[words]uint64{mask}}
}

// Mask returns players 0 … 63 as bits, player 0 being the lowest.
// Higher players are left out.
func (c Coalition) Mask() uint64 { return c.w[0] }

// With returns c and the player.
func (c Coalition) With(player int) Coalition {
	c.w[uint(player)/64] |= 1 << (uint(player) % 64)
	return c
}

// Without returns c less the player.
func (c Coalition) Without(player int) Coalition {
	c.w[uint(player)/64] &^= 1 << (uint(player) % 64)
	return c
}

// Has reports whether the player is in c.
func (c Coalition) Has(player int) bool {
	return c.w[uint(player)/64]&(1<<(uint(player)%64)) != 0
}

// Len returns the number of players in c.
func (c Coalition) Len() int {
	n := 0
	for _, w := range c.w {
		n += bits.OnesCount64(w)
	}
	return n
}

// IsEmpty reports whether c has no players.
func (c Coalition) IsEmpty() bool { return c == Coalition{} }

// Union returns the players of c or d.
func (c Coalition) Union(d Coalition) Coalition {
	for i := range c.w {
		c.w[i] |= d.w[i]
	}
	return c
}

// Intersect returns the players of both c and d.
func (c Coalition) Intersect(d Coalition) Coalition {
	for i := range c.w {
		c.w[i] &= d.w[i]
	}
	return c
}

// Minus returns the players of c that are not in d.
func (c Coalition) Minus(d Coalition) Coalition {
	for i := range c.w {
		c.w[i] &^= d.w[i]
	}
	return c
}

// SubsetOf reports whether every player of c is in d.
func (c Coalition) SubsetOf(d Coalition) bool {
	return c.Minus(d).IsEmpty()
}

// Players yields the players of c in ascending order.
func (c Coalition) Players() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, w := range c.w {
			for ; w != 0; w &= w - 1 {
				if !yield(64*i + bits.TrailingZeros64(w)) {
					return
				}
			}
		}
	}
}

// Slice returns the players of c in ascending order.
func (c Coalition) Slice() []int {
	s := make([]int, 0, c.Len())
	for p := range c.Players() {
		s = append(s, p)
	}
	return s
}

// Compare orders coalitions by size, and those of equal size by their players
// in ascending order: {2} < {0, 1} < {0, 3} < {1, 2}.
func Compare(a, b Coalition) int {
	if d := a.Len() - b.Len(); d != 0 {
		return d
	}
	for i := range a.w {
		if x := a.w[i] ^ b.w[i]; x != 0 {
			if a.w[i]&(x&-x) != 0 {
				return -1
			}
			return 1
		}
	}
	return 0
}

// String lists the players: "{0,2}".
func (c Coalition) String() string {
	b := []byte{'{'}
	for p := range c.Players() {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(p), 10)
	}
	return string(append(b, '}'))
}

// MarshalText encodes c as a hexadecimal number whose lowest bit is player 0,
// without leading zeros: {0,2} is "5", the empty coalition "0".
func (c Coalition) MarshalText() ([]byte, error) {
	top := words - 1
	for top > 0 && c.w[top] == 0 {
		top--
	}
	b := strconv.AppendUint(nil, c.w[top], 16)
	for i := top - 1; i >= 0; i-- {
		b = fmt.Appendf(b, "%016x", c.w[i])
	}
	return b, nil
}

// UnmarshalText decodes what MarshalText writes and accepts nothing else.
func (c *Coalition) UnmarshalText(text []byte) error {
	s := string(text)
	bad := s == "" || len(s) > 16*words || s[0] == '0' && len(s) > 1 ||
		strings.Trim(s, "0123456789abcdef") != ""
	if bad {
		return fmt.Errorf("decoding coalition: %.80q is not a hexadecimal number of up to %d bits without leading zeros", s, MaxPlayers)
	}
	*c = Coalition{}
	for i := 0; s != ""; i++ {
		cut := max(0, len(s)-16)
		w, err := strconv.ParseUint(s[cut:], 16, 64)
		if err != nil {
			return fmt.Errorf("decoding coalition %q: %w", text, err)
		}
		c.w[i], s = w, s[:cut]
	}
	return nil
}
