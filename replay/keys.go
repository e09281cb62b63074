package replay

import (
	"context"
	"sync"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
)

// keyed is a declared key that an output of a step had.
type keyed struct {
	step int
	key  uint32
}

// mergeByKey lets the first output of the step with an equal key stand for this
// one.
func (s *Session) mergeByKey(out *outcome, step int, spec *pipeline.Spec) error {
	what, err := spec.Key(out.value)
	if err != nil {
		return err
	}
	key, err := s.values.Intern(what)
	if err != nil {
		return err
	}
	at := keyed{step, key.ID}
	s.mu.Lock()
	defer s.mu.Unlock()
	first, known := s.keyed[at]
	switch {
	case !known:
		if s.keyed == nil {
			s.keyed = map[keyed]*pipeline.Value{}
		}
		s.keyed[at] = out.value
	case first != out.value:
		out.raw, out.value = out.value, first
		s.merged++
	}
	return nil
}

// MergedByKey returns how many outputs so far were taken as the same as another
// of an equal key.
func (s *Session) MergedByKey() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.merged
}

// ValueWithoutKeys is Value with every output taken as it is, whatever its key:
// what keys are checked against.
func (s *Session) ValueWithoutKeys(ctx context.Context, world int, c game.Coalition) (float64, error) {
	var running sync.WaitGroup
	defer running.Wait()
	w := &walk{session: s, ctx: ctx, world: world, fixed: c, raw: true, running: &running}
	return w.run()
}
