package replay

import (
	"context"
	"slices"

	"github.com/agentblame/agentblame/pipeline"
)

// owed is what a player's fix costs more, so far, than what it ran: as long as
// the two give the same, the player stays undecided, for it may be asked again.
type owed struct {
	player int32
	more   float64
}

// owe adds to what a player's fix costs more.
func (w *walk) owe(player int, more float64) {
	for i := range w.owed {
		if w.owed[i].player == int32(player) {
			w.owed[i].more += more
			return
		}
	}
	w.owed = append(w.owed, owed{int32(player), more})
}

// settleOne returns what a player's fix costs more, and forgets it.
func (w *walk) settleOne(player int) (more float64) {
	w.owed = slices.DeleteFunc(w.owed, func(o owed) bool {
		if o.player != int32(player) {
			return false
		}
		more = o.more
		return true
	})
	return more
}

// both gets the outcomes of a call with and without its player's fix. If they
// differ, the walk goes on as-run, and a new one with the fix.
func (w *walk) both(ctx context.Context, c pipeline.Call, r request, player int) (*pipeline.Value, error) {
	fixed := r
	fixed.variant = w.session.engine.fixes[c.Step]
	lo, hi, cached := w.pair(ctx, r, fixed, w.ahead(c))
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended != nil {
		return nil, errEnded
	}
	same := lo.value != nil && lo.value == hi.value
	switch {
	case hi.fault != nil:
		w.ended = hi.fault
		return nil, errEnded
	case lo.fault != nil || w.decided.Has(player): // by a call that went on at the same time
	case same && lo.cost == hi.cost:
	case same && c.At == nil && w.session.byCall == nil:
		w.owe(player, hi.cost-lo.cost)
	case same: // and it isn't asked again
		w.explore.ask(w, player, hi.cost-lo.cost)
	default:
		if w.ended = w.explore.split(w, c, r, player, hi); w.ended != nil {
			return nil, errEnded
		}
	}
	return w.accept(r, lo, cached)
}

// pair gets two outcomes, at once if they may take long.
func (w *walk) pair(ctx context.Context, lo, hi request, ahead []request) (a, b *outcome, cached bool) {
	s, e := w.session, w.session.engine
	var refused []bool
	if w.gated() {
		var waited bool
		refused, waited = w.explore.gate.wait(w, slices.Concat([]request{lo, hi}, ahead), true)
		if waited {
			defer w.explore.gate.done(w)
		}
		w.startAhead(ctx, ahead, refused[2:])
	} else {
		w.startAhead(ctx, ahead, nil)
	}
	if refused != nil && (refused[0] || refused[1]) {
		return w.allowed(ctx, lo, refused[0]), w.allowed(ctx, hi, refused[1]), false
	}
	if e.options.Concurrency > 1 && e.waits(hi.step, hi.variant) && !s.known(hi) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			b, _ = s.get(w, ctx, hi)
		}()
		a, cached = s.get(w, ctx, lo)
		<-done
		return a, b, cached
	}
	a, cached = s.get(w, ctx, lo)
	b, _ = s.get(w, ctx, hi)
	return a, b, cached
}

// allowed is get for a run that may have been refused.
func (w *walk) allowed(ctx context.Context, r request, refused bool) *outcome {
	if refused {
		return &outcome{unknown: ErrBudget}
	}
	out, _ := w.session.get(w, ctx, r)
	return out
}

// split makes a node of the walk's place: the walk goes on as-run, and the fix
// gets a walk of its own, unless its outcome is unknown. The caller holds the
// walk's lock.
func (x *explorer) split(w *walk, c pipeline.Call, r request, player int, hi *outcome) error {
	withFix, err := x.node(w, r, player, hi)
	if err == nil && hi.unknown == nil {
		x.fork(w, c, r.made, player, withFix)
	}
	return err
}

// node makes the node and returns the slot of the fix.
func (x *explorer) node(w *walk, r request, player int, hi *outcome) (withFix int32, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.gate == nil && x.nodes >= x.session.engine.options.Nodes {
		x.cut = true
	}
	if x.cut {
		return 0, errCut
	}
	x.nodes++
	asRun, withFix := x.add(), x.add()
	here := &x.slots[w.slot]
	here.end, here.player, here.lo, here.hi = slotNode, int32(player), asRun, withFix
	x.slots[withFix].cost = w.settleOne(player)
	w.slot, w.decided = asRun, w.decided.With(player)
	if hi.unknown != nil {
		r.variant = x.session.engine.fixes[r.step]
		there := &x.slots[withFix]
		there.end, there.why = slotUnknown, hi.err(x.session.engine, r).Error()
		if isTransient(hi.unknown) {
			there.failures = append(there.failures, failure{r.step, r.variant, hi.unknown.Error()})
		}
	}
	return withFix, nil
}

// fork sets a walk going that takes the fix where w goes on as-run. A program
// with points takes it up there; a function runs again on what is known. The
// caller holds the walk's lock but not the explorer's, which the gate takes.
func (x *explorer) fork(w *walk, c pipeline.Call, at made, player int, slot int32) {
	f := &walk{
		session: w.session, ctx: w.ctx, world: w.world, explore: x, running: w.running,
		decided: w.decided, fixed: w.fixed.With(player), owed: slices.Clone(w.owed),
		slot: slot, from: c.At, resumed: c.At != nil,
	}
	if c.At == nil {
		// It must make this call again too, which is accounted for then.
		f.expect, f.prepaid, f.overlaps = append(w.accounted(), answer{made: at}), true, w.overlaps
		f.answered = make([]answer, 0, len(f.expect)+4)
	}
	if x.gate != nil {
		x.gate.enter()
	}
	parallel := x.gate != nil || x.session.engine.anyWaits() && x.live.Load() < manyWalks
	if !parallel {
		f.next, w.forks = w.forks, f
		return
	}
	x.live.Add(1)
	x.walks.Go(func() {
		defer x.live.Add(-1)
		x.drive(f)
	})
}

// limit cuts the exploration off when it has met as many states as it may.
func (x *explorer) limit() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.cut = x.cut || x.nodes >= x.session.engine.options.Nodes
}
