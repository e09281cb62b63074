package game

import "math"

// Bounds returns the smallest and largest Shapley value of every player that
// the known part of the game allows, unknown scores lying anywhere in [0, 1].
// Where a fix leads to the very state the run is in without it, it gains 0,
// known or not; that makes the bounds much tighter than those of the expected
// values. They are attained unless one unknown state counts both for and
// against a player. In a known game both are the Shapley value.
//
// An unknown leaf stands for a state, cut off: it may yet ask for any player
// whom no path to it has asked, and has one value for each choice of these.
func (d *Diagram) Bounds() (lo, hi []float64) {
	c := newComparer(d)
	lo, hi = make([]float64, d.players), make([]float64, d.players)
	for i := range lo {
		lo[i], hi[i] = c.compare(Of(i), Coalition{})
	}
	return lo, hi
}

// DifferenceBounds returns bounds of φᵢ − φⱼ for every player j (0 for i
// itself), in the sense of Bounds. They are tighter than the difference of
// bounds, and lo[j] > 0 for all other j proves that i has the largest value:
//
//	φᵢ − φⱼ = ∫₀¹ E[v(S∪i) − v(S∪j)] dp,   S ⊆ N∖{i, j}.
func (d *Diagram) DifferenceBounds(i int) (lo, hi []float64) {
	c := newComparer(d)
	lo, hi = make([]float64, d.players), make([]float64, d.players)
	for j := range lo {
		if j != i {
			lo[j], hi[j] = c.compare(Of(i), Of(j))
		}
	}
	return lo, hi
}

// A comparer bounds E[v(S∪a) − v(S∪b)] over S without a and b by walking the
// diagram under both at once, so that it knows where they meet again. To walk
// abreast it needs the ordered form.
type comparer struct {
	ordered *compiler
	root    int32
	leaves  []float64
	// concerns holds, by target, the players on whom the value from there on
	// may depend, those whom an unknown leaf may yet ask for included.
	concerns []Coalition
}

func newComparer(d *Diagram) *comparer {
	order := complete(d.Order(), d.players)
	leaves, to := distinct(d.leaves)
	c := &comparer{ordered: newCompiler(d, order, int32(len(leaves))), leaves: leaves}
	c.root = c.ordered.compile(d, to)
	c.concerns = make([]Coalition, len(leaves)+len(c.ordered.nodes))
	for k, asked := range d.askedBefore() {
		if math.IsNaN(d.leaves[k]) {
			c.concerns[to[k]] = Full(d.players).Minus(asked)
		}
	}
	for k, n := range c.ordered.nodes {
		c.concerns[len(leaves)+k] = c.concerns[n.lo].Union(c.concerns[n.hi]).With(order[n.level])
	}
	return c
}

// askedBefore returns, for every leaf, the players asked on some path to it.
func (d *Diagram) askedBefore() []Coalition {
	first := len(d.leaves)
	asked := make([]Coalition, first+len(d.nodes))
	for k := len(d.nodes) - 1; k >= 0; k-- {
		n := d.nodes[k]
		on := asked[first+k].With(int(n.player))
		asked[n.lo] = asked[n.lo].Union(on)
		asked[n.hi] = asked[n.hi].Union(on)
	}
	return asked[:first]
}

// A comparison is one comparer.compare. Its steps are the places where the two
// walks ask somebody, or end with a difference between min and max; children
// come first.
type comparison struct {
	*comparer
	a, both Coalition // a, and a with b
	memo    memo
	steps   []step
}

type step struct {
	lo, hi   int32 // −1 at an end
	depth    int32
	min, max float64
}

// compare returns bounds of ∫ E[v(S∪a) − v(S∪b)] dp for a and b apart.
func (c *comparer) compare(a, b Coalition) (lo, hi float64) {
	x := comparison{comparer: c, a: a, both: a.Union(b)}
	root := x.walk(c.root, c.root)
	r := gaussLegendre(int(x.steps[root].depth))
	for q, p := range r.x {
		for k := range x.steps {
			s := &x.steps[k]
			if s.lo >= 0 {
				without, with := &x.steps[s.lo], &x.steps[s.hi]
				s.min = float64((1-p)*without.min) + float64(p*with.min)
				s.max = float64((1-p)*without.max) + float64(p*with.max)
			}
		}
		lo += float64(r.w[q] * x.steps[root].min)
		hi += float64(r.w[q] * x.steps[root].max)
	}
	return lo, hi
}

// walk returns the step for the walk of S∪a being at f and that of S∪b at g.
func (x *comparison) walk(f, g int32) int32 {
	if f == g && x.concerns[f].Intersect(x.both).IsEmpty() {
		return x.end(triple{level: -1}, 0, 0)
	}
	key := triple{lo: f, hi: g}
	if at, ok := x.memo.get(key); ok {
		return at
	}
	c := x.ordered
	level := min(c.top(f), c.top(g))
	if level == math.MaxInt32 {
		if f == g { // one unknown state, which may ask for a or b
			return x.end(key, -1, 1)
		}
		fmin, fmax := scoreRange(x.leaves[f])
		gmin, gmax := scoreRange(x.leaves[g])
		return x.end(key, fmin-gmax, fmax-gmin)
	}
	f0, f1 := c.split(f, level)
	g0, g1 := c.split(g, level)
	player := c.order[level]
	var at int32
	switch {
	case x.a.Has(player):
		at = x.walk(f1, g0)
	case x.both.Has(player):
		at = x.walk(f0, g1)
	default:
		lo, hi := x.walk(f0, g0), x.walk(f1, g1)
		if at = lo; lo != hi {
			at = int32(len(x.steps))
			x.steps = append(x.steps, step{lo: lo, hi: hi, depth: 1 + max(x.steps[lo].depth, x.steps[hi].depth)})
		}
	}
	x.memo.put(key, at)
	return at
}

// end returns the step at which a difference is known to be in a range.
func (x *comparison) end(key triple, least, most float64) int32 {
	if at, ok := x.memo.get(key); ok {
		return at
	}
	at := int32(len(x.steps))
	x.steps = append(x.steps, step{lo: -1, hi: -1, min: least, max: most})
	x.memo.put(key, at)
	return at
}

func scoreRange(v float64) (least, most float64) {
	if math.IsNaN(v) {
		return 0, 1
	}
	return v, v
}
