package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/pipeline"
)

// A pin is the place of a recorded output.
type pin struct {
	step  int
	label string
}

// pinned is a recorded output. For its step, call, as-run variant and inputs it
// is the answer in every world, and nothing is run.
type pinned struct {
	out outcome
	// args is the tuple of the recorded inputs; with open set, those of the
	// factual replay, which sets it.
	args uint32
	open bool
}

// pinRecording reads the case's recording.
func (s *Session) pinRecording() error {
	for name, rec := range s.input.Case.Recording {
		step, label, named := strings.Cut(name, "#")
		if !named {
			label = "1"
		}
		i := slices.IndexFunc(s.engine.pipeline.Steps, func(sp *pipeline.Spec) bool { return sp.Name == step })
		if i < 0 {
			return fmt.Errorf("%q: there is no step %q (there are: %s)", name, step, strings.Join(s.engine.pipeline.StepNames(), ", "))
		}
		p := pinned{open: rec.Inputs == nil, out: outcome{pinned: true, draws: rec.Draws, cost: s.engine.specs[i].Impls[0].Cost}}
		if rec.Error != "" {
			p.out.value = s.values.InternError(&pipeline.RecordedError{Message: rec.Error, Data: rec.ErrorData})
		} else {
			v, err := s.values.InternDecoded(rec.Output, s.engine.specs[i].DecodeOut)
			if err != nil {
				return fmt.Errorf("output of %s: %w", name, err)
			}
			p.out.value = v
		}
		if rec.Inputs != nil {
			args, err := s.recordedArgs(s.engine.specs[i], rec.Inputs)
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			p.args = args
		}
		if s.pins == nil {
			s.pins = map[pin]pinned{}
		}
		s.pins[pin{i, label}] = p
	}
	return nil
}

// PinFactual pins what the factual replay did, in every world: where only its
// choices are known, a world's noise explains them, and nothing is learned from
// running them again. Recorded outputs are pinned in the factual world only
// unless this is called: a world of fresh noise knows nothing of the recording.
func (s *Session) PinFactual(factual *Trace) {
	s.pinWorlds = true
	for _, c := range factual.Calls {
		at := pin{c.Step, c.Label}
		if _, recorded := s.pins[at]; recorded || c.Variant != 0 {
			continue
		}
		if s.pins == nil {
			s.pins = map[pin]pinned{}
		}
		out := outcome{value: c.Output, cost: c.Cost, draws: c.Draws, pinned: true}
		s.pins[at] = pinned{out: out, args: s.tuple(c.Args)}
	}
}

// recordedArgs interns recorded inputs in the order of the step's needs. A step
// of a Go function has one nameless input, recorded under any one name.
func (s *Session) recordedArgs(spec *pipeline.Spec, inputs map[string]any) (uint32, error) {
	var ids []uint32
	add := func(v any) error {
		made, err := s.values.InternDecoded(v, spec.DecodeIn)
		if err == nil {
			ids = append(ids, made.ID)
		}
		return err
	}
	if spec.Whole {
		made, err := s.values.Intern(inputs)
		if err != nil {
			return 0, err
		}
		return made.ID, nil
	}
	if spec.Needs == nil && len(inputs) == 1 {
		for _, v := range inputs {
			if err := add(v); err != nil {
				return 0, err
			}
		}
		return s.values.Tuple(ids...), nil
	}
	if spec.Needs == nil {
		return 0, fmt.Errorf("the step has one input, but %d are recorded: %s", len(inputs), strings.Join(slices.Sorted(maps.Keys(inputs)), ", "))
	}
	for _, need := range spec.Needs {
		v, ok := inputs[need]
		if !ok {
			return 0, fmt.Errorf("the recorded inputs lack %q", need)
		}
		if err := add(v); err != nil {
			return 0, fmt.Errorf("input %s: %w", need, err)
		}
	}
	return s.values.Tuple(ids...), nil
}

// pinnedOutcome returns the recorded outcome for a run, if there is one. The
// caller holds the lock.
func (s *Session) pinnedOutcome(r request, args uint32) (outcome, bool) {
	if r.variant != 0 || s.pins == nil || r.world != 0 && !s.pinWorlds {
		return outcome{}, false
	}
	at := pin{r.step, r.name}
	p, ok := s.pins[at]
	if ok && p.open && r.factual {
		p.args, p.open = args, false
		s.pins[at] = p
	}
	if !ok || p.open || p.args != args {
		return outcome{}, false
	}
	return p.out, true
}
