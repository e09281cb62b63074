package replay_test

import (
	"context"
	"fmt"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
)

// A case is run as it was, and then under all coalitions at once. No step runs
// twice on the same input.
func Example() {
	double := pipeline.NewStep("double", func(_ context.Context, n int) (int, error) {
		return 2 * n, nil
	}).Variant("triple", func(_ context.Context, n int) (int, error) { return 3 * n, nil })
	increment := pipeline.NewStep("increment", func(_ context.Context, n int) (int, error) {
		return n + 1, nil
	}).Variant("by two", func(_ context.Context, n int) (int, error) { return n + 2, nil })
	p := pipeline.New("arithmetic", func(ctx context.Context, n int) (int, error) {
		n, err := double.Do(ctx, n)
		if err != nil {
			return 0, err
		}
		return increment.Do(ctx, n)
	}, func(_ context.Context, _ pipeline.Case, n int) (float64, error) {
		return float64(n) / 10, nil
	}, double, increment)

	engine, err := replay.New(p, replay.Options{})
	if err != nil {
		panic(err)
	}
	session, err := engine.Case(&pipeline.Case{ID: "c", Inputs: map[string]any{"n": 2}}, 1)
	if err != nil {
		panic(err)
	}
	defer session.Close()
	ctx := context.Background()
	factual := session.Run(ctx, 0, replay.Fixes{}, true)
	fmt.Println("as it was:", factual.Score)

	all, err := session.Explore(ctx, 0)
	if err != nil {
		panic(err)
	}
	fmt.Println("with triple:", all.Diagram.Value(game.Of(0)))
	fmt.Println("with both:", all.Diagram.Full())
	fmt.Println("cost:", session.Cost(), "instead of", all.CostUncached)
	// Output:
	// as it was: 0.5
	// with triple: 0.7
	// with both: 0.8
	// cost: 4 instead of 8
}
