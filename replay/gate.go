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
	active   int // walks that don't wait
	waiting  []*waiter
	blocked  map[*walk]int // how many calls of a walk wait
	granted  map[key]bool  // runs that have been decided: whether they may start
	// fresh are the runs granted last, whatever their label: whether they draw
	// noise, and so serve other calls or not, may not be known yet.
	fresh map[key]bool
}

type waiter struct {
	walk    *walk
	runs    []request
	refused []bool
	decided chan struct{}
}

func newGate(x *explorer) *gate {
	return &gate{explorer: x, session: x.session, blocked: map[*walk]int{}, granted: map[key]bool{}, fresh: map[key]bool{}}
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
// may not. With turn it waits for the next round in any case: the walk may make
// a new state, and how many there may be is decided between rounds.
func (g *gate) wait(w *walk, runs []request, turn bool) (refused []bool) {
	at := &waiter{walk: w, runs: runs, refused: make([]bool, len(runs)), decided: make(chan struct{})}
	g.mu.Lock()
	if !turn && g.answer(at) {
		g.mu.Unlock()
		return at.refused
	}
	g.waiting = append(g.waiting, at)
	if g.blocked[w]++; g.blocked[w] == 1 {
		g.active--
	}
	g.open()
	g.mu.Unlock()
	select {
	case <-at.decided:
		return at.refused
	case <-w.ctx.Done():
		return make([]bool, len(runs)) // nothing starts any more
	}
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
		if g.blocked[at.walk]--; g.blocked[at.walk] == 0 {
			delete(g.blocked, at.walk)
			g.active++
		}
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
