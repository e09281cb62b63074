package blame_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// messy is a pipeline in which everything that could depend on time does take
// another time in each run: it searches shards at once, retries, draws noise,
// charges odd amounts and fails now and then.
func messy(slow bool) *pipeline.Pipeline {
	pause := func() {
		if slow {
			time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
		}
	}
	plan := func(add int) func(context.Context, int) (int, error) {
		return func(ctx context.Context, n int) (int, error) {
			pause()
			pipeline.Charge(ctx, 0.1*float64(n%7))
			return n + add, nil
		}
	}
	search := func(add int) func(context.Context, int) (int, error) {
		return func(ctx context.Context, n int) (int, error) {
			pause()
			if (n+add)%11 == 0 {
				return 0, fmt.Errorf("nothing found for %d", n)
			}
			doc := noise.From(ctx).Categorical("doc", map[string]float64{"a": 1, "b": 0.3, "c": -1})
			pipeline.Charge(ctx, 0.03)
			return n*3 + int(doc[0]) + add, nil
		}
	}
	write := func(add int) func(context.Context, int) (int, error) {
		return func(_ context.Context, n int) (int, error) {
			pause()
			if n%13 == 0 {
				panic(fmt.Sprint("unlucky ", n))
			}
			return n + add, nil
		}
	}
	planner := pipeline.NewStep("planner", plan(0), pipeline.Cost(0.3)).Variant("fix", plan(1), pipeline.Cost(0.7))
	searcher := pipeline.NewStep("searcher", search(0), pipeline.Cost(0.1)).Variant("fix", search(2))
	ranker := pipeline.NewStep("ranker", plan(0)).Variant("fix", plan(5), pipeline.Cost(0.2))
	writer := pipeline.NewStep("writer", write(0)).Variant("fix", write(3))
	return pipeline.New("messy", func(ctx context.Context, n int) (int, error) {
		n, err := planner.Do(ctx, n)
		if err != nil {
			return 0, err
		}
		var found [3]int
		g, gctx := errgroup.WithContext(ctx)
		for i := range found {
			g.Go(func() (err error) {
				if i == 2 {
					found[i], err = ranker.Do(gctx, n)
					return err
				}
				found[i], err = searcher.At(fmt.Sprint("shard-", i)).Do(gctx, n+i)
				if err != nil {
					found[i] = 1
				}
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			return 0, err
		}
		n = found[0] + found[1] + found[2]
		for range 2 {
			out, err := writer.Do(ctx, n)
			if err == nil {
				return out, nil
			}
			n++
		}
		return 0, errors.New("no answer")
	}, func(_ context.Context, _ pipeline.Case, n int) (float64, error) {
		return float64(n%8) / 7, nil
	}, writer, searcher, planner, ranker)
}

// tidy makes one call after another, as a pipeline must for what a limit cuts off
// not to depend on time.
func tidy(slow bool) *pipeline.Pipeline {
	var steps []*pipeline.Step[int, int]
	var given []pipeline.AnyStep
	for i := range 4 {
		run := func(add int) func(context.Context, int) (int, error) {
			return func(ctx context.Context, n int) (int, error) {
				if slow {
					time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
				}
				n += add + noise.From(ctx).IntN("k", 3)
				if n%17 == 0 {
					return 0, fmt.Errorf("no idea about %d", n)
				}
				return n, nil
			}
		}
		s := pipeline.NewStep(string(rune('a'+i)), run(0), pipeline.Cost(0.1*float64(i+1))).Variant("fix", run(1<<i), pipeline.Cost(0.7))
		steps, given = append(steps, s), append(given, s)
	}
	return pipeline.New("tidy", func(ctx context.Context, n int) (int, error) {
		for range 2 {
			for _, s := range steps {
				if out, err := s.Do(ctx, n); err == nil {
					n = out
				}
			}
		}
		return n, nil
	}, func(_ context.Context, _ pipeline.Case, n int) (float64, error) { return float64(n%8) / 7, nil }, given...)
}

// TestDeterministic makes the same analyses at every concurrency and again: they
// are the same, byte for byte.
func TestDeterministic(t *testing.T) {
	var cases []pipeline.Case
	for i := range 12 {
		cases = append(cases, pipeline.Case{ID: fmt.Sprint("case ", i), Inputs: map[string]any{"n": i}})
	}
	for name, o := range map[string]blame.Options{
		"recorded":       {},
		"budget":         {Budget: 200},
		"few states":     {Nodes: 5, Evaluations: 20},
		"calls":          {Calls: true},
		"prior, calls":   {Mode: blame.Prior, Worlds: 3, Calls: true},
		"posterior":      {Mode: blame.Posterior, Worlds: 3},
		"prior":          {Mode: blame.Prior, Worlds: 3},
		"permutations":   {Method: blame.Permutation, Permutations: 16},
		"stop":           {Stop: "width", Width: 0.9, Delta: 0.5},
		"this batch":     {Claim: blame.ThisBatch},
		"few cases kept": {KeepCases: 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := ""
			for round, concurrency := range []int{1, 1, 3, 16, 16} {
				o.Concurrency = concurrency
				p := messy(round > 0)
				if o.Budget > 0 || o.Nodes > 0 {
					p = tidy(round > 0)
				}
				r, err := blame.Batch(t.Context(), p, cases, o)
				if err != nil {
					t.Fatal(err)
				}
				if r.Summary.Analyzed < 1 || r.Summary.WithErrors == 0 || o.Budget > 0 && r.Summary.Stopped != "budget" {
					t.Fatalf("the batch shows little: %+v", r.Summary)
				}
				text, err := json.MarshalIndent(r, "", " ")
				if err != nil {
					t.Fatal(err)
				}
				if want == "" {
					want = string(text)
				}
				if diff := cmp.Diff(want, string(text)); diff != "" {
					t.Fatalf("concurrency %d, round %d differs (-first +this):\n%s", concurrency, round, diff)
				}
			}
		})
	}
}
