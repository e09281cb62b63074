package blame_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/demo"
	"github.com/agentblame/agentblame/pipeline"
)

// refunds are cases of the refund pipeline with what is expected of them: 90 is
// what it says, 30 is right, 7 is what no fix makes it say.
func refunds(expected ...any) []pipeline.Case {
	var out []pipeline.Case
	for i, e := range expected {
		c := demo.RefundCase()
		c.ID, c.Expected = fmt.Sprint("q", i), e
		out = append(out, c)
	}
	return out
}

// TestBatch sums up cases of all kinds.
func TestBatch(t *testing.T) {
	type step struct {
		Shapley, FixAlone, LeaveOut, Resolves, Share float64
		LastTouch                                    int
	}
	for name, p := range map[string]*pipeline.Pipeline{"function": demo.Refund("A"), "graph": demo.RefundGraph("A")} {
		t.Run(name, func(t *testing.T) {
			cases := refunds(30, 90, 7, "soon", 30, 90, 30)
			told := map[string]int{}
			monitor := &blame.Monitor{}
			r, err := blame.Batch(t.Context(), p, cases, blame.Options{
				Harm: -1, Monitor: monitor, Each: func(c blame.CaseResult) { told[c.ID]++ },
			})
			if err != nil {
				t.Fatal(err)
			}
			s := r.Summary
			counts := []int{s.Given, s.Cases, s.Passed, s.Failures, s.Analyzed, s.Repairable, s.Unfixable, s.Undefined}
			if diff := cmp.Diff([]int{7, 7, 2, 4, 4, 3, 1, 1}, counts); diff != "" {
				t.Errorf("given, run, passed, failures, analysed, repairable, unfixable, undefined (-want +got):\n%s", diff)
			}
			if s.Stopped != "all cases" || s.Partial || s.Cost != 4*14 || s.CostFactual != 7*4 || s.CostUncached != 4*64 {
				t.Errorf("summary %+v", s)
			}
			// Means are over the four failures with values, of which three are repaired.
			want := []step{
				{5. / 16, 0.75, 0, 0.75, 5. / 12, 0}, {5. / 16, 0.75, 0, 0.75, 5. / 12, 0},
				{1. / 16, 0, 0, 0, 1. / 12, 0}, {1. / 16, 0, 0, 0, 1. / 12, 4},
			}
			var got []step
			for i, name := range []string{"planner", "retriever", "writer", "reviewer"} {
				s := r.Steps[i]
				if s.Name != name {
					t.Errorf("step %d is %s", i, s.Name)
				}
				got = append(got, step{s.Shapley.Mean, s.FixAlone, s.LeaveOneOut, s.Resolves, *s.Share, s.LastTouch})
			}
			if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b float64) bool { return a-b < 1e-12 && b-a < 1e-12 })); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			for i, c := range r.Cases {
				if c.ID != cases[i].ID || told[c.ID] != 1 {
					t.Errorf("case %d is %s and was told of %d times", i, c.ID, told[c.ID])
				}
			}
			if p := monitor.Progress(); p.Cases != 7 || p.Done != 7 || p.InFlight != 0 || p.Cost != s.Cost {
				t.Errorf("progress %+v", p)
			}
		})
	}
}

