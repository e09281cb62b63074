package game_test

import (
	"context"
	"fmt"

	"github.com/agentblame/agentblame/game"
)

// A planner's or a retriever's fix repairs the run alone; writer and reviewer
// repair it together.
func refund() *game.Diagram {
	const planner, retriever, writer, reviewer = 0, 1, 2, 3
	b := game.NewBuilder(4)
	failed, passed := b.Leaf(0), b.Leaf(1)
	review := b.Node(reviewer, game.Edge{To: failed, Cost: 1}, game.Edge{To: passed, Cost: 1})
	write := b.Node(writer, game.Edge{To: failed, Cost: 1}, game.Edge{To: review, Cost: 1})
	retrieve := b.Node(retriever, game.Edge{To: write, Cost: 1}, game.Edge{To: passed, Cost: 1})
	plan := b.Node(planner, game.Edge{To: retrieve, Cost: 1}, game.Edge{To: passed, Cost: 1})
	d, err := b.Build(game.Edge{To: plan})
	if err != nil {
		panic(err)
	}
	return d
}

func Example() {
	d := refund()
	fmt.Printf("%.4f\n", d.Shapley(nil))
	fmt.Println("one fix alone gains", d.FixAlone(nil))
	fmt.Println("minimal repairs", d.Repairs(1).Smallest(100))
	// Output:
	// [0.4167 0.4167 0.0833 0.0833]
	// one fix alone gains [1 1 0 0]
	// minimal repairs [{0} {1} {2,3}]
}

func ExampleDiagram_ShapleyRat() {
	phi, err := refund().ShapleyRat()
	fmt.Println(phi, err)
	// Output: [5/12 5/12 1/12 1/12] <nil>
}

// Two fixes that replace each other interact negatively, two that need each
// other positively.
func ExampleDiagram_Interactions() {
	x := refund().Interactions(game.SII)
	fmt.Printf("planner and retriever %+.3f\n", x.Pair(0, 1))
	fmt.Printf("writer and reviewer %+.3f\n", x.Pair(2, 3))
	// Output:
	// planner and retriever -0.667
	// writer and reviewer +0.333
}

// Writer and reviewer are two prompts of one agent.
func ExampleDiagram_Owen() {
	phi, err := refund().Owen([]game.Coalition{game.Of(2, 3)}, nil)
	fmt.Printf("%.4f %v\n", phi, err)
	// Output: [0.3333 0.3333 0.1667 0.1667] <nil>
}

// With the reviewer's fix not yet explored, the planner's lead over the
// reviewer is certain already.
func ExampleDiagram_DifferenceBounds() {
	b := game.NewBuilder(4)
	failed, passed := b.Leaf(0), b.Leaf(1)
	write := b.Node(2, game.Edge{To: failed}, game.Edge{To: b.Unknown()})
	retrieve := b.Node(1, game.Edge{To: write}, game.Edge{To: passed})
	plan := b.Node(0, game.Edge{To: retrieve}, game.Edge{To: passed})
	d, err := b.Build(game.Edge{To: plan})
	if err != nil {
		panic(err)
	}
	lo, hi := d.DifferenceBounds(0)
	fmt.Printf("planner − reviewer is between %.3f and %.3f\n", lo[3], hi[3])
	// Output: planner − reviewer is between 0.333 and 0.500
}

// The seven coalitions of the order planner → retriever, planner → writer →
// reviewer; who comes first is credited first.
func ExampleAsymmetric() {
	before := []game.Coalition{{}, game.Of(0), game.Of(0), game.Of(2)}
	phi, err := game.Asymmetric(context.Background(), before, refund().Ask)
	fmt.Println(phi, err)
	// Output: [1 0 0 0] <nil>
}

// Ten draws of a game that can only be asked.
func ExampleSampler() {
	d := refund()
	var m game.Moments
	for draw, err := range (game.Sampler{Players: 4, Seed: 1, Antithetic: true}).Samples(context.Background(), d.Ask) {
		if err != nil {
			panic(err)
		}
		if m.Add(draw); m.Count() == 10 {
			break
		}
	}
	total := 0.0
	for i := range 4 {
		total += m.Mean(i)
	}
	fmt.Printf("the credits sum to %.3f\n", total)
	// Output: the credits sum to 1.000
}

func ExampleTable() {
	majority := make(game.Table, 1<<3)
	for s := range majority {
		if game.FromMask(uint64(s)).Len() >= 2 {
			majority[s] = 1
		}
	}
	fmt.Printf("%.3f\n", majority.Shapley(nil))
	// Output: [0.333 0.333 0.333]
}
