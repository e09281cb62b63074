package game

// Smallest returns up to limit minimal repair sets, the first by Compare: by
// size, then by their players.
//
// The diagram's own order need not be that of the players' numbers, so sets
// are found player by player, asking each time which sizes the choices so far
// still allow: at most 2·players passes over the diagram a set, far fewer
// where sets share their first players.
func (r *Repairs) Smallest(limit int) []Coalition {
	l := lister{r: r, limit: limit, sizes: make([]sizes, len(r.nodes)+2)}
	all := l.allowed(Coalition{}, Coalition{})
	for size := 0; size <= r.players; size++ {
		if all.has(size) {
			l.list(0, Coalition{}, Coalition{}, size)
		}
	}
	return l.found
}

// A lister enumerates repair sets in the order of Compare.
type lister struct {
	r     *Repairs
	limit int
	found []Coalition
	sizes []sizes // by family
}

// list appends the sets of the size that hold the players in, don't hold those
// in out, and are free from player on. There is one.
func (l *lister) list(player int, in, out Coalition, size int) {
	switch {
	case len(l.found) >= l.limit:
		return
	case in.Len() == size:
		l.found = append(l.found, in)
		return
	}
	with := in.With(player)
	if l.allowed(with, out).has(size) {
		l.list(player+1, with, out, size)
		if len(l.found) >= l.limit {
			return
		}
	} else {
		l.list(player+1, in, out.With(player), size)
		return
	}
	if out = out.With(player); l.allowed(in, out).has(size) {
		l.list(player+1, in, out, size)
	}
}

// allowed returns the sizes of the sets that hold in and don't hold out.
func (l *lister) allowed(in, out Coalition) sizes {
	r := l.r
	// required[k] counts the players of in on the levels below k: an edge must
	// not pass over one of them.
	var required [MaxPlayers + 2]int16
	for k, p := range r.order {
		required[k+1] = required[k]
		if in.Has(p) {
			required[k+1]++
		}
	}
	bottom := int32(len(r.order))
	follow := func(from, f int32) sizes {
		to := bottom
		if f > emptySet {
			to = r.nodes[f-2].level
		}
		if required[to] != required[from] {
			return sizes{}
		}
		return l.sizes[f]
	}
	l.sizes[emptySet] = sizes{1}
	for k, n := range r.nodes {
		var s sizes
		player := r.order[n.level]
		if !out.Has(player) {
			s = follow(n.level+1, n.hi).plusOne()
		}
		if !in.Has(player) {
			s = s.union(follow(n.level+1, n.lo))
		}
		l.sizes[k+2] = s
	}
	return follow(0, r.root)
}

// sizes is a set of numbers 0 … MaxPlayers.
type sizes [words + 1]uint64

func (s sizes) has(n int) bool { return s[n/64]&(1<<(n%64)) != 0 }

func (s sizes) union(t sizes) sizes {
	for k := range s {
		s[k] |= t[k]
	}
	return s
}

func (s sizes) plusOne() sizes {
	var carry uint64
	for k, w := range s {
		s[k], carry = w<<1|carry, w>>63
	}
	return s
}
