package replay

import (
	"context"
	"testing"
	"time"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

type userKey string

// TestStepContext looks at the context that a step is given: the caller's
// values, but the analysis' end.
func TestStepContext(t *testing.T) {
	analysis, cancel := context.WithTimeout(context.WithValue(t.Context(), userKey("analysis"), "a"), time.Hour)
	defer cancel()
	end, _ := analysis.Deadline()
	step := pipeline.NewStep("s", func(ctx context.Context, n int) (int, error) {
		if ctx.Value(userKey("analysis")) != "a" || ctx.Value(userKey("function")) != "f" {
			t.Errorf("values %v and %v", ctx.Value(userKey("analysis")), ctx.Value(userKey("function")))
		}
		if c := pipeline.CaseOf(ctx); c == nil || c.ID != "n" {
			t.Errorf("case %v", c)
		}
		if w, s, call := noise.From(ctx).Address(); w.Seed != 42 || s != "s" || call != "1" {
			t.Errorf("noise of %v, %s#%s", w, s, call)
		}
		if at, ok := ctx.Deadline(); !ok || !at.Equal(end) {
			t.Errorf("ends at %v, want %v", at, end)
		}
		if ctx.Err() != nil {
			t.Errorf("the function's own cancellation reached the step: %v", ctx.Err())
		}
		inner, cancel := context.WithCancel(ctx)
		cancel()
		if inner.Err() == nil || ctx.Err() != nil {
			t.Errorf("a context made of it ends with %v, and it itself with %v", inner.Err(), ctx.Err())
		}
		return n, nil
	})
	p := pipeline.New("p", func(ctx context.Context, n int) (int, error) {
		// The step's output may serve other replays than this one, which ends
		// what it has begun here.
		ctx, cancel := context.WithCancel(context.WithValue(ctx, userKey("function"), "f"))
		cancel()
		return step.Do(ctx, n)
	}, scoreThird, step)
	seed := uint64(42)
	c := number(1)
	c.Seed = &seed
	s := begin(t, p, c, Options{})
	if got := s.Run(analysis, 0, Fixes{}, true); got.Err != nil || got.Score != 0.5 {
		t.Errorf("score %v, error %v", got.Score, got.Err)
	}
}

// TestCharge adds to the declared cost of a run.
func TestCharge(t *testing.T) {
	step := pipeline.NewStep("s", func(ctx context.Context, n int) (int, error) {
		pipeline.Charge(ctx, 0.25)
		pipeline.Charge(ctx, 0.5)
		return n, nil
	}, pipeline.Cost(2)).Variant("fix", func(ctx context.Context, n int) (int, error) {
		pipeline.Charge(ctx, 3)
		return n + 1, nil
	})
	score := func(ctx context.Context, c pipeline.Case, n int) (float64, error) {
		pipeline.Charge(ctx, 0.125)
		return scoreThird(ctx, c, n)
	}
	p := pipeline.New("p", step.Do, score, step)
	s := begin(t, p, number(1), Options{})
	factual := s.Run(t.Context(), 0, Fixes{}, true)
	if got := s.FactualCost(); got != 2.875 || factual.Calls[0].Cost != 2.75 {
		t.Errorf("factual cost %v, of which the step %v", got, factual.Calls[0].Cost)
	}
	x, err := s.Explore(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Cost(); got != 5.125 || s.engine.Spent() != 5.125 {
		t.Errorf("cost %v, spent %v; want 5.125", got, s.engine.Spent())
	}
	if got := x.Diagram.Cost(game.Of(0)); got != 5.125 {
		t.Errorf("cost of a replay with the fix: %v", got)
	}
	if x.CostUncached != 8 {
		t.Errorf("uncached cost %v", x.CostUncached)
	}
}
