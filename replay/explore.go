package replay

import (
	"cmp"
	"context"
	"errors"
	"slices"
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
	x := &explorer{session: s, ctx: ctx, cancel: cancel, points: map[[2]uint32]int32{}}
	if s.engine.meter.budget > 0 {
		x.gate = newGate(s)
	}
	x.slots = append(x.slots, slot{})
	root := &walk{session: s, ctx: ctx, world: world, explore: x, running: &x.running}
	if world == 0 {
		root.expect, root.overlaps = s.factualCalls, s.factualOverlaps
	}
	x.begin(root)
	x.drive(root)
	x.walks.Wait()
	x.running.Wait()
	if x.fault != nil {
		return nil, x.fault
	}
	return x.result()
}

// explorer drives the walks of one exploration.
type explorer struct {
	session *Session
	ctx     context.Context
	cancel  context.CancelCauseFunc
	gate    *gate // nil: no budget
	walks   sync.WaitGroup
	running sync.WaitGroup // runs started ahead
	live    atomic.Int32 // walks on goroutines of their own

	mu       sync.Mutex
	slots    []slot
	points   map[[2]uint32]int32 // state -> the slot that begins there
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

// begin tells the gate of a walk before it runs.
func (x *explorer) begin(w *walk) {
	if x.gate != nil {
		x.gate.enter()
	}
}

// drive runs a walk, and those forked from it that nobody else runs.
func (x *explorer) drive(w *walk) {
	todo := []*walk{w}
	for len(todo) > 0 {
		w := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		score, err := w.run()
		x.finish(w, score, err)
		if x.gate != nil {
			x.gate.leave()
		}
		todo = append(todo, w.forks...)
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

// add appends an open slot. The caller holds the lock.
func (x *explorer) add() int32 {
	x.slots = append(x.slots, slot{})
	return int32(len(x.slots) - 1)
}

// both gets the outcomes of a call with and without its player's fix. If they
// differ, the walk goes on as-run, and a new one with the fix.
func (w *walk) both(ctx context.Context, c pipeline.Call, r request, player int, known bool) (*pipeline.Value, error) {
	s, x := w.session, w.explore
	fixed := r
	fixed.variant = s.engine.fixes[c.Step]
	lo, hi := w.pair(ctx, r, fixed, w.ahead(c))
	for _, out := range []outcome{lo, hi} {
		if out.fault != nil {
			return nil, w.end(out.fault)
		}
	}
	w.mu.Lock()
	if w.ended != nil {
		w.mu.Unlock()
		return nil, errEnded
	}
	if w.decided.Has(player) { // by a call that went on at the same time
		w.mu.Unlock()
		return w.accept(c, r, lo, false)
	}
	same := lo.value != nil && lo.value == hi.value
	// A player that isn't asked again may as well be decided, so that the
	// diagram knows what its fix costs.
	once := c.At != nil || s.byCall != nil
	if same && (lo.cost == hi.cost || !once) {
		w.mu.Unlock()
		return w.accept(c, r, lo, known)
	}
	err := x.split(w, c, player, lo, hi, same)
	w.mu.Unlock()
	if err != nil {
		return nil, w.end(err)
	}
	return w.accept(c, r, lo, false)
}

// pair gets two outcomes, at once if they may take long.
func (w *walk) pair(ctx context.Context, lo, hi request, ahead []request) (a, b outcome) {
	s, e := w.session, w.session.engine
	refused := w.reserve(ctx, append([]request{lo, hi}, ahead...), 2)
	get := func(i int, r request) outcome {
		if refused[i] {
			return outcome{unknown: ErrBudget}
		}
		return s.get(w.ctx, ctx, r, w.payer())
	}
	if e.options.Concurrency > 1 && e.waits(hi.step, hi.variant) && !s.known(hi) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			b = get(1, hi)
		}()
		a = get(0, lo)
		<-done
		return a, b
	}
	return get(0, lo), get(1, hi)
}

// split makes a node of the walk's place: the walk goes on as-run, and the fix
// gets a walk of its own, unless its outcome is unknown or leads to the same.
// The caller holds the walk's lock.
func (x *explorer) split(w *walk, c pipeline.Call, player int, lo, hi outcome, same bool) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.slots) > 2*x.session.engine.options.Nodes {
		x.cut = true
	}
	if x.cut {
		return errCut
	}
	asRun, withFix := x.add(), x.add()
	here := &x.slots[w.slot]
	here.end, here.player, here.lo, here.hi = slotNode, int32(player), asRun, withFix
	path := w.path
	w.slot, w.path = asRun, path+"0"
	w.decided = w.decided.With(player)
	switch {
	case same:
		// Both ways lead to one slot and differ only in what they cost.
		next := x.add()
		x.slots[asRun] = slot{end: slotNext, lo: next, cost: lo.cost}
		x.slots[withFix] = slot{end: slotNext, lo: next, cost: hi.cost}
		x.slots[next].cost = -lo.cost // accept adds it again
		w.slot = next
	case hi.unknown != nil:
		spec := x.session.engine.specs[c.Step]
		why := &UnknownError{Step: spec.Name, Variant: spec.Impls[x.session.engine.fixes[c.Step]].Name, Err: hi.unknown}
		x.slots[withFix] = slot{end: slotUnknown, why: why.Error()}
	default:
		x.fork(w, c, player, withFix, path+"1")
	}
	return nil
}

