package replay

import (
	"context"
	"fmt"
	"testing"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// document is a typical small value of a step in Go.
type document struct {
	Text string
	Year int
}

// chain is a function of so many steps over documents, each with a fix that
// changes the document.
func chain(steps int) *pipeline.Pipeline {
	var all []*pipeline.Step[document, document]
	var given []pipeline.AnyStep
	for i := range steps {
		s := pipeline.NewStep(fmt.Sprint("step", i), func(_ context.Context, d document) (document, error) {
			return d, nil
		}).Variant("fix", func(_ context.Context, d document) (document, error) {
			d.Year |= 1 << i
			return d, nil
		})
		all, given = append(all, s), append(given, s)
	}
	return pipeline.New("chain", func(ctx context.Context, d document) (document, error) {
		for _, s := range all {
			var err error
			if d, err = s.Do(ctx, d); err != nil {
				return document{}, err
			}
		}
		return d, nil
	}, func(_ context.Context, _ pipeline.Case, d document) (float64, error) {
		return float64(d.Year&1 | d.Year>>1&1), nil
	}, given...)
}

func documentCase() pipeline.Case {
	return pipeline.Case{ID: "d", Inputs: map[string]any{"Text": "How long do I have to return it?", "Year": 0}}
}

// BenchmarkCachedCall is what a call costs whose run is known: a replay of 100.
func BenchmarkCachedCall(b *testing.B) {
	b.ReportAllocs()
	s := begin(b, chain(100), documentCase(), Options{Concurrency: 1})
	for b.Loop() {
		if _, err := s.replay(b.Context(), 0, game.Coalition{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/call")
}

// BenchmarkKnownValue is the value of a coalition that has been asked for before.
func BenchmarkKnownValue(b *testing.B) {
	b.ReportAllocs()
	s := begin(b, chain(4), documentCase(), Options{Concurrency: 1})
	mask := uint64(0)
	for b.Loop() {
		mask++
		if _, err := s.Value(b.Context(), 0, game.FromMask(mask%16)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDrawingRun is a step run that draws one categorical, each in a world
// of its own, with the replay around it.
func BenchmarkDrawingRun(b *testing.B) {
	b.ReportAllocs()
	logits := map[string]float64{"gold": 1, "stale": 1.3, "other": 0.2, "none": -1}
	step := pipeline.NewStep("s", func(ctx context.Context, _ int) (string, error) {
		return noise.From(ctx).Categorical("doc", logits), nil
	})
	p := pipeline.New("p", step.Do, func(_ context.Context, _ pipeline.Case, doc string) (float64, error) {
		if doc == "gold" {
			return 1, nil
		}
		return 0, nil
	}, step)
	e, err := New(p, Options{Concurrency: 1})
	if err != nil {
		b.Fatal(err)
	}
	const worlds = 1000
	c := number(1)
	for b.Loop() {
		s, err := e.Case(&c, 1)
		if err != nil {
			b.Fatal(err)
		}
		for i := range worlds {
			if _, err := s.Value(b.Context(), s.AddWorld(noise.World{Seed: 1, Index: uint64(i)}), game.Coalition{}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/worlds, "ns/run")
}

// BenchmarkCase is a whole case of four steps: begun, run and explored. It has 16
// leaves and 32 step runs.
func BenchmarkCase(b *testing.B) {
	b.ReportAllocs()
	e, err := New(chain(4), Options{Concurrency: 1})
	if err != nil {
		b.Fatal(err)
	}
	c := documentCase()
	for b.Loop() {
		s, err := e.Case(&c, 1)
		if err != nil {
			b.Fatal(err)
		}
		s.Run(b.Context(), 0, Fixes{}, true)
		x, err := s.Explore(b.Context(), 0)
		if err != nil || x.Diagram.Nodes() != 15 {
			b.Fatal(err, x.Diagram.Nodes())
		}
		s.Close()
	}
}

// BenchmarkMerging explores 64 steps whose states merge: 2^64 coalitions in a few
// hundred states.
func BenchmarkMerging(b *testing.B) {
	b.ReportAllocs()
	e, err := New(merging(64), Options{})
	if err != nil {
		b.Fatal(err)
	}
	c := number(0)
	for b.Loop() {
		s, err := e.Case(&c, 1)
		if err != nil {
			b.Fatal(err)
		}
		x, err := s.Explore(b.Context(), 0)
		if err != nil || !x.Complete() {
			b.Fatal(err, x)
		}
		s.Close()
		b.ReportMetric(float64(x.Diagram.Nodes()), "nodes")
	}
}

// merging is a graph of steps that pass on a number below 64 and the one before:
// a fix adds something to it.
func merging(steps int) *pipeline.Pipeline {
	g := pipeline.Graph{Name: "merging", Inputs: []pipeline.Input{{Name: "n"}}}
	for i := range steps {
		needs := []string{"n"}
		if i > 0 {
			needs = []string{fmt.Sprint("s", i-1)}
		}
		run := func(add int) func(context.Context, pipeline.Args) (any, error) {
			return func(_ context.Context, args pipeline.Args) (any, error) {
				n, _ := args.At(0).Any().(float64)
				return float64((int(n) + add) % 64), nil
			}
		}
		g.Steps = append(g.Steps, &pipeline.Spec{Name: fmt.Sprint("s", i), Needs: needs, Impls: []pipeline.Impl{
			{Cost: 1, Run: run(0)}, {Name: "fix", Cost: 1, Run: run(1 + i%5)},
		}})
	}
	g.Score = pipeline.Score{Needs: []string{fmt.Sprint("s", steps-1)}, Impl: pipeline.Impl{Run: func(_ context.Context, args pipeline.Args) (any, error) {
		n, _ := args.At(0).Any().(float64)
		return n >= 32, nil
	}}}
	return g.Pipeline()
}
