package replay

import (
	"context"
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
)

// slowChain is a function of four steps whose runs take a second each and, with
// their fixes, all give something else.
func slowChain(watch bool) *pipeline.Pipeline {
	sleep := func(ctx context.Context) error {
		if !watch {
			time.Sleep(time.Second)
			return nil
		}
		select {
		case <-time.After(time.Second):
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	var steps []*pipeline.Step[int, int]
	var given []pipeline.AnyStep
	for i := range 4 {
		add := func(d int) func(context.Context, int) (int, error) {
			return func(ctx context.Context, n int) (int, error) { return n + d<<i, sleep(ctx) }
		}
		s := pipeline.NewStep(string(rune('a'+i)), add(0)).Variant("fix", add(1))
		steps, given = append(steps, s), append(given, s)
	}
	return pipeline.New("slow", func(ctx context.Context, n int) (int, error) {
		for _, s := range steps {
			var err error
			if n, err = s.Do(ctx, n); err != nil {
				return 0, err
			}
		}
		return n, nil
	}, func(_ context.Context, _ pipeline.Case, n int) (float64, error) { return float64(n) / 16, nil }, given...)
}

// TestCancel ends explorations in the middle. In a bubble, goroutines that are
// left behind fail the test.
func TestCancel(t *testing.T) {
	for _, test := range []struct {
		name    string
		watch   bool
		options Options
		took    time.Duration // at most, after the cancellation
	}{
		{"steps that watch their context", true, Options{Concurrency: 8}, 0},
		{"steps that don't", false, Options{Concurrency: 8}, time.Second},
		{"one at a time", true, Options{Concurrency: 1}, 0},
		{"budget", true, Options{Concurrency: 8, Budget: 1000}, 0},
		{"few places", false, Options{Concurrency: 2, Budget: 1000}, time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			for after := time.Second / 2; after < 6*time.Second; after += time.Second {
				synctest.Test(t, func(t *testing.T) {
					s := begin(t, slowChain(test.watch), number(0), test.options)
					ctx, cancel := context.WithTimeout(t.Context(), after)
					defer cancel()
					start := time.Now()
					x, err := s.Explore(ctx, 0)
					if err != nil {
						t.Fatal(err)
					}
					if took := time.Since(start); took > after+test.took {
						t.Errorf("took %v after %v", took, after)
					}
					checkPartial(t, s, x, ctx.Err() != nil)
					checkResumes(t, s)
				})
			}
		})
	}
}

// checkPartial says whether what is known is right, and what isn't is explained.
func checkPartial(t *testing.T, s *Session, x *Exploration, cancelled bool) {
	t.Helper()
	unknown := 0
	for c := range coalitions(4) {
		switch v := x.Diagram.Value(c); {
		case math.IsNaN(v):
			unknown++
		case v != float64(c.Mask())/16:
			t.Errorf("value of %v is %v", c, v)
		}
	}
	if (unknown > 0) != cancelled || (len(x.Unknown) > 0) != cancelled {
		t.Errorf("%d values are unknown, for %q", unknown, x.Unknown)
	}
}

// checkResumes explores again: a run that was cancelled proves nothing.
func checkResumes(t *testing.T, s *Session) {
	t.Helper()
	x, err := s.Explore(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	checkPartial(t, s, x, false)
}

// TestCancelOneOfTwo ends one of two analyses that wait for the same run: the
// other goes on.
func TestCancelOneOfTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := begin(t, slowChain(true), number(0), Options{})
		first, cancel := context.WithTimeout(t.Context(), time.Second/2)
		defer cancel()
		ended := make(chan error)
		go func() {
			_, err := s.Value(first, 0, game.Coalition{})
			ended <- err
		}()
		synctest.Wait()
		go func() {
			v, err := s.Value(t.Context(), 0, game.Coalition{})
			if err != nil || v != 0 {
				t.Errorf("the other: %v, %v", v, err)
			}
			ended <- err
		}()
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the cancelled one: %v", err)
		}
		<-ended
	})
}

// TestNothingStartsAfterCancel counts the runs of an analysis that has ended
// before it began.
func TestNothingStartsAfterCancel(t *testing.T) {
	for _, budget := range []float64{0, 100} {
		ctx, cancel := context.WithCancelCause(t.Context())
		why := errors.New("the user said stop")
		cancel(why)
		s := begin(t, slowChain(true), number(0), Options{Budget: budget})
		if _, err := s.Value(ctx, 0, game.Coalition{}); !errors.Is(err, why) {
			t.Errorf("error %v", err)
		}
		if x, err := s.Explore(ctx, 0); err != nil || x.Complete() {
			t.Errorf("explored %v, %v", x, err)
		}
		if n := s.engine.Stats().Started.Load(); n != 0 {
			t.Errorf("%d runs started", n)
		}
	}
}
