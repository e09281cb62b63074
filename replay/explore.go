package replay

import (
	"context"
	"errors"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
)

// errMerged says that a walk came to a state that another has walked on from.
var errMerged = errors.New("the state is explored elsewhere")

// errCut says that an exploration met more states than it may.
var errCut = errors.New("there are more states than the node limit")

// An Exploration is what replaying a case under all coalitions came to.
type Exploration struct {
	// Diagram is the game: the score of each coalition. Its players are the
	// session's. Leaves that are not known are unknown in it.
	Diagram *game.Diagram
	// CostUncached is what enumerating all coalitions would have cost without
	// the cache.
	CostUncached float64
	// Failures are the step runs that failed, each with the smallest coalition
	// under which it did.
	Failures []Failure
	// Unknown says why leaves are unknown, once each; it is empty when the
	// diagram is complete.
	Unknown []string
	// Cut says that the limit on states was hit, Budget that the budget ended.
	Cut, Budget bool
}

// Complete reports whether the value of every coalition is known.
func (x *Exploration) Complete() bool { return x.Diagram.Known() }

// Explore replays the case in a world under all coalitions at once: from each
// state there is one way on as-run and one with the fix, and equal states merge.
// An error means that the case can't be explored: the pipeline was used wrongly,
// or is not deterministic given its steps' outputs. What a budget, a limit, a
// cancellation or a transient error leaves open is unknown in the result.
func (s *Session) Explore(ctx context.Context, world int) (*Exploration, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	x := &explorer{session: s, ctx: ctx, cancel: cancel, scratch: s.engine.takeScratch()}
	defer x.giveBack(s.engine)
	if s.MayBeCut() {
		x.gate = newGate(x)
	}
	x.slots = append(x.slots, slot{})
	root := &walk{session: s, ctx: ctx, world: world, explore: x, running: &x.running}
	if world == 0 {
		root.expect, root.overlaps = s.factualCalls, s.factualOverlaps
	}
	if x.gate != nil {
		x.gate.enter()
	}
	x.drive(root)
	x.walks.Wait()
	x.running.Wait()
	if x.fault != nil {
		return nil, x.fault
	}
	return x.result()
}

// MayBeCut says whether a budget or the limit on states may cut an exploration off:
// then what is known when it does must not depend on what was faster.
func (s *Session) MayBeCut() bool {
	return s.engine.meter.budget > 0 || s.byCall != nil || len(s.players) >= bits.Len(uint(s.engine.options.Nodes))
}

// explorer drives the walks of one exploration.
type explorer struct {
	session *Session
	ctx     context.Context
	cancel  context.CancelCauseFunc
	gate    *gate // nil: neither a budget nor the limit on states can cut it off
	walks   sync.WaitGroup
	running sync.WaitGroup // runs started ahead
	live    atomic.Int32   // walks on goroutines of their own

	mu sync.Mutex
	*scratch
	nodes    int
	cut      bool
	overlaps bool
	fault    error
}

// A slot is a stretch of replay between two decisions: what it costs, what fails
// on it, and what it ends in.
type slot struct {
	end      slotEnd
	player   int32
	lo, hi   int32 // slotNode: the ways on; slotNext: lo
	cost     float64
	value    float64
	why      string
	failures []failure
}

type slotEnd uint8

const (
	slotOpen slotEnd = iota
	slotNext
	slotNode
	slotLeaf
	slotUnknown
)

// manyWalks is how many walks may go on at once before new ones wait their turn.
const manyWalks = 1000

// drive runs a walk, and those forked from it that nobody else runs.
func (x *explorer) drive(w *walk) {
	for todo := w; todo != nil; {
		w := todo
		todo = w.next
		score, err := w.run()
		x.finish(w, score, err)
		if x.gate != nil {
			x.gate.leave()
		}
		for w.forks != nil {
			fork := w.forks
			w.forks, fork.next, todo = fork.next, todo, fork
		}
	}
}

// finish files how a walk ended.
func (x *explorer) finish(w *walk, score float64, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.overlaps = x.overlaps || w.overlaps
	at := &x.slots[w.slot]
	switch {
	case errors.Is(err, errMerged):
	case err == nil:
		x.settle(w)
		at = &x.slots[w.slot]
		at.end, at.value = slotLeaf, score
	case isUnknown(err) || x.cut || x.ctx.Err() != nil:
		if at.end == slotOpen {
			at.end, at.why = slotUnknown, err.Error()
		}
	default:
		at.end = slotUnknown
		if x.fault == nil {
			x.fault = err
			x.cancel(err) // nothing more is worth running
		}
	}
}

func isUnknown(err error) bool {
	var unknown *UnknownError
	var score *ScoreError
	return errors.As(err, &unknown) || errors.As(err, &score) || errors.Is(err, ErrBudget) || errors.Is(err, errCut) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || isTransient(err)
}

// enter notes that a walk is at a point, and says whether it is the first there.
func (x *explorer) enter(w *walk, at pipeline.Point) bool {
	if w.resumed {
		w.resumed = false // the walk it was forked from has been here
		return true
	}
	state := at.Key()
	x.mu.Lock()
	defer x.mu.Unlock()
	if there, known := x.points[state]; known {
		here := &x.slots[w.slot]
		here.end, here.lo = slotNext, there
		return false
	}
	// A state's slot begins with it: what came before belongs to the way here.
	if here := &x.slots[w.slot]; here.cost != 0 || here.failures != nil {
		next := x.add()
		here = &x.slots[w.slot]
		here.end, here.lo = slotNext, next
		w.slot = next
	}
	x.points[state] = w.slot
	return true
}

// settle asks, before a leaf, for the players whose fix made no difference but
// to the cost. The caller holds the lock.
func (x *explorer) settle(w *walk) {
	for _, o := range w.owed {
		if o.more != 0 {
			x.askLocked(w, int(o.player), o.more)
		}
	}
}

// ask makes a node of the walk's place that asks for a player whose fix makes no
// difference but to the cost: both ways lead on.
func (x *explorer) ask(w *walk, player int, more float64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.askLocked(w, player, more)
}

func (x *explorer) askLocked(w *walk, player int, more float64) {
	next, fixed := x.add(), x.add()
	here := &x.slots[w.slot]
	here.end, here.player, here.lo, here.hi = slotNode, int32(player), next, fixed
	x.slots[fixed] = slot{end: slotNext, lo: next, cost: more}
	w.slot = next
}

// account adds to the cost of where a walk is, and files what failed there.
func (x *explorer) account(w *walk, cost float64, f *failure) {
	x.mu.Lock()
	defer x.mu.Unlock()
	here := &x.slots[w.slot]
	here.cost += cost
	if f != nil {
		here.failures = append(here.failures, *f)
	}
}

// add appends an open slot. The caller holds the lock.
func (x *explorer) add() int32 {
	x.slots = append(x.slots, slot{})
	return int32(len(x.slots) - 1)
}
