package blame

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
)

// Options say how an analysis is made. The zero value is the default: recorded
// noise, exact values, steps as players, pass mark 1, no budget.
type Options struct {
	// Seed draws the order of cases, and the worlds of cases without a seed.
	Seed uint64
	// Pass is the pass mark: a case fails when its score is below it. 0 is 1.
	Pass float64
	// Calls makes each call of a step a player.
	Calls bool
	// Fix names the variant to try for a step, where it isn't the first.
	Fix map[string]string
	// Budget is the most that the analysis' step runs may cost; 0 is no limit.
	Budget float64
	// Concurrency is how many step runs and cases go on at once; 0 is 4.
	Concurrency int
	// Nodes is the most states met in exploring one case; 0 is 32768.
	Nodes int
	// Delta is the error probability of intervals and of stopping; 0 is 0.05.
	Delta float64
	// Backoff is the wait before a first retry; 0 is half a second.
	Backoff time.Duration
	// Monitor, if not nil, can be read while the analysis goes on.
	Monitor *Monitor
	// Each, if not nil, is told of each case when it and all before it, in the
	// order in which they are analysed, are done.
	Each func(CaseResult)
}

func (o Options) withDefaults() Options {
	if o.Pass == 0 {
		o.Pass = 1
	}
	if o.Concurrency <= 0 {
		o.Concurrency = 4
	}
	if o.Delta == 0 {
		o.Delta = 0.05
	}
	return o
}

func (o Options) check() error {
	switch {
	case !(o.Pass > 0 && o.Pass <= 1):
		return fmt.Errorf("the pass mark is %v; it must lie above 0 and be at most 1", o.Pass)
	case o.Budget < 0 || math.IsNaN(o.Budget):
		return fmt.Errorf("the budget is %v; it must not be negative", o.Budget)
	case !(o.Delta > 0 && o.Delta < 1):
		return fmt.Errorf("delta is %v; it must lie between 0 and 1", o.Delta)
	}
	return nil
}

func (o Options) engine(p *pipeline.Pipeline) (*replay.Engine, error) {
	return replay.New(p, replay.Options{
		Concurrency: o.Concurrency, Budget: o.Budget, Fix: o.Fix, Calls: o.Calls, Nodes: o.Nodes, Backoff: o.Backoff,
	})
}

func (o Options) settings() Settings {
	s := Settings{
		Mode: "recorded", Method: "auto", Players: "steps",
		Pass: o.Pass, Seed: o.Seed, Delta: o.Delta, Budget: o.Budget,
	}
	if o.Calls {
		s.Players = "calls"
	}
	return s
}

// A Monitor can be read while an analysis goes on. The zero value is ready.
type Monitor struct {
	engine   atomic.Pointer[replay.Engine]
	total    atomic.Int64
	done     atomic.Int64
	failures atomic.Int64
}

// Progress is where an analysis stands.
type Progress struct {
	Cases, Done, Failures int
	StepRuns, InFlight    int
	Retried               int
	// Cost is what the analysis' step runs have cost so far.
	Cost float64
}

// Progress returns where the analysis stands.
func (m *Monitor) Progress() Progress {
	p := Progress{Cases: int(m.total.Load()), Done: int(m.done.Load()), Failures: int(m.failures.Load())}
	if e := m.engine.Load(); e != nil {
		finished := e.Stats().Finished.Load()
		p.StepRuns = int(finished)
		p.InFlight = int(e.Stats().Started.Load() - finished)
		p.Retried = int(e.Stats().Retried.Load())
		p.Cost = e.Spent()
	}
	return p
}
