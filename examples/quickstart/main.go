// Quickstart is the smallest whole use of agentblame from Go: two steps, a fix
// for each, and which of them caused the wrong answers.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

var retriever = pipeline.NewStep("retriever", func(ctx context.Context, question string) (string, error) {
	// A sampled choice: the same noise under other logits is a counterfactual.
	return noise.From(ctx).Categorical("doc", map[string]float64{"gold": 1.0, "stale": 1.3}), nil
}, pipeline.Cost(2)).Variant("reranker", func(ctx context.Context, question string) (string, error) {
	return noise.From(ctx).Categorical("doc", map[string]float64{"gold": 3.0, "stale": 0.2}), nil
}, pipeline.Cost(4))

var writer = pipeline.NewStep("writer", func(_ context.Context, doc string) (string, error) {
	return "Based on the " + doc + " document.", nil
}).Variant("refuse-stale", func(_ context.Context, doc string) (string, error) {
	if doc == "stale" {
		return "I don't know.", nil
	}
	return "Based on the " + doc + " document.", nil
})

func answer(ctx context.Context, question string) (string, error) {
	doc, err := retriever.Do(ctx, question)
	if err != nil {
		return "", err
	}
	return writer.Do(ctx, doc)
}

func main() {
	score := func(_ context.Context, c pipeline.Case, out string) (float64, error) {
		if out == c.Expected {
			return 1, nil
		}
		return 0, nil
	}
	p := pipeline.New("quickstart", answer, score, retriever, writer)
	var cases []pipeline.Case
	for i := range 20 {
		c := pipeline.Case{ID: fmt.Sprintf("q%02d", i), Inputs: map[string]any{"question": "How long?"}}
		c.Expected = "Based on the gold document."
		cases = append(cases, c)
	}
	result, err := blame.Batch(context.Background(), p, cases, blame.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range result.Steps {
		fmt.Printf("%-10s blame %.3f, its fix alone resolves %.0f %%\n", s.Name, s.Shapley.Mean, 100*s.Resolves)
	}
}
