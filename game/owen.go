package game

import (
	"fmt"
	"math"
)

// MaxOwenStates limits the memory of Owen.
const MaxOwenStates = 1 << 22

// Owen writes the Owen value of every player into dst and returns it, grown if
// needed: the Shapley value when players come in groups (the steps of one
// agent, the iterations of one step), whose members enter one right after the
// other. The groups' sums are the Shapley values of the game played by groups.
// Players in no group are one each.
//
// A member of g gains ∫∫ E[v(S∪i) − v(S)] dq dp, where every other group is in
// S as a whole with probability q and every other member of g with
// probability p. For each g the diagram is turned into one that asks g's
// members and, where their decision is first needed, whole groups. Groups
// whose turns don't overlap on a path cost little; each further group that is
// open at once may double the states. Beyond MaxOwenStates it is an error, as
// is a player in two groups.
//
// Owen, Values of games with a priori unions, 1977.
func (d *Diagram) Owen(groups []Coalition, dst []float64) ([]float64, error) {
	groups, err := d.partition(groups)
	if err != nil {
		return nil, fmt.Errorf("computing Owen values: %w", err)
	}
	dst = zeros(dst, d.players)
	for g, members := range groups {
		if members.Intersect(d.asked).IsEmpty() {
			continue
		}
		quotient, err := d.quotient(groups, g, MaxOwenStates)
		if err != nil {
			return nil, fmt.Errorf("computing Owen values: %w", err)
		}
		quotient.mixed(dst, members.Slice())
	}
	return dst, nil
}

// partition returns the groups completed by single players.
func (d *Diagram) partition(groups []Coalition) ([]Coalition, error) {
	full := make([]Coalition, 0, d.players)
	var seen Coalition
	for g, members := range groups {
		switch {
		case !members.SubsetOf(Full(d.players)):
			return nil, fmt.Errorf("group %d is %v in a game of %d players", g, members, d.players)
		case !members.Intersect(seen).IsEmpty():
			return nil, fmt.Errorf("group %d shares %v with groups before it", g, members.Intersect(seen))
		case !members.IsEmpty():
			full = append(full, members)
		}
		seen = seen.Union(members)
	}
	for p := range Full(d.players).Minus(seen).Players() {
		full = append(full, Of(p))
	}
	return full, nil
}

// quotient returns the game of the members of group g, who become players 0, 1,
// … in ascending order, and of the other groups, the players after them. It is
// an error if that takes more states than the limit.
func (d *Diagram) quotient(groups []Coalition, g, limit int) (*Diagram, error) {
	size := groups[g].Len()
	m := merger{
		d:     d,
		own:   g,
		name:  make([]int, d.players),
		group: make([]int, d.players),
		later: make([]Coalition, len(d.leaves)+len(d.nodes)),
		b:     NewBuilder(size + len(groups) - 1),
		built: make(map[state]Ref),
		limit: limit,
	}
	for h, members := range groups {
		member := 0
		for p := range members.Players() {
			m.group[p] = h
			switch {
			case h == g:
				m.name[p] = member
			case h < g:
				m.name[p] = size + h
			default:
				m.name[p] = size + h - 1
			}
			member++
		}
	}
	for k, n := range d.nodes {
		m.later[len(d.leaves)+k] = m.later[n.lo].Union(m.later[n.hi]).With(m.group[n.player])
	}
	for _, v := range d.leaves {
		if math.IsNaN(v) {
			m.leaves = append(m.leaves, m.b.Unknown())
		} else {
			m.leaves = append(m.leaves, m.b.Leaf(v))
		}
	}
	root := m.visit(state{at: d.root})
	if len(m.built) > limit {
		return nil, fmt.Errorf("more than %d states with the decisions of %d groups", limit, len(groups))
	}
	return m.b.Build(Edge{To: root})
}

// A merger turns a diagram into one in which all groups but one decide as one.
type merger struct {
	d           *Diagram
	own         int
	name, group []int // by player: who it is now, its group
	// later holds, by target, the groups that may still be asked from there
	// on: only their decisions need remembering.
	later  []Coalition
	b      *Builder
	leaves []Ref
	built  map[state]Ref
	limit  int
}

// A state is a place in the diagram with the decisions, made on the way, of
// groups that will be asked again.
type state struct {
	at          int32
	decided, in Coalition // groups
}

func (m *merger) visit(s state) Ref {
	if int(s.at) < len(m.leaves) {
		return m.leaves[s.at]
	}
	s.decided = s.decided.Intersect(m.later[s.at])
	s.in = s.in.Intersect(s.decided)
	if r, ok := m.built[s]; ok {
		return r
	}
	if len(m.built) > m.limit {
		return m.leaves[0] // the result is void
	}
	n := &m.d.nodes[int(s.at)-len(m.leaves)]
	group := m.group[n.player]
	lo, hi := state{n.lo, s.decided, s.in}, state{n.hi, s.decided, s.in}
	var r Ref
	switch {
	case s.in.Has(group):
		r = m.visit(hi)
	case s.decided.Has(group):
		r = m.visit(lo)
	default:
		if group != m.own {
			lo.decided = lo.decided.With(group)
			hi.decided, hi.in = lo.decided, hi.in.With(group)
		}
		r = join(m.b, m.name[n.player], m.visit(lo), m.visit(hi))
	}
	m.built[s] = r
	return r
}

// join adds a node unless its edges would lead to the same place.
func join(b *Builder, player int, lo, hi Ref) Ref {
	if lo == hi {
		return lo
	}
	return b.Node(player, Edge{To: lo}, Edge{To: hi})
}

// mixed adds the values of players 0 … len(to)−1 to dst[to[…]] when they are in
// the coalition with probability p and all others with probability q,
// integrated over both.
func (d *Diagram) mixed(dst []float64, to []int) {
	value, reach := d.numbers(), d.numbers()
	members := d.asked.Intersect(Full(len(to))).Len()
	groups := d.asked.Len() - members
	inner, outer := gaussLegendre(members-1), gaussLegendre(groups)
	for a, q := range outer.x {
		prob := all(d.players, q)
		for b, p := range inner.x {
			for i := range to {
				prob[i] = p
			}
			d.backward(value, prob)
			d.forward(reach, prob)
			weight := float64(outer.w[a] * inner.w[b])
			for k, n := range d.nodes {
				if int(n.player) < len(to) {
					gain := float64(reach[len(d.leaves)+k] * (value[n.hi] - value[n.lo]))
					dst[to[n.player]] += float64(weight * gain)
				}
			}
		}
	}
}
