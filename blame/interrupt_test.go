package blame_test

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
)

// before calls a function before every step run of a pipeline.
func before(p *pipeline.Pipeline, do func()) *pipeline.Pipeline {
	for _, s := range p.Steps {
		for i := range s.Impls {
			run := s.Impls[i].Run
			s.Impls[i].Run = func(ctx context.Context, in pipeline.Args) (any, error) {
				do()
				return run(ctx, in)
			}
		}
	}
	return p
}

// after calls a function at the n-th step run of a pipeline.
func after(p *pipeline.Pipeline, n int, do func()) *pipeline.Pipeline {
	var runs atomic.Int64
	return before(p, func() {
		if runs.Add(1) == int64(n) {
			do()
		}
	})
}

// blocking says of every step that its runs wait for something.
func blocking(p *pipeline.Pipeline) *pipeline.Pipeline {
	for _, s := range p.Steps {
		for i := range s.Impls {
			s.Impls[i].Blocking = true
		}
	}
	return p
}

// TestInterrupted ends batches at random step runs: what is kept is what the
// whole batch would have said of those cases, and the rest isn't counted.
func TestInterrupted(t *testing.T) {
	early, inHarm := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawTables(t, shape{steps: 4, variants: 2, levels: 3, noisy: true})
		p.blocking = rapid.Bool().Draw(t, "blocking")
		o := blame.Options{
			Concurrency: rapid.IntRange(1, 8).Draw(t, "concurrency"), Claim: rapid.SampledFrom([]blame.Claim{blame.Traffic, blame.ThisBatch}).Draw(t, "claim"),
			Mode: rapid.SampledFrom([]blame.Mode{blame.Recorded, blame.Posterior, blame.Prior}).Draw(t, "mode"), Worlds: 2,
			Method: rapid.SampledFrom([]blame.Method{blame.Auto, blame.Permutation}).Draw(t, "method"), Permutations: 4,
			Budget: rapid.SampledFrom([]float64{0, 1e6}).Draw(t, "budget"),
		}
		cases := p.cases(8)
		p.runs.take()
		whole := batchOf(t, p.pipeline(), cases, o)
		times, _ := p.runs.take()
		want := map[string]blame.CaseResult{}
		for _, c := range whole.Cases {
			want[c.ID] = c
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		why := errors.New("that will do")
		told, toldThen := atomic.Int64{}, int64(-1)
		o.Each = func(blame.CaseResult) { told.Add(1) }
		first := 1
		if rapid.Bool().Draw(t, "late") { // the plan on passing cases runs last
			first = len(times) * 3 / 4
		}
		at := rapid.IntRange(max(1, first), len(times)+2).Draw(t, "run")
		r, err := blame.Batch(ctx, after(p.pipeline(), at, func() {
			toldThen = told.Load()
			cancel(why)
		}), cases, o)
		if r == nil {
			t.Fatalf("no result: %v", err)
		}
		if r.Summary.Partial != (r.Summary.Stopped == "interrupted") || (err != nil) != r.Summary.Partial || err != nil && !errors.Is(err, why) {
			t.Fatalf("partial %v, stopped %s, error %v", r.Summary.Partial, r.Summary.Stopped, err)
		}
		if toldThen < 0 && r.Summary.Partial {
			t.Fatalf("it wasn't interrupted: %+v", r.Summary)
		}
		if r.Summary.Cases < 8 {
			early++
			if !r.Summary.Partial {
				t.Fatalf("%d cases, and not partial", r.Summary.Cases)
			}
		} else if r.Summary.Partial {
			inHarm++
		}
		if int64(r.Summary.Cases) != told.Load() || int64(r.Summary.Cases) < toldThen || len(r.Cases) != r.Summary.Cases {
			t.Fatalf("%d cases of which %d are kept; %d were told of, %d before the end", r.Summary.Cases, len(r.Cases), told.Load(), toldThen)
		}
		cost, counts := 0.0, [3]int{}
		for _, c := range r.Cases {
			if diff := cmp.Diff(want[c.ID], c, cmpopts.IgnoreUnexported(blame.CaseResult{}), cmpopts.IgnoreFields(blame.CaseResult{}, "Story")); diff != "" {
				t.Fatalf("case %s (-whole +interrupted):\n%s", c.ID, diff)
			}
			cost += c.Cost
			switch {
			case c.Passed:
				counts[0]++
			case c.Undefined != "":
				counts[1]++
			default:
				counts[2]++
			}
		}
		if r.Harm != nil {
			cost += r.Harm.Cost
			if r.Harm.Cut != r.Summary.Partial || r.Harm.Cases > r.Summary.Passed {
				t.Fatalf("harm %+v, partial %v", r.Harm, r.Summary.Partial)
			}
		}
		s := r.Summary
		if counts != [3]int{s.Passed, s.Undefined, s.Analyzed} {
			t.Fatalf("cases %v, summary %+v", counts, s)
		}
		near(t, "cost", []float64{s.Cost}, []float64{cost}, 1e-9)
	})
	if early < 10 || inHarm < 3 {
		t.Errorf("%d batches were interrupted before the last case, %d after", early, inHarm)
	}
}

