package confseq

import "fmt"

// Pairs compares players two by two: for every ordered pair (i, j) one wealth process bets against
// "the mean of i is at most that of j", on x_i − x_j.
//
// i beats j once that wealth has reached m/δ, where m counts the comparisons that can go wrong together: n−1 for Top1
// and Ranking, k(n−k) for TopK. The goal is reached when the players in order of their means beat all they have to;
// for a ranking that is everyone below, not only the neighbour. Valid at any stopping time. For Top1 Elimination is
// faster.
type Pairs struct {
	ending
	o      Options
	t      int
	sum    []float64 // of the middle of the bounds: the order
	low    []float64 // sums of the bounds
	high   []float64
	square []float64 // Σ of the squared lower bounds of x_i − x_j, n×n
	wealth []wealth  // i against j at i·n+j
	order  []int
}

// NewPairs returns the rule for the goal Top1, TopK, Ranking or Budget.
func NewPairs(o Options) (*Pairs, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if o.Goal == Width {
		return nil, fmt.Errorf("pairs can't decide the goal %q: use hedged", o.Goal)
	}
	n := o.Players
	p := &Pairs{
		o: o, order: byMean(func(int) float64 { return 0 }, n),
		sum: make([]float64, n), low: make([]float64, n), high: make([]float64, n),
		square: make([]float64, n*n),
	}
	for range p.square {
		p.wealth = append(p.wealth, newWealth())
	}
	p.decide()
	return p, nil
}

// Add implements Rule.
func (p *Pairs) Add(values []float64) error { return p.AddBounds(values, values) }

// AddBounds implements Rule: every bet uses the least favourable difference.
func (p *Pairs) AddBounds(low, high []float64) error {
	if p.closed {
		return errClosed
	}
	if err := p.o.check(p.t, low, high); err != nil {
		return err
	}
	if err := p.o.checkSpread(p.t, low, high); err != nil {
		return err
	}
	unit, share := 1/p.o.Spread, 1/float64(p.t+1)
	for i := range low {
		for j := range low {
			if i != j {
				p.compare(i, j, max((low[i]-high[j])*unit, -1), share)
			}
		}
	}
	p.t++
	for i := range low {
		p.low[i] += low[i]
		p.high[i] += high[i]
		p.sum[i] += (low[i] + high[i]) / 2
	}
	sortBySum(p.order, p.sum)
	p.decide()
	return nil
}

// compare bets on d, the difference of i and j or its lower bound; share is 1/t of the vector to come.
func (p *Pairs) compare(i, j int, d, share float64) {
	at := i*p.o.Players + j
	w, past := &p.wealth[at], p.gain(i, j)
	w.bet(p.o.Bet, d, nullMean(p.o.Batch, p.t, past), history{past, p.square[at], share})
	p.square[at] += d * d
}

// gain is the least that i has gained on j so far, in units of the spread.
func (p *Pairs) gain(i, j int) float64 { return (p.low[i] - p.high[j]) / p.o.Spread }

// Beats reports whether the mean of i is known to be larger than that of j, at the level of the goal: the statements
// that the goal rests on hold at once with probability 1−δ.
func (p *Pairs) Beats(i, j int) bool {
	return p.wealth[i*p.o.Players+j].peak >= float64(p.o.union())/p.o.Delta ||
		certain(p.o.Batch, p.t, p.gain(i, j))
}

// E returns the present e-value against "the mean of i is at most that of j".
func (p *Pairs) E(i, j int) float64 { return p.wealth[i*p.o.Players+j].e }

func (p *Pairs) decide() {
	if p.reason == "" && p.o.separated(p.order, p.Beats) {
		p.declare(p.o.Goal.reason(), append([]int(nil), p.order[:p.o.leaders()]...))
	}
}

// Count implements Rule.
func (p *Pairs) Count() int { return p.t }

// Intervals returns nil: this rule makes none. Run a Family beside it.
func (p *Pairs) Intervals() []Interval { return nil }

// Promise implements Rule.
func (p *Pairs) Promise() Promise {
	return Promise{
		Label: labelAnytime, Valid: true, Anytime: true, Over: over(p.o.Batch),
		Text: fmt.Sprintf("Whenever and for whatever reason the stream ends, the probability %s is at most %.4g. "+
			"A tie need never be decided.", p.o.goalClaim(), p.o.Delta),
	}
}
