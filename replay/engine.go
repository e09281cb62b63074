package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentblame/agentblame/pipeline"
)

// Options say how an Engine replays. The zero value works.
type Options struct {
	// Concurrency is how many step runs may wait for something at once; 0 is 4.
	Concurrency int
	// Budget is the most that the step runs of analyses may cost, in the user's
	// unit; 0 is no limit. Factual runs are not counted.
	Budget float64
	// Fix names the variant to try as a step's fix; a step that isn't named
	// tries its first variant.
	Fix map[string]string
	// Calls makes each call of a step a player of its own, rather than each step.
	Calls bool
	// Nodes is the most states that exploring one case may meet; 0 is 32768.
	Nodes int
	// MaxCalls is the most step calls in one replay; a pipeline function that
	// makes more is taken to be in an endless loop. 0 is 10000.
	MaxCalls int
	// Backoff is the wait before the first retry of a transient error; it
	// doubles with each. 0 is half a second.
	Backoff time.Duration
}

// An Engine replays one pipeline. It holds what all cases share: limits, the
// meter and the counters. It is safe for use by several goroutines.
type Engine struct {
	pipeline *pipeline.Pipeline
	options  Options
	specs    []*pipeline.Spec // the steps, then the score
	fixes    []int            // by step: the variant that is the fix, 0 for none
	playerOf []int            // by step: its number as a player, −1 for none
	// stepPlayers are the players when they are steps.
	stepPlayers []Player
	meter       meter
	limits      limits
	speeds      [][]atomic.Int64 // by step and variant: how long the last run took, in ns; 0 before the first
	stats       Stats
	sessions    sync.Pool      // of closed *Session
	scratches   sync.Pool      // of *scratch
	first       []atomic.Int32 // by step: where a Go function's first call of it is made, or unknown
	calls       sync.RWMutex
	away        map[pin]bool // other calls: whether they are made on a goroutine of their own
}

// Stats count what an engine has done so far; they may be read at any time.
type Stats struct {
	Started  atomic.Int64 // step runs started, factual ones included
	Finished atomic.Int64 // step runs finished
	Retried  atomic.Int64 // attempts after the first
}

// New returns an engine for the pipeline. A pipeline that was declared wrongly
// and a fix that there isn't are errors.
func New(p *pipeline.Pipeline, o Options) (*Engine, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	if o.Concurrency <= 0 {
		o.Concurrency = 4
	}
	if o.Nodes <= 0 {
		o.Nodes = 1 << 15
	}
	if o.MaxCalls <= 0 {
		o.MaxCalls = 10_000
	}
	if o.Backoff <= 0 {
		o.Backoff = 500 * time.Millisecond
	}
	e := &Engine{pipeline: p, options: o, away: map[pin]bool{}}
	score := &pipeline.Spec{Name: "score", Needs: p.Score.Needs, Impls: []pipeline.Impl{p.Score.Impl}}
	e.specs = append(append(e.specs, p.Steps...), score)
	e.fixes, e.playerOf = make([]int, len(e.specs)), make([]int, len(e.specs))
	for i, s := range p.Steps {
		e.playerOf[i] = -1
		if e.fixes[i] = s.Fix(o.Fix[s.Name]); e.fixes[i] > 0 && !o.Calls {
			e.playerOf[i] = len(e.stepPlayers)
			e.stepPlayers = append(e.stepPlayers, Player{Step: i})
		}
	}
	if err := checkFixes(p, o.Fix); err != nil {
		return nil, err
	}
	e.first = make([]atomic.Int32, len(e.specs))
	e.speeds = make([][]atomic.Int64, len(e.specs))
	for i, s := range e.specs {
		e.speeds[i] = make([]atomic.Int64, len(s.Impls))
	}
	e.meter.budget = o.Budget
	e.limits = newLimits(o.Concurrency, e.specs)
	return e, nil
}