// TestInterruptedSlow interrupts a batch while its first case in the drawn order is
// still at work and those after it are done: a result about these would be about
// fast cases.
func TestInterruptedSlow(t *testing.T) {
	var order []string
	var first string
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var fast atomic.Int64
	step := pipeline.NewStep("s", same).Variant("fix", func(ctx context.Context, n int) (int, error) {
		if id := pipeline.CaseOf(ctx).ID; id == first {
			<-ctx.Done()
			return 0, ctx.Err()
		}
		return 2, nil
	})
	score := func(ctx context.Context, c pipeline.Case, n int) (float64, error) {
		if n == 2 && first != "" && fast.Add(1) == 3 {
			cancel()
		}
		return equals(ctx, c, n)
	}
	p := pipeline.New("p", step.Do, score, step)
	var cases []pipeline.Case
	for k := range 4 {
		c := numbered(1, 2)
		c.ID = fmt.Sprint("c", k)
		cases = append(cases, c)
	}
	batchOf(t, p, cases, blame.Options{Each: func(c blame.CaseResult) { order = append(order, c.ID) }})
	first = order[0]
	r, err := blame.Batch(ctx, p, cases, blame.Options{})
	if !errors.Is(err, context.Canceled) || !r.Summary.Partial || r.Summary.Cases != 0 || len(r.Cases) != 0 {
		t.Errorf("error %v, %d cases, summary %+v", err, len(r.Cases), r.Summary)
	}
}

// TestKeepCases keeps the first cases in the order of analysis, and says so; what
// is said of all doesn't depend on it.
func TestKeepCases(t *testing.T) {
	p, cases := culprits(), culpritCases(30, 2)
	for i := range cases {
		cases[i].ID = fmt.Sprint("c", i)
	}
	var order []string
	all := batchOf(t, p, cases, blame.Options{Each: func(c blame.CaseResult) { order = append(order, c.ID) }})
	if all.Summary.CasesKept != nil || len(all.Cases) != 30 {
		t.Fatalf("%d cases, kept %v", len(all.Cases), all.Summary.CasesKept)
	}
	for keep, want := range map[int]int{-1: 0, 1: 1, 7: 7, 30: 30, 50: 30} {
		r := batchOf(t, p, cases, blame.Options{KeepCases: keep})
		var kept []string
		for _, c := range r.Cases {
			kept = append(kept, c.ID)
		}
		if diff := cmp.Diff(order[:want], kept, cmpopts.SortSlices(func(a, b string) bool { return a < b }), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("keep %d (-want +got):\n%s", keep, diff)
		}
		if (r.Summary.CasesKept != nil) != (want < 30) || want < 30 && *r.Summary.CasesKept != want {
			t.Errorf("keep %d: kept %v", keep, r.Summary.CasesKept)
		}
		r.Cases, r.Summary.CasesKept = all.Cases, nil
		r.Values, r.Summary.Stories = all.Values, all.Summary.Stories
		if diff := cmp.Diff(all, r, cmpopts.IgnoreUnexported(blame.CaseResult{})); diff != "" {
			t.Errorf("keep %d (-all +kept):\n%s", keep, diff)
		}
	}
}
