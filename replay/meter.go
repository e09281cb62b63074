package replay

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/agentblame/agentblame/pipeline"
)

// ErrBudget says that a step run was not started because it would have gone
// over the budget.
var ErrBudget = errors.New("the budget is used up")

// meter counts what step runs cost. The declared cost is reserved when a run
// starts, so that the budget holds however many runs are in flight; what a run
// charges on top is added when it ends.
type meter struct {
	mu      sync.Mutex
	budget  float64 // 0: no limit
	spent   float64
	stopped bool
}

// reserve takes the cost of a run that is about to start, or says that it must
// not: once a run was refused, all later ones that cost anything are, so that
// which runs were made does not depend on what happened to fit.
func (m *meter) reserve(cost float64) bool {
	if cost == 0 {
		return true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	// The margin lets costs like 0.1 add up to a budget of 1.
	if m.stopped || m.budget > 0 && m.spent+cost > m.budget*(1+1e-12) {
		m.stopped = true
		return false
	}
	m.spent += cost
	return true
}

// charge adds what a run cost beyond its declared cost.
func (m *meter) charge(cost float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.spent += cost
}

func (m *meter) spentSoFar() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.spent
}

// A tally adds up costs. Its sum doesn't depend on the order in which they came.
type tally struct{ costs []float64 }

func (t *tally) add(cost float64) {
	if cost != 0 {
		t.costs = append(t.costs, cost)
	}
}

func (t *tally) sum() float64 {
	slices.Sort(t.costs)
	sum := 0.0
	for _, c := range t.costs {
		sum += c
	}
	return sum
}

// limits bound how many runs go on at once: all together, and by step.
type limits struct {
	all  chan struct{}
	step []chan struct{} // nil: only the limit for all
}

func newLimits(all int, specs []*pipeline.Spec) limits {
	l := limits{all: make(chan struct{}, all), step: make([]chan struct{}, len(specs))}
	for i, s := range specs {
		if s.Concurrency > 0 {
			l.step[i] = make(chan struct{}, s.Concurrency)
		}
	}
	return l
}

// acquire waits for a place for a run of the step, and returns the function
// that gives it back. The step's own place comes first: whoever waits for it
// must not keep others from running.
func (l *limits) acquire(ctx context.Context, step int) (release func(), err error) {
	own := l.step[step]
	if own != nil {
		select {
		case own <- struct{}{}:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	select {
	case l.all <- struct{}{}:
	case <-ctx.Done():
		if own != nil {
			<-own
		}
		return nil, ctx.Err()
	}
	return func() {
		<-l.all
		if own != nil {
			<-own
		}
	}, nil
}

func (m *meter) ended() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.stopped
}