func checkFixes(p *pipeline.Pipeline, fixes map[string]string) error {
	for _, step := range slices.Sorted(maps.Keys(fixes)) {
		variant := fixes[step]
		var spec *pipeline.Spec
		for _, s := range p.Steps {
			if s.Name == step {
				spec = s
			}
		}
		if spec == nil {
			return fmt.Errorf("fix %s=%s: there is no step %q (there are: %s)", step, variant, step, strings.Join(p.StepNames(), ", "))
		}
		if variant != "" && spec.Fix(variant) == 0 {
			var names []string
			for _, v := range spec.Impls[1:] {
				names = append(names, v.Name)
			}
			if len(names) == 0 {
				return fmt.Errorf("fix %s=%s: step %s has no variants", step, variant, step)
			}
			return fmt.Errorf("fix %s=%s: step %s has no such variant (there are: %s)", step, variant, step, strings.Join(names, ", "))
		}
	}
	return nil
}

// Pipeline returns the pipeline that the engine replays.
func (e *Engine) Pipeline() *pipeline.Pipeline { return e.pipeline }

// FixOf returns the name of the variant that is the step's fix, or "".
func (e *Engine) FixOf(step int) string {
	if i := e.fixes[step]; i > 0 {
		return e.specs[step].Impls[i].Name
	}
	return ""
}

// Nodes returns the limit on the states of one exploration.
func (e *Engine) Nodes() int { return e.options.Nodes }

// Stats returns the engine's counters.
func (e *Engine) Stats() *Stats { return &e.stats }

// Spent returns what the step runs of analyses have cost so far.
func (e *Engine) Spent() float64 { return e.meter.spentSoFar() }

// slowRun is how long a step run takes before others are worth starting beside
// it: well above the price of a goroutine, well below any model call.
const slowRun = 200 * time.Microsecond

// waits says whether a run of the implementation may take long: it waits for
// another process, was slow the last time, or hasn't run yet.
func (e *Engine) waits(step, variant int) bool {
	if e.specs[step].Impls[variant].Blocking {
		return true
	}
	ns := e.speeds[step][variant].Load()
	return ns == 0 || time.Duration(ns) > slowRun
}

// Waits says whether step runs may take long, so that independent replays are
// worth making at once.
func (e *Engine) Waits() bool { return e.anyWaits() }

// anyWaits says whether any implementation that replays use may take long, so
// that independent replays are worth running at once.
func (e *Engine) anyWaits() bool {
	if e.options.Concurrency == 1 {
		return false
	}
	for i := range e.specs {
		if e.waits(i, 0) || e.fixes[i] > 0 && e.waits(i, e.fixes[i]) {
			return true
		}
	}
	return false
}

// elsewhere says whether a call comes from a goroutine that the pipeline function
// has started. That the function makes calls at once is then known, however
// seldom they do overlap. A call is taken to come from where it came from first.
func (e *Engine) elsewhere(c pipeline.Call) bool {
	if c.At != nil {
		return false
	}
	if c.Label == "1" {
		place := e.first[c.Step].Load()
		if place == unknownPlace {
			place = inFunction
			if aside(c) {
				place = ofItsOwn
			}
			if !e.first[c.Step].CompareAndSwap(unknownPlace, place) {
				place = e.first[c.Step].Load()
			}
		}
		return place == ofItsOwn
	}
	at := pin{c.Step, c.Label}
	e.calls.RLock()
	away, known := e.away[at]
	e.calls.RUnlock()
	if known {
		return away
	}
	away = aside(c)
	e.calls.Lock()
	defer e.calls.Unlock()
	if len(e.away) < mostCalls {
		e.away[at] = away
	}
	return away
}

// aside says whether a call is made on a goroutine, thread or task of its own.
func aside(c pipeline.Call) bool {
	if c.Foreign {
		return c.Aside
	}
	return !pipeline.InFunction()
}

// Where a call of a pipeline function is made.
const (
	unknownPlace int32 = iota
	inFunction         // on the function's own goroutine
	ofItsOwn           // on one that the function has started
)

// mostCalls is how many calls an engine remembers something about: their names
// may be new in every case.
const mostCalls = 10_000

// BudgetEnded says whether a run was refused because of the budget.
func (e *Engine) BudgetEnded() bool { return e.meter.ended() }
