package confseq

import "math"

// PlugIn is the predictable plug-in empirical Bernstein confidence sequence of a mean
// (Waudby-Smith and Ramdas 2023, theorem 2; for a finite batch their 2020 paper on sampling without replacement,
// theorem 3.2). Wider than Hedged, but in closed form: Add and Interval take constant time and memory.
type PlugIn struct {
	record
	stake    plugInStake
	weight   float64 // Σ λ, for a batch Σ λ·N/(N−t+1)
	weighted float64 // Σ λx, for a batch Σ λ·(x + S/(N−t+1))
	spent    float64 // Σ (x − mean before it)²·ψ(λ), ψ(λ) = −ln(1−λ) − λ
}

const (
	plugInCap    = 0.5
	plugInCapPsi = math.Ln2 - 0.5 // ψ(½)
)

// NewPlugIn returns an empty sequence.
func NewPlugIn(o SequenceOptions) (*PlugIn, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	return newPlugIn(o), nil
}

func newPlugIn(o SequenceOptions) *PlugIn {
	return &PlugIn{record: newRecord(o), stake: newPlugInStake(o.Delta)}
}

// Add takes the next value.
func (p *PlugIn) Add(x float64) error {
	if err := p.check(x); err != nil {
		return err
	}
	p.add(x)
	return nil
}

func (p *PlugIn) add(x float64) {
	x = p.unit(x)
	before := p.stake.mean(p.count + 1)
	p.count++
	stake, psi := plugInCap, plugInCapPsi
	if free := p.stake.next(p.count); free < plugInCap {
		stake, psi = free, -math.Log1p(-free)-free
	}
	p.stake.learn(x, p.count)

	share, seen := 1.0, 0.0
	if p.o.Batch > 0 {
		left := float64(p.o.Batch - p.count + 1)
		share, seen = float64(p.o.Batch)/left, p.sum/left
	}
	p.weight += stake * share
	p.weighted += stake * (x + seen)
	p.spent += (x - before) * (x - before) * psi
	p.sum += x
}

// Interval returns the present interval.
func (p *PlugIn) Interval() Interval { return p.remember(p.interval(p.o.Delta)) }

func (p *PlugIn) interval(delta float64) Interval {
	if p.count == 0 {
		return p.result(0, 1)
	}
	center, radius := p.weighted/p.weight, (math.Log(2/delta)+p.spent)/p.weight
	return p.result(center-radius, center+radius)
}

func (p *PlugIn) above(m, delta float64) bool { return p.interval(delta).Low > m }

func (p *PlugIn) below(m, delta float64) bool { return p.interval(delta).High < m }

func (p *PlugIn) clone() sequence {
	c := *p
	return &c
}

// Promise says what the interval guarantees.
func (p *PlugIn) Promise() Promise { return anytimeMean(p.o) }
