package confseq_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/agentblame/agentblame/confseq"
)

// Three steps; in every failing case one of the pair (planner, writer) or the retriever is to blame.
func Example() {
	rule, err := confseq.New("auto", confseq.Options{Players: 3, Spread: 1})
	if err != nil {
		panic(err)
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		shapley := []float64{0, 1, 0}
		if r.Float64() < 0.5 {
			shapley = []float64{0.5, 0, 0.5}
		}
		if err := rule.Add(shapley); err != nil {
			panic(err)
		}
		if _, ok := rule.Stopped(); ok {
			break
		}
	}
	reason, _ := rule.Stopped()
	fmt.Printf("%s: player %d after %d cases, %s\n", reason, rule.Leaders()[0], rule.Count(), rule.Promise().Label)
	// Output: separated (top1): player 1 after 46 cases, valid at any stopping time
}

func ExampleElimination_Candidates() {
	rule, err := confseq.NewElimination(confseq.Options{Players: 2, Low: 0, High: 1, Batch: 12})
	if err != nil {
		panic(err)
	}
	for range 4 {
		if err := rule.Add([]float64{0.1, 0.9}); err != nil {
			panic(err)
		}
	}
	for _, c := range rule.Candidates() {
		fmt.Printf("player %d is a best one: e-value %.2f, p at most %.2f\n", c.Players[0], c.E, c.P)
	}
	// Output:
	// player 0 is a best one: e-value 6.33, p at most 0.16
	// player 1 is a best one: e-value 0.67, p at most 1.00
}

func ExampleHedged() {
	h, err := confseq.NewHedged(confseq.SequenceOptions{Low: 0, High: 1})
	if err != nil {
		panic(err)
	}
	for i := range 100 {
		if err := h.Add(float64(i%4) / 4); err != nil {
			panic(err)
		}
	}
	i := h.Interval()
	fmt.Printf("%.3f, between %.2f and %.2f\n", i.Mean, i.Low, i.High)
	// Output: 0.375, between 0.27 and 0.46
}

func ExampleClopperPearson() {
	i, err := confseq.ClopperPearson(0, 30, 0.05) // none of thirty passing cases broke
	if err != nil {
		panic(err)
	}
	fmt.Printf("between %.3f and %.3f\n", i.Low, i.High)
	// Output: between 0.000 and 0.116
}

func ExampleClosed() {
	fmt.Println(confseq.Closed([]float64{90, 0.3, 70, 25}, 0.05))
	// Output: [0 2]
}
