package confseq

import (
	"errors"
	"fmt"
)

// Elimination finds the best player by refuting all others: the recommended rule.
//
// For every player j it keeps one wealth process that bets against "j is a best player". At each vector it stakes on
// x_L − x_j, where the challenger L is the player with the largest mean so far among the others. If j is a best
// player, that difference has a mean of at most 0 whoever L is, so the wealth is a nonnegative supermartingale, and
// reaches 1/δ with probability at most δ. Then j is out; when one player is left, it is declared. A wrong declaration
// needs a true best to be out, hence its probability is at most δ at any stopping time: there is no union bound over
// players or looks, and pairing within a vector keeps the differences small.
//
// For TopK the same is done for every set of k players: the best outsider so far against the worst insider.
//
// What is not promised: that a tie is ever decided; that all best players survive (each survives with 1−δ).
type Elimination struct {
	ending
	o          Options
	t          int
	sum        []float64 // of the middle of the bounds: chooses challengers and fits stakes
	low, high  []float64 // sums of the bounds: the claim about a finite batch rests on these
	square     []float64 // Σ (x_i − x_j)², n×n, above the diagonal, x the middle of the bounds
	order      []int     // players by decreasing sum
	candidates []candidate
	left       int
}

// candidate is a set of players that may be the best ones.
type candidate struct {
	members []int
	wealth  wealth
	out     bool
}

// ErrTooManySets is returned by NewElimination for the goal TopK when there are more than 4096 sets to choose from.
// Pairs has no such limit.
var ErrTooManySets = errors.New("too many sets of players")

const maxSets = 4096

// NewElimination returns the rule for the goal Top1, TopK or Budget (Top1 that is never declared).
func NewElimination(o Options) (*Elimination, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	n, k := o.Players, 1
	switch o.Goal {
	case Top1, Budget:
	case TopK:
		k = o.TopK
	default:
		return nil, fmt.Errorf("elimination can't decide the goal %q: use pairs for a ranking, hedged for a width", o.Goal)
	}
	sets, ok := subsets(n, k, maxSets)
	if !ok {
		return nil, fmt.Errorf("choose %d of %d players by elimination: %w", k, n, ErrTooManySets)
	}
	e := &Elimination{
		o: o, left: len(sets), order: byMean(func(int) float64 { return 0 }, n),
		sum: make([]float64, n), low: make([]float64, n), high: make([]float64, n), square: make([]float64, n*n),
	}
	for _, members := range sets {
		e.candidates = append(e.candidates, candidate{members: members, wealth: newWealth()})
	}
	e.decide()
	return e, nil
}

// subsets lists the k-element subsets of 0..n−1 in lexical order, unless there are more than limit.
func subsets(n, k, limit int) (sets [][]int, ok bool) {
	var grow func(prefix []int, from int) bool
	grow = func(prefix []int, from int) bool {
		if len(prefix) == k {
			sets = append(sets, append([]int(nil), prefix...))
			return k == 1 || len(sets) <= limit
		}
		for i := from; i <= n-(k-len(prefix)); i++ {
			if !grow(append(prefix, i), i+1) {
				return false
			}
		}
		return true
	}
	ok = grow(make([]int, 0, k), 0)
	return sets, ok
}

// Add implements Rule.
func (e *Elimination) Add(values []float64) error { return e.AddBounds(values, values) }

// AddBounds implements Rule: every bet uses the least favourable difference.
func (e *Elimination) AddBounds(low, high []float64) error {
	if e.closed {
		return errClosed
	}
	if err := e.o.check(e.t, low, high); err != nil {
		return err
	}
	if err := e.o.checkSpread(e.t, low, high); err != nil {
		return err
	}
	unit, share := 1/e.o.Spread, 1/float64(e.t+1)
	for c := range e.candidates {
		e.bet(&e.candidates[c], low, high, unit, share)
	}
	e.learn(low, high)
	for c := range e.candidates {
		e.judge(&e.candidates[c])
	}
	e.decide()
	return nil
}

// pair returns the best player outside the set and the worst inside, by the sums so far; outsider is −1 if none is.
func (e *Elimination) pair(members []int) (outsider, insider int) {
	if len(members) == 1 {
		insider = members[0]
		if e.order[0] != insider {
			return e.order[0], insider
		}
		if len(e.order) == 1 {
			return -1, insider
		}
		return e.order[1], insider
	}
	inside := func(p int) bool {
		for _, m := range members {
			if m == p {
				return true
			}
		}
		return false
	}
	best, worst := 0, len(e.order)-1
	for inside(e.order[best]) {
		best++
	}
	for !inside(e.order[worst]) {
		worst--
	}
	return e.order[best], e.order[worst]
}

