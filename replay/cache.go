package replay

import (
	"context"

	"github.com/agentblame/agentblame/pipeline"
)

// A request asks for one step run.
type request struct {
	step, variant int
	label         string
	args          []*pipeline.Value
	world         int
	factual       bool // its cost is the factual replay's
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

// An entry is a step run, finished or in flight.
type entry struct {
	finished bool
	// done is made by who waits; it is closed when the run ends, or makes its
	// first draw and so won't serve another world.
	done chan struct{}
	out  outcome
}

// get returns the outcome of a step run: from a recording, from the cache, from
// a run in flight, or by running it. It is the one function that decides whether
// a step runs. pay is asked before a run starts whether it may.
func (s *Session) get(ctx, values context.Context, r request, pay func(cost float64) error) outcome {
	k := s.keyOf(r)
	for {
		e, out, done, mine := s.claim(r, k)
		switch {
		case mine:
			if err := pay(s.engine.specs[r.step].Impls[r.variant].Cost); err != nil {
				return s.finish(r, k, e, outcome{unknown: err})
			}
			return s.finish(r, k, e, s.run(ctx, values, r, s.onDraw(r, k, e)))
		case done == nil:
			out.cached = true
			return out
		}
		select {
		case <-done:
		case <-ctx.Done():
			return outcome{unknown: context.Cause(ctx)}
		}
	}
}

// known reports whether a step run has an outcome already, or is in flight.
func (s *Session) known(r request) bool {
	k := s.keyOf(r)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lookup(k) != nil {
		return true
	}
	_, ok := s.pinnedOutcome(r, k.args)
	return ok
}

func (s *Session) keyOf(r request) key {
	return key{
		step: uint16(r.step), variant: uint16(r.variant),
		label: s.labelID(r.label), args: s.tuple(r.args), world: uint32(r.world) + 1,
	}
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
	return s.input.Values.Tuple(ids...)
}

// free returns the key of the same run when it draws nothing.
func (k key) free() key {
	k.label, k.world = 0, 0
	return k
}

// lookup returns the entry for a key, or a run in flight that may yet serve it.
// The caller holds the lock.
func (s *Session) lookup(k key) *entry {
	if e := s.entries[k]; e != nil {
		return e
	}
	return s.entries[k.free()]
}

// claim finds a step run: its outcome, or a channel to wait on before asking
// again, or an entry that the caller has to run and finish.
func (s *Session) claim(r request, k key) (e *entry, out outcome, wait <-chan struct{}, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.lookup(k); e != nil {
		if e.finished {
			return e, e.out, nil, false
		}
		if e.done == nil {
			e.done = make(chan struct{})
		}
		return e, outcome{}, e.done, false
	}
	if out, ok := s.pinnedOutcome(r, k.args); ok {
		e := &entry{finished: true, out: out}
		s.entries[k] = e
		return e, out, nil, false
	}
	e = &entry{}
	s.entries[k] = e
	if !s.engine.specs[r.step].Impls[r.variant].Opaque {
		// Until it draws, the run may turn out to serve every world.
		s.entries[k.free()] = e
	}
	return e, outcome{}, nil, true
}

// onDraw returns what to do when a run makes its first draw: it no longer
// serves other worlds and iterations, so who waits for that runs its own. When
// nothing takes long, waiting for the end is cheaper than being told.
func (s *Session) onDraw(r request, k key, e *entry) func() {
	if s.engine.specs[r.step].Impls[r.variant].Opaque || !s.engine.anyWaits() {
		return nil
	}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.entries[k.free()] != e {
			return
		}
		delete(s.entries, k.free())
		if e.done != nil {
			close(e.done)
			e.done = nil
		}
	}
}

// finish files the outcome of a run and wakes who waits for it. An unknown
// outcome stays in this session too: the same run isn't tried once more for
// every coalition that meets it.
func (s *Session) finish(r request, k key, e *entry, out outcome) outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.out, e.finished = out, true
	if r.factual {
		s.factual += out.cost
	} else {
		s.cost += out.cost
	}
	if s.entries[k.free()] == e {
		if out.value == nil || out.drew {
			delete(s.entries, k.free())
		} else {
			delete(s.entries, k) // the free key serves this world too
		}
	}
	if e.done != nil {
		close(e.done)
	}
	return out
}
