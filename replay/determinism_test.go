package replay

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
)

// flip is a pipeline whose function makes the calls that next says, by how often
// it has been run.
func flip(next func(run int, ctx context.Context, a, b *pipeline.Step[int, int]) (int, error)) *pipeline.Pipeline {
	plus := func(d int) func(context.Context, int) (int, error) {
		return func(_ context.Context, n int) (int, error) { return n + d, nil }
	}
	a := pipeline.NewStep("a", plus(1)).Variant("fix", plus(2))
	b := pipeline.NewStep("b", plus(3)).Variant("fix", plus(4))
	var runs atomic.Int32
	return pipeline.New("flip", func(ctx context.Context, n int) (int, error) {
		return next(int(runs.Add(1)), ctx, a, b)
	}, func(context.Context, pipeline.Case, int) (float64, error) { return 0, nil }, a, b)
}

func TestNotDeterministic(t *testing.T) {
	tests := []struct {
		name string
		next func(run int, ctx context.Context, a, b *pipeline.Step[int, int]) (int, error)
		want []string
	}{
		{"another step", func(run int, ctx context.Context, a, b *pipeline.Step[int, int]) (int, error) {
			if run == 1 {
				return a.Do(ctx, 1)
			}
			return b.Do(ctx, 1)
		}, []string{"call 1 was first a#1, then b#1 with [1]"}},
		{"other inputs", func(run int, ctx context.Context, a, b *pipeline.Step[int, int]) (int, error) {
			if _, err := a.Do(ctx, 1); err != nil {
				return 0, err
			}
			return b.Do(ctx, run)
		}, []string{"call 2 was first b#1, then with other inputs: b#1 with [2]"}},
		{"fewer calls", func(run int, ctx context.Context, a, b *pipeline.Step[int, int]) (int, error) {
			n, err := a.Do(ctx, 1)
			if err != nil || run > 1 {
				return 0, err
			}
			return b.Do(ctx, n)
		}, []string{"call 2 was first b#1, then the function ended"}},
		{"another name", func(run int, ctx context.Context, a, b *pipeline.Step[int, int]) (int, error) {
			return a.At(strings.Repeat("x", run)).Do(ctx, 1)
		}, []string{"call 1 was first a#x, then a#xx with [1]"}},
		{"in a fork", func(run int, ctx context.Context, a, b *pipeline.Step[int, int]) (int, error) {
			// The factual run and the as-run walk agree; the walk with b's fix
			// doesn't call a.
			if run < 3 {
				if _, err := a.Do(ctx, 1); err != nil {
					return 0, err
				}
			}
			return b.Do(ctx, 7)
		}, []string{"call 1 was first a#1"}},
		{"in a fork, the call itself", func(run int, ctx context.Context, a, b *pipeline.Step[int, int]) (int, error) {
			if run < 3 {
				return a.Do(ctx, 1)
			}
			return b.Do(ctx, 1)
		}, []string{"call 1 was first a#1, then b#1 with [1]"}},
		{"hidden behind errors", func(run int, ctx context.Context, a, b *pipeline.Step[int, int]) (int, error) {
			if run > 1 {
				return 0, errors.New("not today")
			}
			return a.Do(ctx, 1)
		}, []string{"call 1 was first a#1, then the function ended"}},
	}
	for _, test := range tests {
		for _, o := range []Options{{Concurrency: 1}, {Concurrency: 4}, {Concurrency: 4, Budget: 100}, {Concurrency: 4, Calls: true}} {
			t.Run(test.name, func(t *testing.T) {
				s := begin(t, flip(test.next), number(1), o)
				if got := s.Run(t.Context(), 0, Fixes{}, true); got.Err != nil {
					t.Fatal(got.Err)
				}
				_, err := s.Explore(t.Context(), 0)
				var wrong *NotDeterministicError
				if !errors.As(err, &wrong) {
					t.Fatalf("error %v", err)
				}
				for _, want := range test.want {
					if !strings.Contains(wrong.Message, want) {
						t.Errorf("error %q doesn't say %q", wrong.Message, want)
					}
				}
			})
		}
	}
}

