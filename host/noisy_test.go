//go:build unix

package host

import (
	"context"
	"encoding/json"
	"strconv"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/google/go-cmp/cmp"
)

// fakeNoise is the noise of a request.
type fakeNoise struct {
	Seed, World, Iteration string
	Observed               []noise.Draw
}

// source returns the source that the address is of.
func (n *fakeNoise) source(step string) *noise.Source {
	seed, err := strconv.ParseUint(n.Seed, 10, 64)
	if err != nil {
		panic(err)
	}
	index, err := strconv.ParseUint(n.World, 10, 64)
	if err != nil {
		panic(err)
	}
	var known []noise.Observed
	for _, d := range n.Observed {
		known = append(known, noise.Observed{Step: step, Call: n.Iteration, Draw: d})
	}
	posterior, err := noise.NewPosterior(known...)
	if err != nil {
		panic(err)
	}
	world := noise.World{Seed: seed, Index: index}
	if known != nil {
		world = world.Given(posterior)
	}
	return world.Source(step, n.Iteration)
}

// noisyStep is a step that draws: whether it goes well.
func noisyStep(step, variant string, s *noise.Source) (out, draws []byte) {
	s.Record()
	out, err := json.Marshal(noisyDraw(step, variant, s))
	if err != nil {
		panic(err)
	}
	if draws, err = json.Marshal(s.Draws()); err != nil {
		panic(err)
	}
	return out, draws
}

func noisyDraw(step, variant string, s *noise.Source) string {
	logits := map[string]float64{"good": 0.5, "bad": 1}
	if variant != "" {
		logits["good"] = 2
	}
	if step == "b" {
		logits["ugly"] = 0
	}
	out := s.Categorical("which", logits)
	if s.Bool("again", 0.5) {
		out += "!"
	}
	return out
}

// noisyPipeline is the fake host's pipeline in this process.
func noisyPipeline() *pipeline.Pipeline {
	impl := func(step, variant string, cost float64) pipeline.Impl {
		return pipeline.Impl{Name: variant, Cost: cost, Retries: 2, Run: func(ctx context.Context, _ pipeline.Args) (any, error) {
			pipeline.Charge(ctx, 0.5)
			return noisyDraw(step, variant, noise.From(ctx)), nil
		}}
	}
	return pipeline.Graph{
		Name: "fake", Inputs: []pipeline.Input{{Name: "q"}},
		Steps: []*pipeline.Spec{
			{Name: "a", Needs: []string{"q"}, Impls: []pipeline.Impl{impl("a", "", 1), impl("a", "fix", 2)}},
			{Name: "b", Needs: []string{"a"}, Impls: []pipeline.Impl{impl("b", "", 1), impl("b", "fix", 1)}},
		},
		Score: pipeline.Score{Needs: []string{"b"}, Impl: pipeline.Impl{Run: func(_ context.Context, args pipeline.Args) (any, error) {
			if args.At(0).JSON() == `"good"` {
				return 1.0, nil
			}
			return 0.0, nil
		}}},
	}.Pipeline()
}

// Steps that draw give the same numbers here and there, in all modes: what they
// drew comes back to the engine, and what is known of it goes to them.
func TestNoiseGoesBothWays(t *testing.T) {
	var cases []pipeline.Case
	for i := range 20 {
		cases = append(cases, pipeline.Case{ID: strconv.Itoa(i), Inputs: map[string]any{"q": i % 3}, Expected: "good"})
	}
	for _, mode := range []blame.Mode{"recorded", "posterior", "prior"} {
		t.Run(string(mode), func(t *testing.T) {
			h, _ := open(t, "noisy")
			o := blame.Options{Mode: mode, Worlds: 5, Seed: 3, NoStories: true}
			got := analyse(t, h, cases, o)
			want, err := blame.Batch(t.Context(), noisyPipeline(), cases, o)
			if err != nil {
				t.Fatal(err)
			}
			if want.Summary.Failures < 5 || want.Summary.Failures > 19 {
				t.Fatalf("the test tests nothing: %+v", want.Summary)
			}
			if diff := cmp.Diff(text(t, want), text(t, got)); diff != "" {
				t.Errorf("another result (-here +there):\n%s", diff)
			}
		})
	}
}
