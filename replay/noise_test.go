package replay

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// number is a case whose only input is a number.
func number(n int) pipeline.Case {
	return pipeline.Case{ID: "n", Inputs: map[string]any{"n": n}}
}

// TestSwapShiftsNoDraws runs steps that draw as often as their input and their
// variant say, in a function that calls them in turn: whatever fixes are in
// place, a call that gets the same input draws the same.
func TestSwapShiftsNoDraws(t *testing.T) {
	type out struct{ In, Draws int }
	rapid.Check(t, func(t *rapid.T) {
		seen := map[string]out{}
		draw := func(name string, extra int) func(context.Context, int) (int, error) {
			return func(ctx context.Context, in int) (int, error) {
				src := noise.From(ctx)
				for i := range extra {
					src.Float64("more" + string(rune('a'+i)))
				}
				return src.IntN("next", 3), nil
			}
		}
		var steps []*pipeline.Step[int, int]
		var given []pipeline.AnyStep
		for i := range rapid.IntRange(1, 4).Draw(t, "steps") {
			name := string(rune('a' + i))
			extra := rapid.IntRange(0, 3).Draw(t, "extra")
			s := pipeline.NewStep(name, draw(name, 0)).Variant("fix", draw(name, extra))
			steps, given = append(steps, s), append(given, s)
		}
		p := pipeline.New("p", func(ctx context.Context, n int) (int, error) {
			for range 2 {
				for _, s := range steps {
					var err error
					if n, err = s.Do(ctx, n); err != nil {
						return 0, err
					}
				}
			}
			return n, nil
		}, scoreThird, given...)
		s := begin(t, p, number(1), Options{Concurrency: 1})
		for c := range coalitions(len(steps)) {
			for _, call := range s.Run(t.Context(), 0, Fixes{Coalition: c}, false).Calls {
				at := string(rune('a'+call.Step)) + "#" + call.Label
				var got out
				if call.Args[0].Decode(&got.In) != nil || call.Output.Decode(&got.Draws) != nil {
					t.Fatalf("%s: %v", at, call.Output.JSON())
				}
				if was, met := seen[at]; met && was.Draws != got.Draws {
					t.Fatalf("under %v, %s drew %d, and %d before", c, at, got.Draws, was.Draws)
				}
				seen[at] = got
			}
		}
	})
}

// scoreThird scores a number below 3.
func scoreThird(_ context.Context, _ pipeline.Case, n int) (float64, error) {
	return float64(n) / 2, nil
}

// TestSharedRuns counts how often steps run that are called twice with the same
// input in each of three worlds.
func TestSharedRuns(t *testing.T) {
	tests := []struct {
		name   string
		run    func(ctx context.Context, in int) (int, error)
		opaque bool
		in     int
		want   int
	}{
		{"draws nothing", func(context.Context, int) (int, error) { return 1, nil }, false, 1, 1},
		{"draws", func(ctx context.Context, _ int) (int, error) { return noise.From(ctx).IntN("k", 3), nil }, false, 1, 6},
		{"draws on odd inputs, odd", drawOdd, false, 1, 6},
		{"draws on odd inputs, even", drawOdd, false, 2, 1},
		{"asks for its address only", func(ctx context.Context, _ int) (int, error) {
			noise.From(ctx).Address()
			return 1, nil
		}, false, 1, 1},
		{"may draw unseen", func(context.Context, int) (int, error) { return 1, nil }, true, 1, 6},
	}
	for _, concurrency := range []int{1, 4} {
		for _, test := range tests {
			t.Run(test.name, func(t *testing.T) {
				runs := 0
				step := pipeline.NewStep("s", func(ctx context.Context, in int) (int, error) {
					runs++
					return test.run(ctx, in)
				})
				p := pipeline.New("p", func(ctx context.Context, n int) (int, error) {
					if _, err := step.Do(ctx, n); err != nil {
						return 0, err
					}
					return step.Do(ctx, n)
				}, scoreThird, step)
				p.Steps[0].Impls[0].Opaque = test.opaque
				s := begin(t, p, number(test.in), Options{Concurrency: concurrency})
				for range 2 {
					s.AddWorld(noise.World{Seed: 1, Index: uint64(len(s.worlds))})
				}
				for world := range 3 {
					for range 2 {
						if _, err := s.Value(t.Context(), world, game.Coalition{}); err != nil {
							t.Fatal(err)
						}
					}
				}
				if runs != test.want {
					t.Errorf("ran %d times, want %d", runs, test.want)
				}
			})
		}
	}
}

func drawOdd(ctx context.Context, in int) (int, error) {
	if in%2 == 0 {
		return 1, nil
	}
	return noise.From(ctx).IntN("k", 3), nil
}

// TestInFlight asks for one step run in many replays at once: of one world, or
// of worlds of their own. Time is that of a bubble: it only passes while all
// goroutines wait.
func TestInFlight(t *testing.T) {
	const n = 20
	second := func(context.Context) { time.Sleep(time.Second) }
	draw := func(ctx context.Context) { noise.From(ctx).Float64("k") }
	tests := []struct {
		name   string
		parts  []func(context.Context) // what the step does
		worlds bool                    // each replay in a world of its own
		runs   int
		took   time.Duration
	}{
		{"one world, no draw", []func(context.Context){second}, false, 1, time.Second},
		{"one world, draws", []func(context.Context){draw, second}, false, 1, time.Second},
		{"worlds, no draw", []func(context.Context){second}, true, 1, time.Second},
		{"worlds, draws first", []func(context.Context){draw, second}, true, n, time.Second},
		// The others wait to see whether the first draws. Then they know.
		{"worlds, draws late", []func(context.Context){second, draw, second}, true, n, 3 * time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var runs counter
				step := pipeline.NewStep("s", func(ctx context.Context, in int) (int, error) {
					runs.add("s")
					for _, part := range test.parts {
						part(ctx)
					}
					return 1, nil
				})
				p := pipeline.New("p", step.Do, scoreThird, step)
				s := begin(t, p, number(1), Options{Concurrency: n})
				start := time.Now()
				done := make(chan error)
				for i := range n {
					world := 0
					if test.worlds {
						world = s.AddWorld(noise.World{Seed: 1, Index: uint64(i)})
					}
					go func() {
						_, err := s.Value(t.Context(), world, game.Coalition{})
						done <- err
					}()
				}
				for range n {
					if err := <-done; err != nil {
						t.Error(err)
					}
				}
				if got := runs.take()["s"]; got != test.runs {
					t.Errorf("ran %d times, want %d", got, test.runs)
				}
				if took := time.Since(start); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
			})
		})
	}
}