// bet stakes on the outsider against the insider of a candidate set. Differences are in units of the spread;
// share is 1/t of the vector to come.
func (e *Elimination) bet(c *candidate, low, high []float64, unit, share float64) {
	a, b := e.pair(c.members)
	if a < 0 {
		return
	}
	d := max((low[a]-high[b])*unit, -1)
	null := nullMean(e.o.Batch, e.t, (e.low[a]-e.high[b])*unit)
	square := e.square[min(a, b)*e.o.Players+max(a, b)] * unit * unit
	c.wealth.bet(e.o.Bet, d, null, history{(e.sum[a] - e.sum[b]) * unit, square, share})
}

// learn adds the vector to the past.
func (e *Elimination) learn(low, high []float64) {
	e.t++
	n := e.o.Players
	for i := range n {
		x := (low[i] + high[i]) / 2
		row := e.square[i*n : i*n+n]
		for j := i + 1; j < n; j++ {
			d := x - (low[j]+high[j])/2
			row[j] += d * d
		}
		e.sum[i] += x
		e.low[i] += low[i]
		e.high[i] += high[i]
	}
	sortBySum(e.order, e.sum)
}

// sortBySum restores the order after one more vector: insertion sort, since hardly anything moves.
func sortBySum(order []int, sum []float64) {
	for i := 1; i < len(order); i++ {
		p := order[i]
		j := i
		for j > 0 && (sum[order[j-1]] < sum[p] || sum[order[j-1]] == sum[p] && order[j-1] > p) {
			order[j] = order[j-1]
			j--
		}
		order[j] = p
	}
}

// judge puts a candidate out whose wealth has reached 1/δ, or that the rest of the batch can't save.
func (e *Elimination) judge(c *candidate) {
	if c.out {
		return
	}
	a, b := e.pair(c.members)
	if a < 0 {
		return
	}
	c.out = c.wealth.peak >= 1/e.o.Delta || certain(e.o.Batch, e.t, (e.low[a]-e.high[b])/e.o.Spread)
	if c.out {
		e.left--
	}
}

// decide declares the last candidate. Should even that be out, nothing is ever declared.
func (e *Elimination) decide() {
	if e.left != 1 || e.o.Goal == Budget || e.reason != "" {
		return
	}
	for _, c := range e.candidates {
		if !c.out {
			leaders := append([]int(nil), c.members...)
			e.declare(e.o.Goal.reason(), bySum(leaders, e.sum))
		}
	}
}

func bySum(players []int, sum []float64) []int {
	sortBySum(players, sum)
	return players
}

// Count implements Rule.
func (e *Elimination) Count() int { return e.t }

// Intervals returns nil: this rule makes none. Run a Family beside it.
func (e *Elimination) Intervals() []Interval { return nil }

// Candidate is a set of players that may be the best ones, with the evidence against it.
type Candidate struct {
	Players []int
	// E is the present wealth of the bet against this candidate: an e-value. 1 is no evidence, 20 refutes at δ = 0.05.
	E float64
	// P is the anytime-valid p-value: 1 over the largest wealth so far, at most 1.
	P float64
	// Out tells that the candidate is refuted, by the evidence or because the rest of the batch can't save it.
	Out bool
}

// Candidates returns all candidates with the evidence against each: player by player, or set by set for TopK.
func (e *Elimination) Candidates() []Candidate {
	out := make([]Candidate, len(e.candidates))
	for i := range e.candidates {
		c := &e.candidates[i]
		out[i] = Candidate{append([]int(nil), c.members...), c.wealth.e, 1 / c.wealth.peak, c.out}
	}
	return out
}

// Promise implements Rule.
func (e *Elimination) Promise() Promise {
	return Promise{
		Label: labelAnytime, Valid: true, Anytime: true, Over: over(e.o.Batch),
		Text: fmt.Sprintf("Whenever and for whatever reason the stream ends, the probability %s is at most %.4g. "+
			"Nothing is promised about the order of the others, and a tie need never be decided.",
			e.o.goalClaim(), e.o.Delta),
	}
}