// TestBatchEmpty has nothing to say.
func TestBatchEmpty(t *testing.T) {
	r, err := blame.Batch(t.Context(), demo.Refund("A"), nil, blame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary.Cases != 0 || r.Summary.Partial || len(r.Steps) != 4 || r.Steps[0].Share != nil {
		t.Errorf("summary %+v, %d steps", r.Summary, len(r.Steps))
	}
	if _, err := json.Marshal(r); err != nil {
		t.Error(err)
	}
}

// TestBatchCalls adds the blame of calls up to their step.
func TestBatchCalls(t *testing.T) {
	a := pipeline.NewStep("a", same).Variant("fix", func(_ context.Context, n int) (int, error) { return n + 1, nil })
	p := pipeline.New("p", func(ctx context.Context, n int) (int, error) {
		for range 2 {
			var err error
			if n, err = a.Do(ctx, n); err != nil {
				return 0, err
			}
		}
		return n, nil
	}, equals, a)
	cases := []pipeline.Case{numbered(0, 2), numbered(0, 1)}
	cases[0].ID, cases[1].ID = "both", "either"
	r, err := blame.Batch(t.Context(), p, cases, blame.Options{Calls: true, Harm: -1})
	if err != nil {
		t.Fatal(err)
	}
	// Both calls must be fixed in the one, and exactly one in the other, where
	// fixing both is as bad as none.
	if got := r.Cases[0].ShapleyExact; got.Get("a#1") != "1/2" || got.Get("a#2") != "1/2" {
		t.Errorf("blame %v", got)
	}
	if got := r.Cases[1].ShapleyExact; got.Get("a#1") != "0" || got.Get("a#2") != "0" {
		t.Errorf("blame %v", got)
	}
	if s := r.Steps[0]; s.Shapley.Mean != 0.5 || s.Calls != 2 || s.Resolves != 0.5 {
		t.Errorf("step %+v", s)
	}
}

// TestBatchCancelled ends a batch in the middle: what is done is kept. In a
// bubble, goroutines that are left behind fail the test.
func TestBatchCancelled(t *testing.T) {
	for _, concurrency := range []int{1, 4} {
		for _, budget := range []float64{0, 1000} {
			t.Run(fmt.Sprint(concurrency, " at once, budget ", budget), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					slow := pipeline.NewStep("slow", func(ctx context.Context, n int) (int, error) {
						select {
						case <-time.After(time.Second):
							return n, nil
						case <-ctx.Done():
							return 0, ctx.Err()
						}
					}).Variant("fix", func(_ context.Context, n int) (int, error) { return n + 1, nil })
					p := pipeline.New("p", slow.Do, equals, slow)
					var cases []pipeline.Case
					for i := range 10 {
						c := numbered(i, i+1)
						c.ID = fmt.Sprint("c", i)
						cases = append(cases, c)
					}
					why := errors.New("that will do")
					ctx, cancel := context.WithCancelCause(t.Context())
					done := 0
					r, err := blame.Batch(ctx, p, cases, blame.Options{Concurrency: concurrency, Budget: budget, Each: func(blame.CaseResult) {
						if done++; done == 3 {
							cancel(why)
						}
					}})
					if !errors.Is(err, why) || r == nil {
						t.Fatalf("%v, error %v", r, err)
					}
					if r.Summary.Stopped != "interrupted" || !r.Summary.Partial || r.Summary.Given != 10 {
						t.Errorf("summary %+v", r.Summary)
					}
					if n := r.Summary.Cases; n < 3 || n == 10 || n != len(r.Cases) || r.Summary.Analyzed != n {
						t.Errorf("%d cases are kept, of which %d analysed", n, r.Summary.Analyzed)
					}
					for _, c := range r.Cases {
						if c.ShapleyExact.Get("slow") != "1" || c.LastTouch != "slow" {
							t.Errorf("case %s: blame %v, last touch %s", c.ID, c.ShapleyExact, c.LastTouch)
						}
					}
				})
			})
		}
	}
}

// TestCancelledCase returns what is known, and the context's cause.
func TestCancelledCase(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("enough")
	cancel(why)
	r, err := blame.Case(ctx, demo.Refund("A"), demo.RefundCase(), blame.Options{})
	if !errors.Is(err, why) || r == nil || r.Undefined == "" || r.Shapley != nil {
		t.Errorf("%s, error %v", brief(r), err)
	}
}

// TestCancelledAtTheEnd ends a case's analysis when all its values are known: it
// keeps them, and is whole.
func TestCancelledAtTheEnd(t *testing.T) {
	step := pipeline.NewStep("a", same).Variant("fix", func(_ context.Context, n int) (int, error) { return n + 1, nil })
	for last := 1; last <= 5; last++ {
		ctx, cancel := context.WithCancel(t.Context())
		runs := 0
		p := pipeline.New("p", func(ctx context.Context, n int) (int, error) {
			if runs++; runs == last {
				cancel()
			}
			return step.Do(ctx, n)
		}, equals, step)
		r, err := blame.Case(ctx, p, numbered(0, 1), blame.Options{Concurrency: 1})
		whole := r.Undefined == ""
		if whole != (r.LastTouch == "a") || whole != (r.ShapleyExact.Get("a") == "1") || whole != (len(r.MinimalRepairs) == 1) {
			t.Errorf("cancelled in run %d: %s", last, brief(r))
		}
		// The factual run, the walk as it was and the walk with the fix are needed.
		if whole != (last > 3) || (err != nil) != (last <= 4) {
			t.Errorf("cancelled in run %d: undefined %q, error %v", last, r.Undefined, err)
		}
		cancel()
	}
}
