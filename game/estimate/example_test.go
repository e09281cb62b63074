package estimate_test

import (
	"context"
	"fmt"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/game/estimate"
)

// replay stands for the replays of a failed run: it passes if step 0 or step 1
// runs its fix, or steps 2 and 3 together.
func replay(_ context.Context, c []game.Coalition) ([]float64, error) {
	scores := make([]float64, len(c))
	for i, c := range c {
		if c.Has(0) || c.Has(1) || game.Of(2, 3).SubsetOf(c) {
			scores[i] = 1
		}
	}
	return scores, nil
}

func ExampleAuto() {
	// Ten steps: 1024 coalitions, of which 100 are replayed.
	g := estimate.Game{Players: 10, Empty: 0, Full: 1, Values: replay}
	e, err := estimate.Auto(context.Background(), g, 100, 1)
	if err != nil {
		panic(err)
	}
	for step, blame := range e.Values[:5] {
		fmt.Printf("step %d: %.2f\n", step, blame+0) // +0: no −0
	}
	fmt.Println(e.Evaluations, "coalitions")
	// Output:
	// step 0: 0.42
	// step 1: 0.42
	// step 2: 0.08
	// step 3: 0.08
	// step 4: 0.00
	// 100 coalitions
}

func ExampleAntithetic() {
	g := estimate.Game{Players: 10, Empty: 0, Full: 1, Values: replay}
	e, err := estimate.Antithetic(context.Background(), g, 200, 1)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d draws, step 0: %.2f ± %.2f, unbiased: %v\n", len(e.Draws), e.Values[0], e.StdErr[0], e.Unbiased)
	// Output:
	// 15 draws, step 0: 0.37 ± 0.06, unbiased: true
}
