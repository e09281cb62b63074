package blame

import (
	"maps"
	"math"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/replay"
)

// A quest looks for the player with the largest value among coalitions that are
// replayed one after another. The difference of two players' values is
//
//	φᵢ − φⱼ = Σ over S ⊆ N∖{i, j} of |S|!(n−|S|−2)!/(n−1)! · (v(S∪i) − v(S∪j)),
//
// so each coalition that has one of them counts once, and what is unknown lies in
// [0, 1].
type quest struct {
	players int
	known   game.Table // NaN: unknown
	asked   []game.Coalition
	weight  []float64 // of a coalition in a difference, by its size
	prices  *prices
	// leader has the largest value so far, and rival is whom it beats the least.
	leader, rival int
}

func newQuest(n int, p *prices) *quest {
	q := &quest{players: n, known: make(game.Table, 1<<n), weight: make([]float64, n), prices: p, rival: 1}
	for mask := range q.known {
		q.known[mask] = math.NaN()
	}
	q.weight[1] = 1 / float64(n-1)
	for size := 2; size < n; size++ {
		q.weight[size] = q.weight[size-1] * float64(size-1) / float64(n-size)
	}
	return q
}

// file notes a coalition's value.
func (q *quest) file(c game.Coalition, value float64) {
	q.known[c.Mask()] = value
	q.asked = append(q.asked, c)
	q.prices.pay(c)
}

// certain says whether the player that leads has the largest value for certain.
func (q *quest) certain() bool {
	middle := make(game.Table, len(q.known))
	for mask, v := range q.known {
		if middle[mask] = v; math.IsNaN(v) {
			middle[mask] = 0.5
		}
	}
	values := middle.Shapley(nil)
	for i, v := range values {
		if v > values[q.leader] {
			q.leader = i
		}
	}
	least := math.Inf(1)
	for j := range q.players {
		if j == q.leader {
			continue
		}
		if ahead := q.ahead(q.leader, j); ahead < least {
			least, q.rival = ahead, j
		}
	}
	return least > 1e-9
}

// ahead is the least by which a player's value exceeds another's.
func (q *quest) ahead(i, j int) float64 {
	sum := 0.0
	for mask, v := range q.known {
		c := game.FromMask(uint64(mask))
		switch {
		case c.Has(i) == c.Has(j):
		case c.Has(i):
			if !math.IsNaN(v) {
				sum += q.weight[c.Len()] * v
			}
		case math.IsNaN(v):
			sum -= q.weight[c.Len()]
		default:
			sum -= q.weight[c.Len()] * v
		}
	}
	return sum
}

// next returns the coalitions to replay next: those that weigh the most in the
// difference of the leader and its rival for what they newly cost, or in that of
// any two where that one is known. There are none when all are known.
func (q *quest) next(most int) []game.Coalition {
	var out []game.Coalition
	prices := q.prices.clone()
	taken := map[game.Coalition]bool{}
	for len(out) < most {
		var best game.Coalition
		most := math.Inf(-1)
		for mask, v := range q.known {
			c := game.FromMask(uint64(mask))
			if !math.IsNaN(v) || taken[c] {
				continue
			}
			worth := q.weight[c.Len()] / (prices.of(c) + 1e-3)
			if c.Has(q.leader) == c.Has(q.rival) {
				worth *= 1e-6
			}
			if worth > most {
				best, most = c, worth
			}
		}
		if math.IsInf(most, -1) {
			break
		}
		out, taken[best] = append(out, best), true
		prices.pay(best)
	}
	return out
}

// prices foresee what replaying a coalition newly costs: a step runs again unless
// a coalition was replayed with the same fixes of the step and of all it depends
// on. Where outputs are equal it is less.
type prices struct {
	steps []price
	seen  []map[uint64]bool // by step: the fixes with which it has run
}

type price struct {
	depends    uint64 // the players that its runs depend on
	player     int    // −1: none
	asRun, fix float64
}

// newPrices has steps as players.
func newPrices(e *replay.Engine, players []replay.Player) *prices {
	p := &prices{}
	steps := e.Pipeline().Steps
	of := make([]int, len(steps))
	for i := range of {
		of[i] = -1
	}
	for k, player := range players {
		of[player.Step] = k
	}
	above := ancestors(e.Pipeline())
	var all uint64
	for i, s := range steps {
		at := price{player: of[i], asRun: s.Impls[0].Cost}
		if at.player >= 0 {
			at.depends, at.fix = 1<<at.player, s.Impls[s.Fix(e.FixOf(i))].Cost
		}
		for j := range above[i] {
			if of[j] >= 0 {
				at.depends |= 1 << of[j]
			}
		}
		all |= at.depends
		p.steps = append(p.steps, at)
	}
	p.steps = append(p.steps, price{player: -1, asRun: e.Pipeline().Score.Impl.Cost, depends: all})
	p.seen = make([]map[uint64]bool, len(p.steps))
	for i := range p.seen {
		p.seen[i] = map[uint64]bool{}
	}
	return p
}

// of returns what replaying a coalition newly costs.
func (p *prices) of(c game.Coalition) float64 {
	sum := 0.0
	for i, s := range p.steps {
		switch {
		case p.seen[i][c.Mask()&s.depends]:
		case s.player >= 0 && c.Has(s.player):
			sum += s.fix
		default:
			sum += s.asRun
		}
	}
	return sum
}

// pay notes that a coalition was replayed.
func (p *prices) pay(c game.Coalition) {
	for i, s := range p.steps {
		p.seen[i][c.Mask()&s.depends] = true
	}
}

func (p *prices) clone() *prices {
	out := &prices{steps: p.steps, seen: make([]map[uint64]bool, len(p.seen))}
	for i, seen := range p.seen {
		out.seen[i] = maps.Clone(seen)
	}
	return out
}
