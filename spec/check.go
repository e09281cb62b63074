package spec

import (
	"maps"
	"slices"

	"github.com/agentblame/agentblame/pipeline"
)

// Check says what a case must look like. The zero Check accepts every case that
// is well-formed.
type Check struct {
	// Inputs are the pipeline's inputs: a case must have them and no others.
	// nil accepts any.
	Inputs []string
	// Steps are the steps by name, each with its needs: gold and recordings may
	// be of these only. nil accepts any.
	Steps map[string][]string
	// Expected are the parts of expected that the score reads, as paths: "" is
	// the whole, "days" its member. A case must have them.
	Expected []string
}

// CheckOf returns what a case must look like for a pipeline whose inputs are
// declared. A pipeline that is a Go function declares none; its cases may have
// any inputs, and recordings with any.
func CheckOf(p *pipeline.Pipeline) Check {
	c := Check{Inputs: p.Inputs, Steps: map[string][]string{}}
	for _, s := range p.Steps {
		c.Steps[s.Name] = s.Needs
	}
	return c
}

// goldNames are the names that a case's gold may have: steps and inputs.
func (c Check) goldNames() []string {
	names := slices.Sorted(maps.Keys(c.Steps))
	for _, in := range c.Inputs {
		if !slices.Contains(names, in) {
			names = append(names, in)
		}
	}
	return names
}