// TestEndless runs functions that never end by themselves.
func TestEndless(t *testing.T) {
	tests := []struct {
		name string
		next func(run int, ctx context.Context, a, b *pipeline.Step[int, int]) (int, error)
	}{
		{"calls without end", func(_ int, ctx context.Context, a, _ *pipeline.Step[int, int]) (int, error) {
			n := 0
			for {
				var err error
				if n, err = a.Do(ctx, n); err != nil {
					return 0, err
				}
			}
		}},
		{"tries again on any error", func(_ int, ctx context.Context, a, _ *pipeline.Step[int, int]) (int, error) {
			for {
				a.Do(ctx, 1)
			}
		}},
		{"tries again in a goroutine", func(_ int, ctx context.Context, a, _ *pipeline.Step[int, int]) (int, error) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				for {
					a.Do(ctx, 1)
				}
			}()
			<-done
			return 0, nil
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := begin(t, flip(test.next), number(1), Options{MaxCalls: 50})
			got := s.Run(t.Context(), 0, Fixes{}, true)
			if got.Err != nil || got.Score != 0 {
				t.Errorf("score %v, error %v", got.Score, got.Err)
			}
			if len(got.Failures) != 1 || !strings.Contains(got.Failures[0].Message, "more than 50 step calls") {
				t.Errorf("failures %+v", got.Failures)
			}
			if v, err := s.Value(t.Context(), 0, game.Of(0)); err != nil || v != 0 {
				t.Errorf("value with the fix: %v, %v", v, err)
			}
		})
	}
}

// TestFaults uses pipelines wrongly in ways that only show when they run.
func TestFaults(t *testing.T) {
	// A slow step says when it has been called, and waits.
	called, answer := make(chan struct{}, 8), make(chan struct{})
	slow := pipeline.NewStep("slow", func(_ context.Context, n int) (int, error) {
		called <- struct{}{}
		<-answer
		return n, nil
	})
	stranger := pipeline.NewStep("stranger", func(_ context.Context, n int) (int, error) { return n, nil })
	nested := pipeline.NewStep("nested", func(ctx context.Context, n int) (int, error) {
		slow.Do(ctx, n)
		return n, nil
	})
	tests := []struct {
		name string
		run  func(ctx context.Context, n int) (int, error)
		want string
	}{
		{"a step that wasn't given", func(ctx context.Context, _ int) (int, error) {
			stranger.Do(ctx, 1)
			return 0, nil
		}, "step stranger was called, but it is not among the steps given to New for pipeline p: slow, nested"},
		{"no end of it", func(ctx context.Context, _ int) (int, error) {
			for {
				stranger.Do(ctx, 1)
			}
		}, "step stranger was called"},
		{"a step inside another", func(ctx context.Context, _ int) (int, error) {
			return nested.Do(ctx, 1)
		}, "step slow was called from inside another step's run"},
		{"two calls at once", func(ctx context.Context, _ int) (int, error) {
			done := make(chan struct{})
			go func() {
				defer close(done)
				slow.Do(ctx, 1)
			}()
			<-called
			slow.Do(ctx, 2)
			answer <- struct{}{}
			<-done
			return 0, nil
		}, "step slow was called twice at once: name such calls with At"},
		{"returns before its calls do", func(ctx context.Context, _ int) (int, error) {
			go slow.Do(ctx, 3)
			<-called
			return 0, nil
		}, "returned while a call of step slow was in progress"},
		{"returns before its named calls do", func(ctx context.Context, _ int) (int, error) {
			go slow.At("x").Do(ctx, 4)
			<-called
			return 0, nil
		}, "returned while a call of step slow#x was in progress"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := pipeline.New("p", test.run, scoreThird, slow, nested)
			s := begin(t, p, number(1), Options{})
			got := s.Run(t.Context(), 0, Fixes{}, true)
			var fault *pipeline.FaultError
			if !errors.As(got.Err, &fault) || !strings.Contains(got.Err.Error(), test.want) {
				t.Errorf("error %v, want %q", got.Err, test.want)
			}
		})
	}
	close(answer)
}

// TestAtOnce knows a function that makes calls on goroutines of its own, though
// they never overlap.
func TestAtOnce(t *testing.T) {
	tests := map[string]struct {
		next func(run int, ctx context.Context, a, b *pipeline.Step[int, int]) (int, error)
		want bool
	}{
		"in turn": {func(_ int, ctx context.Context, a, b *pipeline.Step[int, int]) (int, error) {
			n, err := a.Do(ctx, 1)
			if err != nil {
				return 0, err
			}
			return b.Do(ctx, n)
		}, false},
		"in turn, on goroutines": {func(_ int, ctx context.Context, a, b *pipeline.Step[int, int]) (int, error) {
			for _, s := range []*pipeline.Step[int, int]{a, b} {
				done := make(chan error)
				go func() {
					_, err := s.Do(ctx, 1)
					done <- err
				}()
				if err := <-done; err != nil {
					return 0, err
				}
			}
			return 0, nil
		}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := begin(t, flip(test.next), number(1), Options{Concurrency: 1})
			if got := s.Run(t.Context(), 0, Fixes{}, true); got.Err != nil || got.AtOnce != test.want {
				t.Errorf("at once %v, error %v", got.AtOnce, got.Err)
			}
		})
	}
}
