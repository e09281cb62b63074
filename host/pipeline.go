package host

import (
	"context"
	"fmt"

	"github.com/agentblame/agentblame/pipeline"
)

// Pipeline returns the host's pipeline. A host that only has steps, for pipelines
// that are declared elsewhere, and one without a score are errors. Other faults
// of the declaration are reported by [pipeline.Pipeline.Check].
func (h *Host) Pipeline() (*pipeline.Pipeline, error) {
	m := h.manifest
	if m.Kind == KindSteps {
		return nil, fmt.Errorf("%s has steps but no pipeline: declare one in agentblame.yaml, with hosts: and run: {host: …}", h.who)
	}
	score, err := h.Score(Impl{})
	if err != nil {
		return nil, err
	}
	name := m.Name
	if name == "" {
		name = "pipeline"
	}
	var steps []*pipeline.Spec
	for i := range m.Steps {
		steps = append(steps, h.spec(&m.Steps[i]))
	}
	var inputs []pipeline.Input
	for _, in := range m.Inputs {
		declared := pipeline.Input{Name: in.Name}
		for _, v := range in.Variants {
			declared.Variants = append(declared.Variants, h.impl(in.Name, v.Name, v, false, 0))
		}
		inputs = append(inputs, declared)
	}
	if m.Kind == KindGraph {
		return pipeline.Graph{Name: name, Inputs: inputs, Steps: steps, Score: score}.Pipeline(), nil
	}
	return h.programPipeline(name, inputs, steps, score), nil
}

// programPipeline makes the pipeline of a program.
func (h *Host) programPipeline(name string, inputs []pipeline.Input, steps []*pipeline.Spec, score pipeline.Score) *pipeline.Pipeline {
	p := &pipeline.Pipeline{Name: name, Score: score}
	prog := &program{host: h, byName: map[string]int{}}
	for _, in := range inputs {
		p.Inputs = append(p.Inputs, in.Name)
		if len(in.Variants) > 0 {
			pass := pipeline.Impl{Run: func(_ context.Context, args pipeline.Args) (any, error) { return args.At(0), nil }}
			prog.inputs = append(prog.inputs, len(p.Steps))
			p.Steps = append(p.Steps, &pipeline.Spec{Name: in.Name, Needs: []string{in.Name}, Input: true, Impls: append([]pipeline.Impl{pass}, in.Variants...)})
		}
	}
	for _, s := range steps {
		prog.byName[s.Name] = len(p.Steps)
		p.Steps = append(p.Steps, s)
	}
	prog.steps = p.Steps
	p.Program = prog
	return p
}
