package confseq

import "fmt"

// Kind names the confidence sequences of which a Family is made.
type Kind string

// The kinds.
const (
	KindHedged     Kind = "hedged"     // Hedged: the narrowest
	KindPlugIn     Kind = "plugin"     // PlugIn: constant memory
	KindAsymptotic Kind = "asymptotic" // Asymptotic: without a guarantee
)

// Family is a confidence sequence for the mean of every player and for every difference of two.
//
// Three sets of statements, each valid at any stopping time (with Asymptotic: approximately), each with its own δ:
// the intervals of all means hold at once; the intervals of all differences hold at once; the declared goal is right.
// Top1, TopK and Ranking are decided by the differences, which pairing keeps narrow, Width by the intervals of the
// means. The goal is looked at after each of the first 20 vectors, then whenever 5 % more have come, and at the end.
type Family struct {
	ending
	o     Options
	kind  Kind
	t     int
	next  int // count at the next look
	sum   []float64
	means []bounded
	pairs []bounded // x_i − x_j for i < j, row by row
	last  []Interval
}

// bounded is a sequence of values of which only bounds may be known: one is fed with the lower, one with the upper
// bounds. The lower end of the first and the upper end of the second stay valid for the values between. They are one
// and the same as long as all values are exact.
type bounded struct {
	low, high sequence
	split     bool
}

func (b *bounded) add(low, high float64) {
	if !b.split && low != high {
		b.high, b.split = b.low.clone(), true
	}
	b.low.add(low)
	if b.split {
		b.high.add(high)
	}
}

func (b *bounded) interval(delta float64) Interval {
	i := b.low.interval(delta)
	if b.split {
		up := b.high.interval(delta)
		i.Mean, i.High = (i.Mean+up.Mean)/2, max(up.High, i.Low)
	}
	return i
}

// NewFamily returns the rule of the given kind for any goal.
func NewFamily(kind Kind, o Options) (*Family, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if kind == KindAsymptotic && o.Batch > 0 {
		return nil, fmt.Errorf("rule %s can't speak about a finite batch: use elimination, pairs, hedged or plugin", kind)
	}
	f := &Family{o: o, kind: kind, next: 1, sum: make([]float64, o.Players)}
	add := func(to *[]bounded, so SequenceOptions) {
		s := newSequence(kind, so)
		*to = append(*to, bounded{low: s, high: s})
	}
	if newSequence(kind, SequenceOptions{}) == nil {
		return nil, fmt.Errorf("unknown kind of sequence %q: want hedged, plugin or asymptotic", kind)
	}
	for i := range o.Players {
		add(&f.means, SequenceOptions{Delta: f.meanLevel(), Low: o.Low, High: o.High, Batch: o.Batch})
		for range o.Players - 1 - i {
			add(&f.pairs, SequenceOptions{Delta: f.goalLevel(), Low: -o.Spread, High: o.Spread, Batch: o.Batch})
		}
	}
	f.decide()
	return f, nil
}

func newSequence(kind Kind, o SequenceOptions) sequence {
	switch kind {
	case KindHedged:
		return newHedged(o)
	case KindPlugIn:
		return newPlugIn(o)
	case KindAsymptotic:
		return newAsymptotic(o)
	}
	return nil
}

// meanLevel is the error of the interval of one mean.
func (f *Family) meanLevel() float64 { return f.o.Delta / float64(f.o.Players) }

// goalLevel is the two-sided error of one difference for the goal, which uses one side only: hence twice the share.
func (f *Family) goalLevel() float64 { return min(2*f.o.Delta/float64(f.o.union()), 0.999) }

// Add implements Rule.
func (f *Family) Add(values []float64) error { return f.AddBounds(values, values) }

// AddBounds implements Rule: lower ends of intervals rest on the lower bounds, upper ends on the upper ones.
func (f *Family) AddBounds(low, high []float64) error {
	if f.closed {
		return errClosed
	}
	if err := f.o.check(f.t, low, high); err != nil {
		return err
	}
	if err := f.o.checkSpread(f.t, low, high); err != nil {
		return err
	}
	if f.kind == KindAsymptotic {
		if err := exact(low, high); err != nil {
			return fmt.Errorf("rule %s: %w", f.kind, err)
		}
	}
	at := 0
	for i := range low {
		f.means[i].add(low[i], high[i])
		f.sum[i] += (low[i] + high[i]) / 2
		for j := i + 1; j < len(low); j++ {
			f.pairs[at].add(max(low[i]-high[j], -f.o.Spread), min(high[i]-low[j], f.o.Spread))
			at++
		}
	}
	f.t++
	if f.t >= f.next || f.t == f.o.Batch {
		f.next = f.t + max(1, f.t/20)
		f.decide()
	}
	return nil
}

// pair returns the sequence of x_i − x_j, i < j.
func (f *Family) pair(i, j int) *bounded {
	n := f.o.Players
	return &f.pairs[i*(2*n-i-1)/2+j-i-1]
}

// beats reports whether the difference of i and j is above 0 at the level of the goal.
func (f *Family) beats(i, j int) bool {
	if i < j {
		return f.pair(i, j).low.above(0, f.goalLevel())
	}
	return f.pair(j, i).high.below(0, f.goalLevel())
}

func (f *Family) decide() {
	if f.reason != "" {
		return
	}
	order := byMean(func(i int) float64 { return f.sum[i] }, f.o.Players)
	if f.o.separated(order, f.beats) || f.o.Goal == Width && f.o.narrow(f.Intervals()) {
		f.declare(f.o.Goal.reason(), order[:f.o.leaders()])
	}
}

// Close implements Rule.
func (f *Family) Close(reason string) {
	if !f.closed {
		f.decide()
	}
	f.ending.Close(reason)
}

// Count implements Rule.
func (f *Family) Count() int { return f.t }

// Intervals implements Rule: the means of all players, valid at once.
func (f *Family) Intervals() []Interval {
	out := make([]Interval, len(f.means))
	for i := range f.means {
		out[i] = f.means[i].interval(f.meanLevel())
	}
	if f.o.Running {
		for i := range f.last {
			out[i] = out[i].meet(f.last[i])
		}
		f.last = append([]Interval(nil), out...)
	}
	return out
}

// Difference returns the interval of the mean of i less the mean of j. All differences are valid at once.
func (f *Family) Difference(i, j int) Interval {
	if i == j {
		return Interval{}
	}
	n := f.o.Players
	delta := 2 * f.o.Delta / float64(n*(n-1))
	if i < j {
		return f.pair(i, j).interval(delta)
	}
	d := f.pair(j, i).interval(delta)
	return Interval{-d.Mean, -d.High, -d.Low}
}

// Promise implements Rule.
func (f *Family) Promise() Promise {
	p := newSequence(f.kind, SequenceOptions{Delta: f.o.Delta, Batch: f.o.Batch}).(interface{ Promise() Promise }).Promise()
	if p.Valid {
		p.Text = fmt.Sprintf("At any time, however often and for whatever reason one looks: with probability at least "+
			"%.4[2]g the intervals of all means hold at once; with probability at least %[2]v so do those of all differences; "+
			"and the probability %[1]s is at most %.4[3]g. Values must stay in the declared range.",
			f.o.goalClaim(), 1-f.o.Delta, f.o.Delta)
	}
	return p
}
