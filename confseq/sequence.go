package confseq

import (
	"fmt"
	"math"
)

// SequenceOptions are shared by the confidence sequences of one mean: Hedged, PlugIn and Asymptotic.
type SequenceOptions struct {
	Delta     float64 // probability of ever missing the mean, in (0, 1); 0 means 0.05
	Low, High float64 // range of the values; both 0 means [−1, 1]
	Batch     int     // size of a finite batch in random order; 0 means independent draws
	Running   bool    // intersect every interval with all that were asked for before
}

func (o SequenceOptions) complete() (SequenceOptions, error) {
	full, err := Options{Players: 1, Delta: o.Delta, Low: o.Low, High: o.High, Batch: o.Batch}.complete()
	if err != nil {
		return o, err
	}
	o.Delta, o.Low, o.High = full.Delta, full.Low, full.High
	return o, nil
}

// sequence is what a Family needs of a confidence sequence.
type sequence interface {
	add(x float64)
	// interval reads the sequence at another level than it was tuned for.
	interval(delta float64) Interval
	// above reports whether the lower bound at that level is larger than m.
	above(m, delta float64) bool
	// below reports whether the upper bound at that level is smaller than m.
	below(m, delta float64) bool
	clone() sequence
}

// record is one value after another, scaled to [0, 1]: what all sequences know.
type record struct {
	o     SequenceOptions
	scale float64 // 1/(High − Low)
	count int
	sum   float64
	last  *Interval // with Running
}

func newRecord(o SequenceOptions) record { return record{o: o, scale: 1 / (o.High - o.Low)} }

func (s *record) check(x float64) error {
	o := Options{Players: 1, Low: s.o.Low, High: s.o.High, Batch: s.o.Batch}
	v := []float64{x}
	return o.check(s.count, v, v)
}

// unit scales x to [0, 1].
func (s *record) unit(x float64) float64 {
	return min(max((x-s.o.Low)*s.scale, 0), 1)
}

// possible is where the mean can be at all: [0, 1], or for a batch what the values still to come leave open.
func (s *record) possible() (low, high float64) {
	if s.o.Batch == 0 {
		return 0, 1
	}
	n := float64(s.o.Batch)
	return s.sum / n, min(1, (s.sum+n-float64(s.count))/n)
}

// result turns bounds in [0, 1] into an interval of the original range.
func (s *record) result(low, high float64) Interval {
	least, most := s.possible()
	low, high = min(max(low, least), most), max(min(high, most), least)
	mean := 0.5
	if s.count > 0 {
		mean = s.sum / float64(s.count)
	}
	back := func(u float64) float64 { return s.o.Low + u*(s.o.High-s.o.Low) }
	return Interval{back(mean), back(low), back(high)}
}

// remember intersects with what was asked for before, if that was wished.
func (s *record) remember(i Interval) Interval {
	if !s.o.Running {
		return i
	}
	if s.last != nil {
		i = i.meet(*s.last)
	}
	s.last = &i
	return i
}

// Count is the number of values added.
func (s *record) Count() int { return s.count }

// plugInStake is the predictable plug-in stake √(2 ln(2/δ) / (σ²·t·ln(1+t))) of draw t, where σ² is the variance of the
// draws before it with one pseudo-observation of mean ½ and variance ¼
// (Waudby-Smith and Ramdas 2023, section 3.2).
type plugInStake struct {
	log             float64 // 2 ln(2/δ)
	sum, deviations float64
}

func newPlugInStake(delta float64) plugInStake { return plugInStake{log: 2 * math.Log(2/delta)} }

func (p *plugInStake) next(t int) float64 {
	n := float64(t)
	return math.Sqrt(p.log / (max(0.25+p.deviations, 1e-9*n) * math.Log(1+n)))
}

// mean is the predictable mean before draw t.
func (p *plugInStake) mean(t int) float64 { return (0.5 + p.sum) / float64(t) }

// learn adds draw t.
func (p *plugInStake) learn(x float64, t int) {
	p.sum += x
	d := x - p.mean(t+1)
	p.deviations += d * d
}

func anytimeMean(o SequenceOptions) Promise {
	return Promise{
		Label: labelAnytime, Valid: true, Anytime: true, Over: over(o.Batch),
		Text: fmt.Sprintf("The probability that the mean ever lies outside its interval is at most %.4g, "+
			"however often and for whatever reason one looks. Values must stay in the declared range.", o.Delta),
	}
}