// fork sets a walk going that takes the fix where w goes on as-run. A program
// with points takes it up there; a function runs again on what is known.
func (x *explorer) fork(w *walk, c pipeline.Call, player int, slot int32, path string) {
	f := &walk{
		session: w.session, ctx: w.ctx, world: w.world, explore: x, running: w.running,
		decided: w.decided, fixed: w.fixed.With(player),
		slot: slot, path: path, from: c.At, resumed: c.At != nil,
	}
	if c.At == nil {
		f.expect, f.prepaid, f.overlaps = slices.Clone(w.accepted), true, w.overlaps
	}
	x.begin(f)
	parallel := x.gate != nil || x.session.engine.anyWaits() && x.live.Load() < manyWalks
	if !parallel {
		w.forks = append(w.forks, f)
		return
	}
	x.live.Add(1)
	x.walks.Go(func() {
		defer x.live.Add(-1)
		x.drive(f)
	})
}

func (x *explorer) addCost(w *walk, cost float64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.slots[w.slot].cost += cost
}

func (x *explorer) note(w *walk, f failure) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at := &x.slots[w.slot]
	at.failures = append(at.failures, f)
}

// result builds the diagram from the slots, children before parents. Its form
// doesn't depend on the order in which walks went on.
func (x *explorer) result() (*Exploration, error) {
	out := &Exploration{Failures: x.failures()}
	b := game.NewBuilder(len(x.session.players))
	refs := map[int32]game.Ref{}
	var build func(at int32) game.Edge
	build = func(at int32) game.Edge {
		cost := x.slots[at].cost
		for x.slots[at].end == slotNext {
			at = x.slots[at].lo
			cost += x.slots[at].cost
		}
		if ref, done := refs[at]; done {
			return game.Edge{To: ref, Cost: cost}
		}
		var ref game.Ref
		switch s := &x.slots[at]; s.end {
		case slotNode:
			lo, hi := build(s.lo), build(s.hi)
			ref = b.Node(int(s.player), lo, hi)
		case slotLeaf:
			ref = b.Leaf(s.value)
		default:
			ref = b.Unknown()
			if s.why != "" && !slices.Contains(out.Unknown, s.why) {
				out.Unknown = append(out.Unknown, s.why)
			}
		}
		refs[at] = ref
		return game.Edge{To: ref, Cost: cost}
	}
	d, err := b.Build(build(0))
	if err != nil {
		return nil, err
	}
	out.Diagram, out.CostUncached = d, d.CostUncached()
	slices.Sort(out.Unknown)
	if x.overlaps && d.Known() {
		out.Diagram = d.Ordered(x.order())
	}
	return out, nil
}

// order returns the players in the order of reports. Calls that go on at once
// are met in any order; a diagram in this one gives the same last digits always.
func (x *explorer) order() []int {
	order := make([]int, len(x.session.players))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(ComparePlayers(x.session.players[a], x.session.players[b]), cmp.Compare(a, b))
	})
	return order
}
