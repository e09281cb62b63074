package replay

import (
	"context"

	"github.com/agentblame/agentblame/pipeline"
)

// A request asks for one step run.
type request struct {
	made
	name    string // the call's label
	inputs  []*pipeline.Value
	variant int
	world   int
	factual bool // its cost is the factual replay's
	ahead   bool // no replay has asked for it yet
}

// A key identifies a step run in a session: equal keys run once. A run that
// drew no noise is kept under a key with neither world nor label, and so is
// shared by all worlds and iterations.
type key struct {
	step, variant uint16
	label         uint32
	args          uint32
	world         uint32 // from 1; 0 for a run that drew nothing
}

// free returns the key of the same run when it draws nothing.
func (k key) free() key {
	k.label, k.world = 0, 0
	return k
}

// An entry is a step run, finished or in flight.
type entry struct {
	finished bool
	free     bool // it is kept under its free key
	used     bool // a replay has asked for it, so its cost counts
	drawn    bool // it drew noise: it serves its own world and call only
	// done is made by who waits; it is closed when the run ends, or makes its
	// first draw and so won't serve another world.
	done chan struct{}
	out  outcome
}

// get returns the outcome of a step run: from a recording, from the cache, from
// a run in flight, or by running it. It is the one function that decides whether
// a step runs.
func (s *Session) get(w *walk, values context.Context, r request) (out *outcome, cached bool) {
	k := s.keyOf(r)
	for {
		e, wait, mine := s.claim(r, k)
		switch {
		case mine:
			return s.finish(w.ctx, r, k, e, s.start(w, values, r, s.onDraw(r, k, e))), false
		case wait == nil:
			return &e.out, true
		}
		select {
		case <-wait:
		case <-w.ctx.Done():
			return &outcome{unknown: context.Cause(w.ctx)}, false
		}
	}
}

// start runs a step, unless the analysis has ended or can't pay for it.
func (s *Session) start(w *walk, values context.Context, r request, onDraw func()) outcome {
	if w.ctx.Err() != nil {
		return outcome{unknown: context.Cause(w.ctx)}
	}
	if err := w.pay(s.engine.specs[r.step].Impls[r.variant].Cost); err != nil {
		return outcome{unknown: err}
	}
	return s.run(w.ctx, values, r, onDraw)
}

// known reports whether a step run has an outcome already, or is in flight.
func (s *Session) known(r request) bool {
	k := s.keyOf(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	e, _ := s.lookup(r, k)
	return e != nil
}

func (s *Session) keyOf(r request) key {
	return key{step: uint16(r.step), variant: uint16(r.variant), label: r.label, args: r.args, world: uint32(r.world) + 1}
}

func (s *Session) tuple(args []*pipeline.Value) uint32 {
	if len(args) == 1 {
		return args[0].ID
	}
	var buf [16]uint32
	ids := buf[:0]
	for _, a := range args {
		ids = append(ids, a.ID)
	}
	return s.values.Tuple(ids...)
}

// lookup returns the entry for a request: its own, a recorded one, or one that
// serves all worlds and calls, or may yet. If there is none, drawn says that
// another run with these inputs drew. The caller holds the lock.
func (s *Session) lookup(r request, k key) (e *entry, drawn bool) {
	if e := s.own[k]; e != nil {
		return e, false
	}
	if len(s.pins) > 0 {
		if out, ok := s.pinnedOutcome(r, k.args); ok {
			e := &entry{finished: true, used: true, out: out}
			s.own[k] = e
			return e, false
		}
	}
	e = s.shared[k.free()]
	if e != nil && e.drawn {
		return nil, true
	}
	return e, false
}

// claim finds a step run: its entry if it is finished, or with a channel to wait
// on before asking again, or one that the caller has to run and finish.
func (s *Session) claim(r request, k key) (e *entry, wait <-chan struct{}, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, drawn := s.lookup(r, k)
	if e != nil {
		if e.finished {
			s.use(e, r)
			return e, nil, false
		}
		if e.done == nil {
			e.done = make(chan struct{})
		}
		return e, e.done, false
	}
	e = s.newEntry()
	if drawn || s.opaque(r) {
		s.own[k] = e
	} else {
		// Until it draws, the run may turn out to serve every world. Once it has,
		// it stands for that others with its inputs will draw too.
		e.free = true
		s.shared[k.free()] = e
	}
	return e, nil, true
}

// newEntry returns an entry. They are made several at once, as most cases need
// many. The caller holds the lock.
func (s *Session) newEntry() *entry {
	if len(s.blank) == 0 {
		s.blank = make([]entry, 16)
	}
	e := &s.blank[0]
	s.blank = s.blank[1:]
	return e
}

func (s *Session) opaque(r request) bool { return s.engine.specs[r.step].Impls[r.variant].Opaque }

// use counts the cost of a finished run when the first replay asks for it: what
// was started ahead and turned out needless is no cost of the analysis. The
// caller holds the lock.
func (s *Session) use(e *entry, r request) {
	if r.ahead || e.used {
		return
	}
	e.used = true
	if r.factual {
		s.factual.add(e.out.cost)
	} else {
		s.cost.add(e.out.cost)
	}
}

// onDraw returns what to do when a run makes its first draw: it no longer
// serves other worlds and iterations, so who waits for that runs its own. When
// nothing takes long, waiting for the end is cheaper than being told.
func (s *Session) onDraw(r request, k key, e *entry) func() {
	if s.opaque(r) || !s.engine.anyWaits() {
		return nil
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if e.free && !e.drawn {
			s.own[k], e.drawn = e, true
			e.wake()
		}
	}
}

// wake tells who waits for the entry to ask again.
func (e *entry) wake() {
	if e.done != nil {
		close(e.done)
		e.done = nil
	}
}

// finish files the outcome of a run and wakes who waits for it. An unknown
// outcome stays too: the same run isn't tried once more for every coalition that
// meets it. But a run that was cancelled proves nothing, and another analysis
// may be waiting for it.
func (s *Session) finish(ctx context.Context, r request, k key, e *entry, out outcome) *outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.out, e.finished = out, true
	s.use(e, r)
	if out.drew && e.free {
		s.own[k], e.drawn = e, true
	}
	if out.value == nil && e.free {
		e.free = false
		delete(s.shared, k.free())
		s.own[k] = e
	}
	if out.unknown != nil && ctx.Err() != nil {
		delete(s.own, k)
	}
	e.wake()
	return &e.out
}
