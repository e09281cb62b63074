package noise_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agentblame/agentblame/noise"
)

// The same noise, other logits: what the retriever would have chosen had it
// been better.
func Example() {
	asRun := map[string]float64{"gold": 1.0, "stale": 1.3}
	fixed := map[string]float64{"gold": 3.0, "stale": 0.2}
	for index := range uint64(4) {
		w := noise.World{Seed: 7, Index: index}
		was := w.Source("retriever", "1").Categorical("doc", asRun)
		would := w.Source("retriever", "1").Categorical("doc", fixed)
		fmt.Println(w.ID(), was, "->", would)
	}
	// Output:
	// 7/0 gold -> gold
	// 7/1 stale -> gold
	// 7/2 gold -> gold
	// 7/3 stale -> gold
}

// A step takes its noise from the context.
func ExampleFrom() {
	retrieve := func(ctx context.Context) string {
		return noise.From(ctx).Categorical("doc", map[string]float64{"gold": 1.0, "stale": 1.3})
	}
	s := noise.World{Seed: 7}.Source("retriever", "1")
	fmt.Println(retrieve(noise.With(context.Background(), s)))
	// Output:
	// gold
}

// Only the choice of a run is known, not its noise: how often would the fix
// have chosen otherwise, in this very situation?
func ExampleWorld_Given() {
	asRun := map[string]float64{"gold": 1.0, "stale": 1.3}
	fixed := map[string]float64{"gold": 3.0, "stale": 0.2}
	posterior, err := noise.NewPosterior(noise.Observed{Step: "retriever", Call: "1",
		Draw: noise.Draw{Key: "doc", Kind: noise.Categorical, Logits: asRun, Chosen: "stale"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	repeated, rescued := 0, 0
	const worlds = 10_000
	for index := range uint64(worlds) {
		w := noise.World{Seed: 1, Index: index}.Given(posterior)
		if w.Source("retriever", "1").Categorical("doc", asRun) == "stale" {
			repeated++
		}
		if w.Source("retriever", "1").Categorical("doc", fixed) == "gold" {
			rescued++
		}
	}
	fmt.Printf("as run: stale in %d of %d; fixed: gold in %d %%\n", repeated, worlds, rescued*100/worlds)
	// Output:
	// as run: stale in 10000 of 10000; fixed: gold in 89 %
}

// What a step drew, as it is logged.
func ExampleSource_Record() {
	s := noise.World{Seed: 7}.Source("router", "1")
	s.Record()
	s.Categorical("route", map[string]float64{"search": 0.5, "answer": 0.1})
	s.IntN("shard", 4)
	for _, d := range s.Draws() {
		line, err := json.Marshal(d)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(string(line))
	}
	// Output:
	// {"key":"route","kind":"categorical","logits":{"answer":0.1,"search":0.5},"chosen":"search"}
	// {"key":"shard","kind":"int","n":4,"value":3}
}

// A key may be used once in a step run.
func ExampleError() {
	defer func() { fmt.Println(recover()) }()
	s := noise.World{Seed: 7}.Source("router", "1")
	s.Float64("threshold")
	s.Float64("threshold")
	// Output:
	// noise: step router#1: key "threshold": used twice in one step run: both draws would be the same noise
}
