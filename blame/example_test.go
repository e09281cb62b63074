package blame_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
)

// support answers questions from a policy: the planner says since when it must
// hold, the retriever finds it, the writer answers. Each has a better variant.
func support() *pipeline.Pipeline {
	type plan struct{ Since int }
	type policy struct {
		Year, Days int
		Superseded bool
	}
	policies := []policy{{2023, 90, true}, {2026, 30, false}}
	find := func(wanted func(policy) bool) policy {
		for _, p := range policies {
			if wanted(p) {
				return p
			}
		}
		return policy{}
	}
	planner := pipeline.NewStep("planner", func(context.Context, string) (plan, error) {
		return plan{}, nil
	}).Variant("dated", func(context.Context, string) (plan, error) {
		return plan{Since: 2026}, nil
	})
	retriever := pipeline.NewStep("retriever", func(_ context.Context, p plan) (policy, error) {
		return find(func(d policy) bool { return d.Year >= p.Since }), nil
	}).Variant("current", func(_ context.Context, p plan) (policy, error) {
		return find(func(d policy) bool { return d.Year >= p.Since && !d.Superseded }), nil
	})
	writer := pipeline.NewStep("writer", func(_ context.Context, p policy) (string, error) {
		return fmt.Sprintf("You have %d days.", p.Days), nil
	}).Variant("polite", func(_ context.Context, p policy) (string, error) {
		return fmt.Sprintf("You have %d days. Take care!", p.Days), nil
	})
	answer := func(ctx context.Context, question string) (string, error) {
		plan, err := planner.Do(ctx, question)
		if err != nil {
			return "", err
		}
		policy, err := retriever.Do(ctx, plan)
		if err != nil {
			return "", err
		}
		return writer.Do(ctx, policy)
	}
	score := func(_ context.Context, c pipeline.Case, answer string) (float64, error) {
		var days string
		if err := c.DecodeExpected(&days); err != nil {
			return 0, err
		}
		if strings.Contains(answer, days) {
			return 1, nil
		}
		return 0, nil
	}
	return pipeline.New("support", answer, score, planner, retriever, writer)
}

// One answer was wrong. Which step is to blame, and which fixes repair it?
func ExampleCase() {
	r, err := blame.Case(context.Background(), support(), pipeline.Case{
		ID:       "q1",
		Inputs:   map[string]any{"question": "How long do I have to return it?"},
		Expected: "30 days",
	}, blame.Options{})
	if err != nil {
		panic(err)
	}
	for _, v := range r.ShapleyExact {
		fmt.Println(v.Player, v.Value)
	}
	fmt.Println("repairs:", r.MinimalRepairs)
	fmt.Println("last touch:", r.LastTouch)
	fmt.Println("cost:", r.Cost, "instead of", r.CostUncached)
	// Output:
	// planner 1/2
	// retriever 1/2
	// writer 0
	// repairs: [[planner] [retriever]]
	// last touch: writer
	// cost: 7 instead of 24
}

// Many answers were wrong. Where does effort pay?
func ExampleBatch() {
	var cases []pipeline.Case
	for i, expected := range []string{"30 days", "90 days", "30 days", "14 days"} {
		cases = append(cases, pipeline.Case{
			ID:       fmt.Sprint("q", i+1),
			Inputs:   map[string]any{"question": "How long do I have to return it?"},
			Expected: expected,
		})
	}
	r, err := blame.Batch(context.Background(), support(), cases, blame.Options{})
	if err != nil {
		panic(err)
	}
	s := r.Summary
	fmt.Printf("%d cases: %d pass, %d fail, of which %d can be repaired\n", s.Cases, s.Passed, s.Failures, s.Repairable)
	for _, step := range r.Steps {
		fmt.Printf("%s: blame %.3f, its fix alone resolves %.0f %%\n", step.Name, step.Shapley.Mean, 100*step.Resolves)
	}
	// Output:
	// 4 cases: 1 pass, 3 fail, of which 2 can be repaired
	// planner: blame 0.333, its fix alone resolves 67 %
	// retriever: blame 0.333, its fix alone resolves 67 %
	// writer: blame 0.000, its fix alone resolves 0 %
}
