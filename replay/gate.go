package replay

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// A gate lets runs start in an order that doesn't depend on how fast others are
// or how many may go on at once. Walks ask for runs; when every walk waits, what
// they ask for is decided in the order of steps, variants and inputs, and all go
// on. What a walk may know without waiting is what was known when the gate last
// opened, so that the rounds, too, are always the same.
//
// That holds for functions that make one call after another. Of calls that go on
// at once the gate can't know how many are still to come.
type gate struct {
	explorer *explorer
	session  *Session
	mu       sync.Mutex
	active   int // walks and calls that don't wait
	waiting  []*waiter
	calls    map[*walk]calls
	granted  map[key]bool // runs that have been decided: whether they may start
	// fresh are the runs granted last, whatever their label: whether they draw
	// noise, and so serve other calls or not, may not be known yet.
	fresh map[key]bool
}

// calls are a walk's calls at the gate: those that wait, and those that were let
// go on and are still under way. A walk of which no call waits is active itself;
// of another, only the calls that go on are.
type calls struct{ waiting, going int }

func (c calls) active() int {
	if c.waiting == 0 {
		return 1
	}
	return c.going
}

// count changes a walk's calls, and with them how many are active. The caller
// holds the lock.
func (g *gate) count(w *walk, waiting, going int) {
	c := g.calls[w]
	g.active -= c.active()
	c.waiting += waiting
	c.going += going
	g.active += c.active()
	g.calls[w] = c
	if c == (calls{}) {
		delete(g.calls, w)
	}
}

type waiter struct {
	walk    *walk
	runs    []request
	refused []bool
	decided chan struct{}
}

func newGate(x *explorer) *gate {
	return &gate{explorer: x, session: x.session, calls: map[*walk]calls{}, granted: map[key]bool{}, fresh: map[key]bool{}}
}

// enter counts a walk that is about to run.
func (g *gate) enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active++
}

// leave counts a walk that has ended.
func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active--
	g.open()
}

// wait blocks until the runs may start or are known not to; refused says which
// may not. Who has waited says with done when its runs have ended. With turn it waits for the next round in any case: the walk may make
// a new state, and how many there may be is decided between rounds.
func (g *gate) wait(w *walk, runs []request, turn bool) (refused []bool, waited bool) {
	at := &waiter{walk: w, runs: runs, refused: make([]bool, len(runs)), decided: make(chan struct{})}
	g.mu.Lock()
	if !turn && g.answer(at) {
		g.mu.Unlock()
		return at.refused, false
	}
	g.waiting = append(g.waiting, at)
	g.count(w, 1, 0)
	g.open()
	g.mu.Unlock()
	select {
	case <-at.decided:
		return at.refused, true
	case <-w.ctx.Done():
		return make([]bool, len(runs)), false // nothing starts any more
	}
}

// done counts a call that has waited and whose runs have ended.
func (g *gate) done(w *walk) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count(w, 0, -1)
	g.open()
}

// answer tells a waiter which runs are refused, once all of them are decided.
// The caller holds the lock.
func (g *gate) answer(at *waiter) bool {
	for i, r := range at.runs {
		k := g.session.keyOf(r)
		granted, decided := g.granted[k]
		if !decided {
			if g.fresh[k.free()] || !g.session.known(r) {
				return false
			}
			granted = true
		}
		at.refused[i] = !granted
	}
	return true
}

// open decides what all walks wait for and lets them go on, once none of them is
// active. The caller holds the lock.
func (g *gate) open() {
	if g.active > 0 || len(g.waiting) == 0 {
		return
	}
	g.explorer.limit()
	var asked []request
	for _, at := range g.waiting {
		asked = append(asked, at.runs...)
	}
	slices.SortFunc(asked, compareRequests)
	clear(g.fresh)
	for _, r := range asked {
		g.decide(r)
	}
	g.waiting = slices.DeleteFunc(g.waiting, func(at *waiter) bool {
		if !g.answer(at) {
			return false // it waits for a run of another call that may serve it too
		}
		g.count(at.walk, -1, 1)
		close(at.decided)
		return true
	})
}

// decide reserves the cost of a run, or says that it must not start.
func (g *gate) decide(r request) {
	k := g.session.keyOf(r)
	if _, decided := g.granted[k]; decided || g.fresh[k.free()] {
		return
	}
	if g.session.known(r) {
		// Said now: that a run of another call starts must not put it in doubt.
		g.granted[k] = true
		return
	}
	granted := g.session.engine.meter.reserve(g.session.engine.specs[r.step].Impls[r.variant].Cost)
	g.granted[k] = granted
	if granted && !g.session.opaque(r) {
		g.fresh[k.free()] = true
	}
}

// compareRequests orders requests by what they ask for. The numbers of values
// and named calls won't do: they depend on which was met first.
func compareRequests(a, b request) int {
	c := cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.variant, b.variant), strings.Compare(a.name, b.name))
	for i := 0; c == 0 && i < len(a.inputs); i++ {
		if a.inputs[i] != b.inputs[i] {
			c = strings.Compare(a.inputs[i].JSON(), b.inputs[i].JSON())
		}
	}
	return c
}
