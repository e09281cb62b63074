package game

// A zdd is a store of families of sets as zero-suppressed decision diagrams.
// Family 0 has no set, family 1 only the empty set, family k+2 is nodes[k]:
// the sets of lo, and those of hi with the element of the level added. Levels
// rise on every path, and no hi is family 0, so that equal families have equal
// numbers.
//
// Minato, Zero-suppressed BDDs for set manipulation in combinatorial problems,
// 1993; Knuth, The Art of Computer Programming 4A, 7.1.4.
type zdd struct {
	nodes  []triple
	unique memo
	apart  memo // results of nonSupersets
	least  memo // results of minimal
}

const (
	noSet    int32 = 0
	emptySet int32 = 1
)

func (z *zdd) at(f int32) triple { return z.nodes[f-2] }

// node returns the family of lo's sets and, with the level added, hi's.
func (z *zdd) node(level, lo, hi int32) int32 {
	if hi == noSet {
		return lo
	}
	key := triple{level, lo, hi}
	f, ok := z.unique.get(key)
	if !ok {
		f = int32(len(z.nodes)) + 2
		z.nodes = append(z.nodes, key)
		z.unique.put(key, f)
	}
	return f
}

// hasEmpty reports whether the empty set is in f.
func (z *zdd) hasEmpty(f int32) bool {
	for f > emptySet {
		f = z.at(f).lo
	}
	return f == emptySet
}

// nonSupersets returns the sets of f that contain no set of g.
func (z *zdd) nonSupersets(f, g int32) int32 {
	switch {
	case g == noSet || f == noSet:
		return f
	case f == g || z.hasEmpty(g):
		return noSet
	case f == emptySet:
		return f
	}
	key := triple{lo: f, hi: g}
	if r, ok := z.apart.get(key); ok {
		return r
	}
	a, b := z.at(f), z.at(g)
	var r int32
	switch {
	case a.level < b.level:
		r = z.node(a.level, z.nonSupersets(a.lo, g), z.nonSupersets(a.hi, g))
	case a.level > b.level:
		r = z.nonSupersets(f, b.lo)
	default:
		with := z.nonSupersets(z.nonSupersets(a.hi, b.lo), b.hi)
		r = z.node(a.level, z.nonSupersets(a.lo, b.lo), with)
	}
	z.apart.put(key, r)
	return r
}

// minimal returns the inclusion-minimal coalitions that an ordered 0/1 diagram
// accepts: those of lo, and those of hi with the player added unless lo already
// accepts a part of them. A player whom the diagram leaves out is in none.
func (z *zdd) minimal(c *compiler, f int32) int32 {
	if f < c.terminals {
		return f // rejecting: no set; accepting: the empty set
	}
	key := triple{lo: f}
	if r, ok := z.least.get(key); ok {
		return r
	}
	n := c.nodes[f-c.terminals]
	lo, hi := z.minimal(c, n.lo), z.minimal(c, n.hi)
	r := z.node(n.level, lo, z.nonSupersets(hi, lo))
	z.least.put(key, r)
	return r
}

// trim keeps only what f needs, children before parents, and returns f's new
// number.
func (z *zdd) trim(f int32) int32 {
	if f <= emptySet {
		z.nodes = nil
		return f
	}
	to := make([]int32, len(z.nodes)+2)
	to[f] = 1
	for k := f; k > emptySet; k-- {
		if to[k] != 0 {
			n := z.at(k)
			to[n.lo], to[n.hi] = 1, 1
		}
	}
	to[noSet], to[emptySet] = noSet, emptySet
	kept := z.nodes[:0]
	for k := int32(2); k <= f; k++ {
		if to[k] != 0 {
			n := z.at(k)
			to[k] = int32(len(kept)) + 2
			kept = append(kept, triple{n.level, to[n.lo], to[n.hi]})
		}
	}
	z.nodes = kept
	return to[f]
}
