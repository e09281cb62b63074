package demo

import (
	"context"

	"github.com/agentblame/agentblame/pipeline"
)

// RefundGraph is the refund pipeline declared as a graph: the same functions,
// with their wiring known.
func RefundGraph(mechanism string) *pipeline.Pipeline {
	check := reviewCited
	if mechanism == "B" {
		check = reviewAll
	}
	g := pipeline.Graph{
		Name:   "refund",
		Inputs: []pipeline.Input{{Name: "question"}},
		Steps: []*pipeline.Spec{
			node("planner", "question", func(ctx context.Context, q string) (Plan, error) {
				return plan(ctx, Question{q})
			}, "date-constraint", func(ctx context.Context, q string) (Plan, error) {
				return planDated(ctx, Question{q})
			}),
			node("retriever", "planner", retrieve, "drop-superseded", retrieveCurrent),
			node("writer", "retriever", write, "cite-sources", writeCited),
			node("reviewer", "writer", review, "recheck-claims", check),
		},
		Score: pipeline.Score{Needs: []string{"reviewer"}, Impl: pipeline.Impl{
			Run: func(ctx context.Context, in pipeline.Args) (any, error) {
				var d Draft
				if err := in.Decode("reviewer", &d); err != nil {
					return nil, err
				}
				return scoreRefund(ctx, *in.Case, d)
			},
		}},
	}
	return g.Pipeline()
}

// node declares a step of one input, with one variant, from typed functions.
func node[In, Out any](name, need string, run func(context.Context, In) (Out, error), variant string, fix func(context.Context, In) (Out, error)) *pipeline.Spec {
	impl := func(name string, f func(context.Context, In) (Out, error)) pipeline.Impl {
		return pipeline.Impl{Name: name, Cost: 1, Run: func(ctx context.Context, args pipeline.Args) (any, error) {
			var in In
			if err := args.Decode(need, &in); err != nil {
				return nil, err
			}
			return f(ctx, in)
		}}
	}
	return &pipeline.Spec{Name: name, Needs: []string{need}, Impls: []pipeline.Impl{impl("", run), impl(variant, fix)}}
}
