package confseq

import (
	"fmt"
	"math"
)

// Asymptotic is the asymptotic confidence sequence of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas
// (arXiv 2103.06476): average ± σ̂·√(2(tρ²+1)/(t²ρ²)·ln(√(tρ²+1)/δ)). It needs no range, and allows to look at any
// time, but only approximately: on skewed values it misses far more often than δ. Labelled so.
type Asymptotic struct {
	o     SequenceOptions
	stats moments
	last  *Interval
}

const (
	asymptoticStart = 20 // before this count the interval is the whole range
	asymptoticTuned = 50 // the count at which the interval is tightest
)

// NewAsymptotic returns an empty sequence. It has no version for a finite batch.
func NewAsymptotic(o SequenceOptions) (*Asymptotic, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if o.Batch > 0 {
		return nil, fmt.Errorf("the asymptotic sequence can't speak about a finite batch: use hedged or plugin")
	}
	return newAsymptotic(o), nil
}

func newAsymptotic(o SequenceOptions) *Asymptotic { return &Asymptotic{o: o} }

// Add takes the next value.
func (a *Asymptotic) Add(x float64) error {
	v := []float64{x}
	if err := (Options{Players: 1, Low: a.o.Low, High: a.o.High}).check(a.stats.n, v, v); err != nil {
		return err
	}
	a.add(x)
	return nil
}

func (a *Asymptotic) add(x float64) { a.stats.add(x) }

// Count is the number of values added.
func (a *Asymptotic) Count() int { return a.stats.n }

// Interval returns the present interval.
func (a *Asymptotic) Interval() Interval {
	i := a.interval(a.o.Delta)
	if a.o.Running {
		if a.last != nil {
			i = i.meet(*a.last)
		}
		a.last = &i
	}
	return i
}

func (a *Asymptotic) interval(delta float64) Interval {
	t := float64(a.stats.n)
	if t < asymptoticStart {
		mean := a.stats.mean
		if t == 0 {
			mean = (a.o.Low + a.o.High) / 2
		}
		return Interval{mean, a.o.Low, a.o.High}
	}
	l := -2 * math.Log(a.o.Delta)
	rho2 := (l + math.Log(l+1)) / asymptoticTuned
	r := math.Sqrt(a.stats.m/t) * math.Sqrt(2*(t*rho2+1)/(t*t*rho2)*math.Log(math.Sqrt(t*rho2+1)/delta))
	return Interval{a.stats.mean, a.stats.mean - r, a.stats.mean + r}.Clip(a.o.Low, a.o.High)
}

func (a *Asymptotic) above(m, delta float64) bool { return a.interval(delta).Low > m }

func (a *Asymptotic) below(m, delta float64) bool { return a.interval(delta).High < m }

func (a *Asymptotic) clone() sequence {
	c := *a
	return &c
}

// Promise says that nothing is guaranteed.
func (a *Asymptotic) Promise() Promise {
	return Promise{
		Label: labelAsymptotic, Over: over(0),
		Text: fmt.Sprintf("As the count grows, the probability that the mean ever lies outside its interval is about "+
			"%.4g. Nothing is promised at any finite count: on skewed values it misses far more often.", a.o.Delta),
	}
}
