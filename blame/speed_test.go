package blame_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
)

// dawdle makes runs take a random while.
func dawdle(p *pipeline.Pipeline) *pipeline.Pipeline {
	return before(blocking(p), func() {
		if rand.IntN(4) == 0 {
			time.Sleep(time.Duration(rand.IntN(100)) * time.Microsecond)
		} else {
			runtime.Gosched()
		}
	})
}

// sameAtAnySpeed analyses cases at several concurrencies, with runs that take a
// random while: the results are the same, byte for byte.
func sameAtAnySpeed(t *testing.T, p func() *pipeline.Pipeline, cases []pipeline.Case, o blame.Options) {
	t.Helper()
	want := ""
	for round, concurrency := range []int{1, 2, 8, 16} {
		o.Concurrency = concurrency
		use := p()
		if round > 0 {
			use = dawdle(use)
		}
		text, err := json.MarshalIndent(batchOf(t, use, cases, o), "", " ")
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(text)
		}
		if diff := cmp.Diff(want, string(text)); diff != "" {
			t.Fatalf("concurrency %d differs (-first +this):\n%s", concurrency, diff)
		}
	}
}

// TestSameAtAnySpeed covers what samples, stops and cuts off.
func TestSameAtAnySpeed(t *testing.T) {
	for name, o := range map[string]blame.Options{
		"orders":              {Method: blame.Permutation, Permutations: 30, Antithetic: true},
		"orders, prior":       {Method: blame.Permutation, Permutations: 20, Mode: blame.Prior, Worlds: 3},
		"orders, budget":      {Method: blame.Permutation, Permutations: 30, Budget: 60},
		"orders, independent": {Method: blame.Permutation, Permutations: 10, Independent: true},
		"independent":         {Independent: true, Mode: blame.Prior, Worlds: 2},
		"few states":          {Nodes: 4, Evaluations: 30},
		"few states, prior":   {Nodes: 4, Evaluations: 30, Mode: blame.Prior, Worlds: 2},
		"few states, exact":   {Nodes: 6, Method: blame.Exact, Stop: "top1"},
		"budget, posterior":   {Mode: blame.Posterior, Worlds: 2, Budget: 80},
		"budget, batch":       {Claim: blame.ThisBatch, Budget: 80, Stop: "top1"},
		"harm, budget":        {Budget: 300},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(11, 11))
			for i := range max(2, rounds(4)) {
				p := randomTables(rng, shape{steps: 5, variants: 2, levels: 3, noisy: true, function: i%2 == 0})
				sameAtAnySpeed(t, p.pipeline, p.cases(10), o)
			}
		})
	}
}

// TestSameOrdersAtAnySpeed stops long before all that could be run has been.
func TestSameOrdersAtAnySpeed(t *testing.T) {
	p := randomTables(rand.New(rand.NewPCG(12, 12)), shape{steps: 12, levels: 3, sure: true, function: true, noisy: true})
	c, ok := p.failing(0)
	if !ok {
		t.Fatal("nothing fails")
	}
	for _, antithetic := range []bool{false, true} {
		var want *blame.CaseResult
		for _, concurrency := range []int{1, 2, 8, 40} {
			got := one(t, dawdle(p.pipeline()), c, blame.Options{
				Method: blame.Permutation, Stop: "width", Width: 0.9, SampleRule: "hedged", Delta: 0.5,
				Concurrency: concurrency, Antithetic: antithetic,
			})
			if want == nil {
				want = got
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(blame.CaseResult{})); diff != "" || got.Stopped != "width" || got.Permutations > 20 {
				t.Fatalf("concurrency %d, %d orders until %s (-first +this):\n%s", concurrency, got.Permutations, got.Stopped, diff)
			}
		}
	}
}

// TestSameCallsAtAnySpeed discovers calls while exploring, on several ways at once.
func TestSameCallsAtAnySpeed(t *testing.T) {
	p := func() *pipeline.Pipeline {
		add := func(k int) func(context.Context, int) (int, error) {
			return func(_ context.Context, n int) (int, error) { return n + k, nil }
		}
		route := pipeline.NewStep("route", add(0)).Variant("fix", add(1))
		left := pipeline.NewStep("left", add(0)).Variant("fix", add(3))
		right := pipeline.NewStep("right", add(0)).Variant("fix", add(5))
		return pipeline.New("routes", func(ctx context.Context, n int) (int, error) {
			for range 4 {
				at, err := route.Do(ctx, n)
				if err != nil {
					return 0, err
				}
				side := left
				if at%3 == 1 {
					side = right
				}
				if n, err = side.At(fmt.Sprint("at ", at)).Do(ctx, at); err != nil {
					return 0, err
				}
			}
			return n, nil
		}, func(_ context.Context, _ pipeline.Case, n int) (float64, error) { return float64(n%7) / 7, nil }, route, left, right)
	}
	var cases []pipeline.Case
	for i := range 5 {
		cases = append(cases, pipeline.Case{ID: fmt.Sprint("c", i), Inputs: map[string]any{"n": i}})
	}
	for name, o := range map[string]blame.Options{
		"exact":      {},
		"few states": {Nodes: 12, Evaluations: 60},
		"cut":        {Nodes: 12, Method: blame.Exact},
		"orders":     {Method: blame.Permutation, Permutations: 10},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o.Calls = true
			sameAtAnySpeed(t, p, cases, o)
		})
	}
}
