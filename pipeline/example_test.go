package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
)

// A pipeline that looks a question up in its documents, newest last, and writes
// an answer of what it found. Production code calls answer; an analysis takes p.
func Example() {
	retriever := pipeline.NewStep("retriever", func(_ context.Context, question string) (string, error) {
		for _, doc := range []string{"refunds 2023: 90 days", "refunds 2026: 30 days"} {
			if strings.HasPrefix(doc, question) {
				return doc, nil
			}
		}
		return "", errors.New("nothing found")
	}).Variant("newest", func(context.Context, string) (string, error) {
		return "refunds 2026: 30 days", nil
	})
	writer := pipeline.NewStep("writer", func(_ context.Context, doc string) (string, error) {
		_, days, _ := strings.Cut(doc, ": ")
		return "You have " + days + ".", nil
	})
	answer := func(ctx context.Context, question string) (string, error) {
		doc, err := retriever.Do(ctx, question)
		if err != nil {
			return "", err
		}
		return writer.Do(ctx, doc)
	}
	score := func(_ context.Context, c pipeline.Case, answer string) (float64, error) {
		if answer == c.Expected {
			return 1, nil
		}
		return 0, nil
	}
	p := pipeline.New("support", answer, score, retriever, writer)

	ctx := context.Background()
	inProduction, _ := answer(ctx, "refunds")
	fmt.Println(inProduction)

	r, err := blame.Case(ctx, p, pipeline.Case{
		ID: "q1", Inputs: map[string]any{"question": "refunds"}, Expected: "You have 30 days.",
	}, blame.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println("retriever is to blame for", r.Shapley.Get("retriever"))
	// Output:
	// You have 90 days.
	// retriever is to blame for 1
}

func ExampleNew() {
	greet := pipeline.NewStep("greet", func(_ context.Context, name string) (string, error) {
		return "Hello " + name, nil
	})
	type input struct {
		Name string `json:"name"`
	}
	p := pipeline.New("greeter",
		func(ctx context.Context, in input) (string, error) { return greet.Do(ctx, in.Name) },
		func(_ context.Context, c pipeline.Case, out string) (float64, error) {
			if out == c.Expected {
				return 1, nil
			}
			return 0, nil
		},
		greet)
	fmt.Println(p.Check(), p.StepNames())

	wrong := pipeline.New[input, string]("greeter", nil, nil, greet, greet)
	fmt.Println(wrong.Check())
	// Output:
	// <nil> [greet]
	// pipeline greeter has 3 faults:
	//   the pipeline function is nil
	//   two steps are named "greet"
	//   there is no score
}

func ExampleNewStep() {
	shout := pipeline.NewStep("shout", func(_ context.Context, s string) (string, error) {
		return strings.ToUpper(s), nil
	}, pipeline.Cost(0.02), pipeline.Retries(2))
	out, err := shout.Do(context.Background(), "hello")
	fmt.Println(out, err)
	// Output: HELLO <nil>
}

func ExampleStep_Variant() {
	shout := pipeline.NewStep("shout", func(_ context.Context, s string) (string, error) {
		return strings.ToUpper(s), nil
	}).
		Variant("louder", func(_ context.Context, s string) (string, error) {
			return strings.ToUpper(s) + "!", nil
		}).
		Variant("loudest", func(_ context.Context, s string) (string, error) {
			return strings.ToUpper(s) + "!!!", nil
		}, pipeline.Cost(5))
	// In production the step does as it did. An analysis tries the first variant
	// unless it names another: blame.Options{Fix: map[string]string{"shout": "loudest"}}.
	out, err := shout.Do(context.Background(), "hello")
	fmt.Println(out, err)
	// Output: HELLO <nil>
}

// Calls that go on at once name themselves, as their order isn't fixed.
func ExampleStep_At() {
	search := pipeline.NewStep("search", func(_ context.Context, shard string) (int, error) {
		return len(shard), nil
	})
	all := func(ctx context.Context, shards []string) (int, error) {
		found := make([]int, len(shards))
		g, ctx := errgroup.WithContext(ctx)
		for i, shard := range shards {
			g.Go(func() (err error) {
				found[i], err = search.At(shard).Do(ctx, shard)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			return 0, err
		}
		total := 0
		for _, n := range found {
			total += n
		}
		return total, nil
	}
	total, err := all(context.Background(), []string{"news", "books"})
	fmt.Println(total, err)
	// Output: 9 <nil>
}

// The user may be a player, too: did the pipeline fail, or was the question unclear?
func ExampleNewInput() {
	question := pipeline.NewInput[string]("question").Variant("clarified", func(ctx context.Context, q string) (string, error) {
		var gold string
		err := pipeline.CaseOf(ctx).DecodeGold("question", &gold)
		return gold, err
	})
	writer := pipeline.NewStep("writer", func(_ context.Context, q string) (string, error) {
		return "an answer to " + q, nil
	})
	p := pipeline.New("support", func(ctx context.Context, q string) (string, error) {
		q, err := question.Do(ctx, q)
		if err != nil {
			return "", err
		}
		return writer.Do(ctx, q)
	}, func(_ context.Context, c pipeline.Case, answer string) (float64, error) {
		if answer == c.Expected {
			return 1, nil
		}
		return 0, nil
	}, question, writer)
	r, err := blame.Case(context.Background(), p, pipeline.Case{
		ID:       "q1",
		Inputs:   map[string]any{"question": "how long?"},
		Gold:     map[string]any{"question": "how long may I return it?"},
		Expected: "an answer to how long may I return it?",
	}, blame.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Shapley.Get("question"))
	// Output: 1
}

func ExampleGraph() {
	text := func(format string) func(context.Context, pipeline.Args) (any, error) {
		return func(_ context.Context, in pipeline.Args) (any, error) {
			var s string
			if err := in.At(0).Decode(&s); err != nil {
				return nil, err
			}
			return fmt.Sprintf(format, s), nil
		}
	}
	p := pipeline.Graph{
		Name:   "support",
		Inputs: []pipeline.Input{{Name: "question"}},
		Steps: []*pipeline.Spec{
			{Name: "planner", Needs: []string{"question"}, Impls: []pipeline.Impl{{Cost: 1, Run: text("look up %s")}}},
			{Name: "writer", Needs: []string{"planner"}, Impls: []pipeline.Impl{
				{Cost: 1, Run: text("did %s")},
				{Name: "polite", Cost: 1, Run: text("did %s, gladly")},
			}},
		},
		Score: pipeline.Score{Needs: []string{"writer"}, Impl: pipeline.Impl{
			Run: func(_ context.Context, in pipeline.Args) (any, error) {
				var answer string
				if err := in.Decode("writer", &answer); err != nil {
					return nil, err
				}
				return strings.HasSuffix(answer, "gladly"), nil
			},
		}},
	}.Pipeline()
	r, err := blame.Case(context.Background(), p, pipeline.Case{
		ID: "q1", Inputs: map[string]any{"question": "refunds"},
	}, blame.Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Shapley.Get("writer"), r.MinimalRepairs)
	// Output: 1 [[writer]]
}
