package blame

import (
	"context"

	"github.com/agentblame/agentblame/replay"
)

// A VariantResult says what one variant of a step does, tried alone.
type VariantResult struct {
	Name string `json:"name"`
	// Tried says that it is the fix that the analysis tried.
	Tried bool `json:"tried,omitempty"`
	// Best says that it changes the share of passing cases the most for the
	// better, as far as was measured.
	Best bool `json:"best,omitempty"`
	// FixAlone is the mean gain, Resolves the share of the analysed failures
	// that pass with it alone.
	FixAlone float64 `json:"fix_alone"`
	Resolves float64 `json:"resolves"`
	// Breaks is the share of passing cases that fail with it; Net what it changes
	// in the share of all cases that pass.
	Breaks *Rate    `json:"breaks,omitempty"`
	Net    *float64 `json:"net,omitempty"`
}

// tryVariants replays a failing case with each further variant of each step
// alone, where a step has several.
func (a *analysis) tryVariants(ctx context.Context, s *replay.Session, r *CaseResult, worlds []int) error {
	for i, step := range a.engine.Pipeline().Steps {
		if len(step.Impls) < 3 || a.options.Calls {
			continue
		}
		for k := 1; k < len(step.Impls); k++ {
			name := step.Impls[k].Name
			if name == a.engine.FixOf(i) {
				continue
			}
			t := tried{step: step.Name, variant: name}
			for _, w := range worlds {
				trace := s.Run(ctx, w, replay.Fixes{Variants: map[int]int{i: k}}, false)
				if trace.Err != nil {
					return trace.Err
				}
				share := 1 / float64(len(worlds))
				asRun, err := s.Value(ctx, w, replay.Fixes{}.Coalition)
				if err != nil {
					return err
				}
				t.gain += share * (trace.Score - asRun)
				if trace.Score >= a.options.Pass {
					t.resolves += share
				}
			}
			r.tried = append(r.tried, t)
		}
	}
	return nil
}

// tried is what a further variant did for a case.
type tried struct {
	step, variant  string
	gain, resolves float64
}

// stepOf returns the index in the pipeline of the i-th step with a fix.
func (b *batch) stepOf(i int) int {
	for at := range b.engine.Pipeline().Steps {
		if b.engine.FixOf(at) != "" {
			if i == 0 {
				return at
			}
			i--
		}
	}
	return -1
}

// variant is a replay with one variant of the i-th step with a fix.
func (b *batch) variant(i int, name string) replay.Fixes {
	at := b.stepOf(i)
	return replay.Fixes{Variants: map[int]int{at: b.engine.Pipeline().Steps[at].Fix(name)}}
}

// pickVariant marks the variant that helps most: by what it changes over all
// cases where harm was measured, else by what it resolves. A tie goes to the
// one that was tried, then to the first.
func (s *StepResult) pickVariant() {
	if len(s.Variants) == 0 {
		return
	}
	value := func(v VariantResult) float64 {
		if v.Net != nil {
			return *v.Net
		}
		return v.Resolves
	}
	best := 0
	for k, v := range s.Variants {
		if d := value(v) - value(s.Variants[best]); d > 1e-12 || d > -1e-12 && v.Tried && !s.Variants[best].Tried {
			best = k
		}
	}
	for k := range s.Variants {
		s.Variants[k].Best = k == best
	}
}
