package confseq

import "fmt"

// Radius names the half width that Scheduled puts around a mean.
type Radius string

// The radii: two with a guarantee, one without.
const (
	Hoeffding Radius = "hoeffding" // HoeffdingRadius
	Bernstein Radius = "bernstein" // BernsteinRadius
	Normal    Radius = "normal"    // NormalRadius: asymptotic, not anytime-valid
)

// Scheduled is the classical rule: at the checkpoints of a Schedule it puts a radius around every mean, and stops when
// the intervals that its goal compares are disjoint.
//
// With Hoeffding and Bernstein all intervals of all players and checkpoints hold at once with probability 1−δ, so a
// stop at a checkpoint, for whatever reason, is safe. Between checkpoints Intervals stays what it was at the last one.
// With Normal this is an approximation: on skewed streams it errs far more often than δ.
//
// Intervals are not cut to the range of the values; Interval.Clip does that.
type Scheduled struct {
	ending
	o         Options
	radius    Radius
	stats     []moments
	k         int // checkpoints reached
	next      int // the following one
	intervals []Interval
}

// NewScheduled returns a rule with the given radius. It has no version for a finite batch.
func NewScheduled(radius Radius, o Options) (*Scheduled, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if o.Schedule, err = o.Schedule.complete(); err != nil {
		return nil, err
	}
	switch radius {
	case Hoeffding, Bernstein, Normal:
	default:
		return nil, fmt.Errorf("unknown radius %q: want hoeffding, bernstein or normal", radius)
	}
	if o.Batch > 0 {
		return nil, fmt.Errorf("rule %s can't speak about a finite batch: use elimination, pairs, hedged or plugin", radius)
	}
	s := &Scheduled{o: o, radius: radius, stats: make([]moments, o.Players), next: o.Schedule.At(1)}
	for range o.Players {
		s.intervals = append(s.intervals, Interval{(o.Low + o.High) / 2, o.Low, o.High})
	}
	return s, nil
}

// Add implements Rule.
func (s *Scheduled) Add(values []float64) error { return s.AddBounds(values, values) }

// AddBounds implements Rule; bounds that differ are refused.
func (s *Scheduled) AddBounds(low, high []float64) error {
	if s.closed {
		return errClosed
	}
	if err := s.o.check(s.Count(), low, high); err != nil {
		return err
	}
	if err := exact(low, high); err != nil {
		return fmt.Errorf("rule %s: %w", s.radius, err)
	}
	for i, x := range low {
		s.stats[i].add(x)
	}
	if s.Count() < s.next {
		return nil
	}
	for s.Count() >= s.next {
		s.k++
		s.next = s.o.Schedule.At(s.k + 1)
	}
	s.look(s.k)
	if s.reached() {
		s.declare(s.o.Goal.reason(), s.order()[:s.o.leaders()])
	}
	return nil
}

// look sets the intervals from the present values with the share of checkpoint k.
func (s *Scheduled) look(k int) {
	share, t := s.o.Schedule.Share(s.o.Delta, s.o.Players, k), s.Count()
	for i := range s.stats {
		m := &s.stats[i]
		var r float64
		switch s.radius {
		case Hoeffding:
			r = HoeffdingRadius(s.o.High-s.o.Low, share, t)
		case Bernstein:
			r = BernsteinRadius(m.variance(), s.o.High-s.o.Low, share, t)
		case Normal:
			r = NormalRadius(m.variance(), share, t)
		}
		now := Interval{m.mean, m.mean - r, m.mean + r}
		if s.o.Running {
			now = now.meet(s.intervals[i])
		}
		s.intervals[i] = now
	}
}

func (s *Scheduled) reached() bool {
	return s.o.narrow(s.intervals) || s.o.separated(s.order(), func(i, j int) bool {
		return s.intervals[i].Low > s.intervals[j].High
	})
}

func (s *Scheduled) order() []int {
	return byMean(func(i int) float64 { return s.stats[i].mean }, s.o.Players)
}

// Count implements Rule.
func (s *Scheduled) Count() int { return s.stats[0].n }

// Intervals implements Rule.
func (s *Scheduled) Intervals() []Interval { return append([]Interval(nil), s.intervals...) }

// Close implements Rule. Unless the goal was reached, it also looks once more, with the next checkpoint's share, so
// that the intervals speak about all values added. That look is covered if the end was not chosen by the values:
// the cases, the time or a budget known beforehand had run out.
func (s *Scheduled) Close(reason string) {
	_, stopped := s.Stopped()
	unlooked := s.k == 0 || s.o.Schedule.Once == 0 && s.Count() > s.o.Schedule.At(s.k)
	if !stopped && !s.closed && unlooked && s.Count() >= 2 {
		s.look(s.k + 1)
	}
	s.ending.Close(reason)
}

// Promise implements Rule.
func (s *Scheduled) Promise() Promise {
	p := Promise{Over: over(0)}
	what := "the intervals of all players at all checkpoints hold at once"
	if s.radius == Normal {
		p.Label = labelAsymptotic
		p.Text = fmt.Sprintf("As the checkpoints grow, the probability that %s is about %.4g. "+
			"Nothing is promised at any finite count: on skewed values this rule errs far more often.", what, 1-s.o.Delta)
		return p
	}
	p.Label, p.Valid = labelScheduled, true
	p.Text = fmt.Sprintf("With probability at least %.4g %s, so stopping at any checkpoint is safe. "+
		"Nothing is promised between checkpoints, except at an end that was not chosen by the values.", 1-s.o.Delta, what)
	return p
}
