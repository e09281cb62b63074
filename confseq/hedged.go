package confseq

import (
	"math"
	"slices"
)

// Hedged is the confidence sequence of a mean by betting: the hedged capital process of Waudby-Smith and Ramdas
// (2023, theorem 3).
//
// For every possible mean m two gamblers bet, one on "more", one on "less"; m is in the interval as long as half the
// wealth of either is below 1/δ. Their stakes are fixed before each draw and depend on m only through the cap that
// keeps the wealth positive. That makes the wealth of the first fall and of the second rise in m, so that the set is an
// interval indeed, and its ends are found by bisection. (For stakes fitted to each m, as aGRAPA's, that is not so.)
//
// In a finite batch of N the mean m makes the next draw's mean (N·m − S)/(N − t + 1), S the sum so far; a mean that the
// remaining values can't bring about is excluded, and at t = N the interval is a point.
//
// It keeps the values, 16 bytes each; Add takes constant time, Interval some ten passes over them.
type Hedged struct {
	record
	stake  plugInStake
	values []float64 // in [0, 1]
	stakes []float64
}

// hedgeCap is the share of what could be lost at worst that a stake may reach.
const hedgeCap = 0.9

// NewHedged returns an empty sequence.
func NewHedged(o SequenceOptions) (*Hedged, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return newHedged(o), nil
}

func newHedged(o SequenceOptions) *Hedged {
	return &Hedged{record: newRecord(o), stake: newPlugInStake(o.Delta)}
}

// Add takes the next value.
func (h *Hedged) Add(x float64) error {
	if err := h.check(x); err != nil {
		return err
	}
	h.add(x)
	return nil
}

func (h *Hedged) add(x float64) {
	x = h.unit(x)
	h.count++
	h.values = append(h.values, x)
	h.sum += x
}

// place fixes the stakes on the values since the last call: each from the values before it.
func (h *Hedged) place() {
	for t := len(h.stakes); t < h.count; t++ {
		h.stakes = append(h.stakes, h.stake.next(t+1))
		h.stake.learn(h.values[t], t+1)
	}
}

// Interval returns the present interval.
func (h *Hedged) Interval() Interval { return h.remember(h.interval(h.o.Delta)) }

func (h *Hedged) interval(delta float64) Interval {
	h.place()
	least, most := h.possible()
	threshold := math.Log(2 / delta)
	low := least + rise(func(m float64) float64 { return threshold - h.more(least+m) }, most-least)
	high := most - rise(func(m float64) float64 { return threshold - h.less(most-m) }, most-least)
	return h.result(low, high)
}

func (h *Hedged) above(m, delta float64) bool {
	h.place()
	m = (m - h.o.Low) * h.scale
	least, most := h.possible()
	return m < least-sure || m <= most && h.more(m) >= math.Log(2/delta)
}

func (h *Hedged) below(m, delta float64) bool {
	h.place()
	m = (m - h.o.Low) * h.scale
	least, most := h.possible()
	return m > most+sure || m >= least && h.less(m) >= math.Log(2/delta)
}

// more is the log wealth of the gambler who bets that the mean is larger than m.
func (h *Hedged) more(m float64) float64 {
	w := product{value: 1}
	left, sum := float64(h.o.Batch), 0.0
	for t, x := range h.values {
		mean := m
		if h.o.Batch > 0 {
			mean = max((float64(h.o.Batch)*m-sum)/left, 0)
			left--
			sum += x
		}
		stake := h.stakes[t]
		if stake*mean > hedgeCap {
			stake = hedgeCap / mean
		}
		w.times(1 + stake*(x-mean))
	}
	return w.log()
}

// less is the log wealth of the gambler who bets that the mean is smaller than m.
func (h *Hedged) less(m float64) float64 {
	w := product{value: 1}
	left, sum := float64(h.o.Batch), 0.0
	for t, x := range h.values {
		mean := m
		if h.o.Batch > 0 {
			mean = min((float64(h.o.Batch)*m-sum)/left, 1)
			left--
			sum += x
		}
		stake := h.stakes[t]
		if stake*(1-mean) > hedgeCap {
			stake = hedgeCap / (1 - mean)
		}
		w.times(1 - stake*(x-mean))
	}
	return w.log()
}

func (h *Hedged) clone() sequence {
	c := *h
	c.values, c.stakes = slices.Clone(h.values), slices.Clone(h.stakes)
	return &c
}

// Promise says what the interval guarantees.
func (h *Hedged) Promise() Promise { return anytimeMean(h.o) }

// product multiplies many positive factors without overflow: it keeps the mantissa and takes logarithms rarely.
type product struct {
	value, logs float64
}

func (p *product) times(x float64) {
	p.value *= x
	if p.value > 1e100 || p.value < 1e-100 {
		p.logs += math.Log(p.value)
		p.value = 1
	}
}

func (p *product) log() float64 { return p.logs + math.Log(p.value) }

// rise returns a point of [0, width] up to which the increasing function f is negative, close below its root;
// 0 if f starts positive, width if it never rises above 0. False position with the Illinois weights, then bisection.
func rise(f func(float64) float64, width float64) float64 {
	const tolerance = 1e-9
	low, high := 0.0, width
	atLow, atHigh := f(low), f(high)
	if !(atLow < 0) {
		return 0
	}
	if atHigh < 0 {
		return width
	}
	side := 0
	for i := 0; high-low > tolerance; i++ {
		mid := low + (high-low)*atLow/(atLow-atHigh)
		if i%3 == 2 || !(mid > low && mid < high) {
			mid = low + (high-low)/2
		}
		y := f(mid)
		if y < 0 {
			low, atLow = mid, y
			if side == -1 {
				atHigh /= 2
			}
			side = -1
		} else {
			high, atHigh = mid, y
			if side == 1 {
				atLow /= 2
			}
			side = 1
		}
	}
	return low
}
