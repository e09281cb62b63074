package pipeline

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
)

// A Pipeline is a program, its steps and its score: what an analysis takes.
// [New] makes one of a Go function, [Graph.Pipeline] one of declared wiring.
type Pipeline struct {
	// Name names the pipeline in reports.
	Name string
	// Steps are the steps in the order of reports; those with variants are the
	// players. An input with variants is among them.
	Steps []*Spec
	// Program runs the pipeline.
	Program Program
	// Score is the metric.
	Score Score
	// Inputs names the inputs where they are declared; nil where they aren't.
	Inputs []string

	faults []string
}

// scoreName is what the score is called where steps are named.
const scoreName = "score"

func (p *Pipeline) fault(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// Check returns one error that lists all that is wrong with the declaration, or
// nil.
func (p *Pipeline) Check() error {
	faults := slices.Clone(p.faults)
	seen := map[string]bool{}
	for _, s := range p.Steps {
		switch {
		case s.Name == "":
			faults = append(faults, "a step has no name")
		case strings.ContainsAny(s.Name, "#\x00\n"):
			faults = append(faults, fmt.Sprintf("step %q: a name must not contain '#' or a line break", s.Name))
		case s.Name == scoreName:
			faults = append(faults, fmt.Sprintf("a step must not be named %q: that is what the score is called, and it would share the step's noise", s.Name))
		case seen[s.Name]:
			faults = append(faults, fmt.Sprintf("two steps are named %q", s.Name))
		}
		seen[s.Name] = true
		faults = append(faults, s.faults()...)
	}
	if p.Score.Run == nil {
		faults = append(faults, "there is no score")
	}
	if len(p.Steps) == 0 {
		faults = append(faults, "there are no steps")
	}
	if len(faults) == 0 {
		return nil
	}
	name := p.Name
	if name == "" {
		name = "(unnamed)"
	}
	if len(faults) == 1 {
		return fmt.Errorf("pipeline %s: %s", name, faults[0])
	}
	return fmt.Errorf("pipeline %s has %d faults:\n  %s", name, len(faults), strings.Join(faults, "\n  "))
}

func (s *Spec) faults() []string {
	var out []string
	variants := map[string]bool{}
	for i, impl := range s.Impls {
		what := "step " + s.Name
		if i > 0 {
			what += ", variant " + impl.Name
			if impl.Name == "" {
				out = append(out, fmt.Sprintf("step %s: variant %d has no name", s.Name, i))
			} else if variants[impl.Name] {
				out = append(out, fmt.Sprintf("step %s: two variants are named %q", s.Name, impl.Name))
			}
			variants[impl.Name] = true
		}
		if impl.Run == nil {
			out = append(out, what+": there is nothing to run")
		}
		if !(impl.Cost >= 0) || impl.Cost > 1e300 {
			out = append(out, fmt.Sprintf("%s: the cost is %v; it must be a number from 0 up", what, impl.Cost))
		}
	}
	if len(s.Impls) == 0 {
		out = append(out, "step "+s.Name+": there is nothing to run")
	}
	return out
}

// StepNames returns the names of the steps in order.
func (p *Pipeline) StepNames() []string {
	names := make([]string, len(p.Steps))
	for i, s := range p.Steps {
		names[i] = s.Name
	}
	return names
}

// PanicError describes a panic in user code: what it said, and the line of user
// code it came from. Call it in the deferred function that recovered the panic.
func PanicError(what string, recovered any) error {
	at := ""
	pcs := make([]uintptr, 32)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if f.Function != "" && !strings.HasPrefix(f.Function, "runtime.") {
			at = fmt.Sprintf(" (in %s, line %d)", f.Function, f.Line)
			break
		}
		if !more {
			break
		}
	}
	return fmt.Errorf("%s panicked: %v%s", what, recovered, at)
}
