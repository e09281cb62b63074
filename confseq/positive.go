package confseq

import (
	"fmt"
	"math"
)

// Positive asks of every player whether it matters at all: whether its mean is above 0.
//
// For every player one wealth process bets against "the mean is at most 0". Above returns the players for which that
// is refuted, by a closed test, so that with probability 1−δ not one of them is named wrongly, at any stopping time
// and under any dependence between players.
type Positive struct {
	o      Options
	t      int
	sum    []float64
	square []float64
	wealth []wealth
}

// NewPositive returns the test. Of the options it uses Players, Delta, Low, High, Batch and Bet; Low must be below 0.
func NewPositive(o Options) (*Positive, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if !(o.Low < 0) {
		return nil, fmt.Errorf("low is %v: want it below 0; if no value can be negative, one positive value settles it", o.Low)
	}
	p := &Positive{o: o, sum: make([]float64, o.Players), square: make([]float64, o.Players)}
	for range o.Players {
		p.wealth = append(p.wealth, newWealth())
	}
	return p, nil
}

// Add takes the next vector.
func (p *Positive) Add(values []float64) error {
	if err := p.o.check(p.t, values, values); err != nil {
		return err
	}
	unit, share := -1/p.o.Low, 1/float64(p.t+1) // in this unit no value is below −1
	for i, x := range values {
		x *= unit
		null := nullMean(p.o.Batch, p.t, p.sum[i])
		p.wealth[i].bet(p.o.Bet, x, null, history{p.sum[i], p.square[i], share})
		p.sum[i] += x
		p.square[i] += x * x
	}
	p.t++
	return nil
}

// E returns the present e-value of every player against "its mean is at most 0"; +Inf where the rest of a finite batch
// can't bring it back to 0.
func (p *Positive) E() []float64 {
	e := make([]float64, p.o.Players)
	for i := range e {
		e[i] = p.wealth[i].e
		if certain(p.o.Batch, p.t, p.sum[i]) {
			e[i] = math.Inf(1)
		}
	}
	return e
}

// Above returns the players whose mean is known to be above 0, in order of their numbers.
func (p *Positive) Above() []int { return Closed(p.E(), p.o.Delta) }

// Promise says what Above guarantees.
func (p *Positive) Promise() Promise {
	return Promise{
		Label: labelAnytime, Valid: true, Anytime: true, Over: over(p.o.Batch),
		Text: fmt.Sprintf("Whenever the stream ends, the probability that any player is named whose mean is not above 0 "+
			"is at most %.4g. Nothing is promised about players that are not named.", p.o.Delta),
	}
}
