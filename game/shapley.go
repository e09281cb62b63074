package game

// Shapley writes the Shapley value of every player into dst and returns it,
// grown if needed:
//
//	φᵢ = ∫₀¹ Σ P_p(node)·(V_p(hi) − V_p(lo)) dp   over the nodes asking for i,
//
// where every player is in the coalition with probability p, independently,
// P_p is the probability of reaching a node and V_p the expected value from a
// place on. The integrand is a polynomial in p of degree below Depth, so
// Gauss–Legendre quadrature with ⌈Depth/2⌉ points is exact (up to rounding).
// The work is points × nodes for all players together.
//
// The result is NaN for players on whose nodes an unknown leaf hangs; see
// Bounds for what can be said of them.
func (d *Diagram) Shapley(dst []float64) []float64 {
	return d.firstOrder(dst, gaussLegendre(d.depth-1))
}

// Banzhaf writes the Banzhaf value of every player into dst and returns it,
// grown if needed: the mean of v(S∪i) − v(S) over all coalitions S without i,
// which is the integrand of Shapley at p = ½.
func (d *Diagram) Banzhaf(dst []float64) []float64 {
	return d.firstOrder(dst, half)
}

// lanes are numbers at four values of p. Passes over a diagram wait for memory
// and for each other's sums; four at once take little longer than one.
type lanes [4]float64

// firstOrder integrates the diagonal derivative of the multilinear extension
// by every player. For each four points of the rule it computes the expected
// values of all nodes upwards, then their reach probabilities downwards.
// Like all passes it rounds every product (the conversions stop compilers from
// fusing it with the sum), so that all machines agree.
func (d *Diagram) firstOrder(dst []float64, r rule) []float64 {
	dst = zeros(dst, d.players)
	// Small games stay off the heap.
	var small [64]lanes
	buf, first, size := small[:], len(d.leaves), len(d.leaves)+len(d.nodes)
	if 2*size > len(buf) {
		buf = make([]lanes, 2*size)
	}
	value, reach := buf[:size], buf[size:2*size]
	for k, v := range d.leaves {
		value[k] = lanes{v, v, v, v}
	}
	for len(r.x) > 0 {
		var p, q, w lanes // lanes beyond the last point have weight 0
		taken := copy(p[:], r.x)
		copy(w[:], r.w)
		r = rule{r.x[taken:], r.w[taken:]}
		q = lanes{1 - p[0], 1 - p[1], 1 - p[2], 1 - p[3]}
		for k := range d.nodes {
			n := &d.nodes[k]
			at, lo, hi := &value[first+k], &value[n.lo], &value[n.hi]
			at[0] = float64(q[0]*lo[0]) + float64(p[0]*hi[0])
			at[1] = float64(q[1]*lo[1]) + float64(p[1]*hi[1])
			at[2] = float64(q[2]*lo[2]) + float64(p[2]*hi[2])
			at[3] = float64(q[3]*lo[3]) + float64(p[3]*hi[3])
		}
		clear(reach)
		reach[d.root] = lanes{1, 1, 1, 1}
		for k := len(d.nodes) - 1; k >= 0; k-- {
			n := &d.nodes[k]
			at, lo, hi := &reach[first+k], &reach[n.lo], &reach[n.hi]
			lo[0] += float64(q[0] * at[0])
			lo[1] += float64(q[1] * at[1])
			lo[2] += float64(q[2] * at[2])
			lo[3] += float64(q[3] * at[3])
			hi[0] += float64(p[0] * at[0])
			hi[1] += float64(p[1] * at[1])
			hi[2] += float64(p[2] * at[2])
			hi[3] += float64(p[3] * at[3])
			if n.lo != n.hi {
				lo, hi = &value[n.lo], &value[n.hi]
				dst[n.player] += float64(w[0]*float64(at[0]*(hi[0]-lo[0]))) +
					float64(w[1]*float64(at[1]*(hi[1]-lo[1]))) +
					float64(w[2]*float64(at[2]*(hi[2]-lo[2]))) +
					float64(w[3]*float64(at[3]*(hi[3]-lo[3])))
			}
		}
	}
	return dst
}

// backward fills in the expected values of all nodes, those of the leaves being
// there, when player i is in the coalition with probability prob[i].
func (d *Diagram) backward(value, prob []float64) {
	at := value[len(d.leaves):]
	for k := range d.nodes {
		n := &d.nodes[k]
		p := prob[n.player]
		at[k] = float64((1-p)*value[n.lo]) + float64(p*value[n.hi])
	}
}

// forward fills in the probabilities of reaching all leaves and nodes.
func (d *Diagram) forward(reach, prob []float64) {
	clear(reach)
	reach[d.root] = 1
	at := reach[len(d.leaves):]
	for k := len(d.nodes) - 1; k >= 0; k-- {
		n := &d.nodes[k]
		p := prob[n.player]
		reach[n.lo] += float64((1 - p) * at[k])
		reach[n.hi] += float64(p * at[k])
	}
}

// numbers returns one number for every leaf and node, the leaves' values filled
// in.
func (d *Diagram) numbers() []float64 {
	x := make([]float64, len(d.leaves)+len(d.nodes))
	copy(x, d.leaves)
	return x
}

// reach returns the probabilities of reaching all leaves and nodes when every
// player is in the coalition with probability p.
func (d *Diagram) reach(p float64) []float64 {
	reach := d.numbers()
	d.forward(reach, all(d.players, p))
	return reach
}

// all returns n times p.
func all(n int, p float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = p
	}
	return x
}

// zeros returns dst with length n, all zero, grown if needed.
func zeros(dst []float64, n int) []float64 {
	if cap(dst) < n {
		return make([]float64, n)
	}
	dst = dst[:n]
	clear(dst)
	return dst
}
