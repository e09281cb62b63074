package game

// A memo maps triples to non-negative numbers. It is a hash table with linear
// probing; the algorithms on diagrams spend most of their time in it, and small
// games would spend it making maps. The zero value is empty.
type memo struct {
	slots []slot // a power of two of them, at most half in use
	used  int
}

type slot struct {
	key   triple
	value int32 // number + 1; 0 if the slot is free
}

func (m *memo) get(key triple) (int32, bool) {
	if m.used == 0 {
		return 0, false
	}
	s := m.find(key)
	return s.value - 1, s.value != 0
}

func (m *memo) put(key triple, value int32) {
	if 2*(m.used+1) > len(m.slots) {
		old := m.slots
		m.slots = make([]slot, max(16, 2*len(old)))
		for _, s := range old {
			if s.value != 0 {
				*m.find(s.key) = s
			}
		}
	}
	s := m.find(key)
	if s.value == 0 {
		m.used++
	}
	*s = slot{key, value + 1}
}

// find returns the slot that has the key or is where it belongs.
func (m *memo) find(key triple) *slot {
	h := uint64(uint32(key.level))*0x9e3779b97f4a7c15 ^
		uint64(uint32(key.lo))*0xc2b2ae3d27d4eb4f ^
		uint64(uint32(key.hi))*0x165667b19e3779f9
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	mask := uint64(len(m.slots) - 1)
	for at := h >> 32 & mask; ; at = (at + 1) & mask {
		if s := &m.slots[at]; s.value == 0 || s.key == key {
			return s
		}
	}
}
