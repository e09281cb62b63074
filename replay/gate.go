package replay

import (
	"cmp"
	"slices"
	"sync"
)

// A gate lets runs start in an order that doesn't depend on how fast others are
// or how many may go on at once. Walks ask for runs; when every walk waits, what
// they ask for is reserved in the order of their paths, and all go on.
type gate struct {
	session *Session
	mu      sync.Mutex
	active  int // walks that don't wait
	waiting []*waiter
	blocked map[*walk]int // how many calls of a walk wait
}

type waiter struct {
	walk    *walk
	path    string
	runs    []request
	refused []bool
	go_     chan struct{}
}

func newGate(s *Session) *gate { return &gate{session: s, blocked: map[*walk]int{}} }

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
// may not.
func (g *gate) wait(w *walk, runs []request) (refused []bool) {
	refused = make([]bool, len(runs))
	if !slices.ContainsFunc(runs, func(r request) bool { return !g.session.known(r) }) {
		return refused
	}
	at := &waiter{walk: w, path: w.path, runs: runs, refused: refused, go_: make(chan struct{})}
	g.mu.Lock()
	g.waiting = append(g.waiting, at)
	if g.blocked[w]++; g.blocked[w] == 1 {
		g.active--
	}
	g.open()
	g.mu.Unlock()
	select {
	case <-at.go_:
	case <-w.ctx.Done():
		// Everything ends; the runs will say so themselves.
	}
	return refused
}

// open reserves what all walks wait for and lets them go on, once none of them
// is active. The caller holds the lock.
func (g *gate) open() {
	if g.active > 0 || len(g.waiting) == 0 {
		return
	}
	slices.SortStableFunc(g.waiting, func(a, b *waiter) int { return cmp.Compare(a.path, b.path) })
	reserved := map[key]bool{} // whether it was granted
	for _, at := range g.waiting {
		for i, r := range at.runs {
			k := g.session.keyOf(r)
			granted, asked := reserved[k]
			if !asked {
				cost := g.session.engine.specs[r.step].Impls[r.variant].Cost
				granted = g.session.known(r) || g.session.engine.meter.reserve(cost)
				reserved[k] = granted
			}
			at.refused[i] = !granted
		}
	}
	for _, at := range g.waiting {
		if g.blocked[at.walk]--; g.blocked[at.walk] == 0 {
			delete(g.blocked, at.walk)
			g.active++
		}
		close(at.go_)
	}
	g.waiting = nil
}
