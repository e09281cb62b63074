package blame

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
)

// Batch analyses all cases: it runs each, analyses those that fail, and sums up
// what each step is to blame for. When ctx ends, what is known so far is
// returned and marked partial, along with the context's error.
func Batch(ctx context.Context, p *pipeline.Pipeline, cases []pipeline.Case, o Options) (*Result, error) {
	return BatchOf(ctx, p, caseList(cases), o)
}

// BatchOf is Batch for cases that need not all be in memory. With KeepCases set,
// its memory doesn't grow with their number.
func BatchOf(ctx context.Context, p *pipeline.Pipeline, cases Cases, o Options) (*Result, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	e, err := o.engine(p)
	if err != nil {
		return nil, err
	}
	if err := checkGroups(e, o.Groups); err != nil {
		return nil, err
	}
	if o.Monitor != nil {
		o.Monitor.engine.Store(e)
		o.Monitor.total.Store(int64(cases.Len()))
	}
	b := &batch{analysis: analysis{engine: e, options: o, inBatch: true}, cases: cases, order: newOrder(cases.Len(), o.Seed)}
	b.next.L = &b.mu
	if o.Claim == ThisBatch {
		b.prepareAll(ctx)
	}
	if b.sums, err = newSums(e, o, cases.Len(), b.failing()); err != nil {
		return nil, err
	}
	if err := b.run(ctx); err != nil {
		return nil, err
	}
	r := b.result()
	if !r.Summary.Partial && !b.harms(ctx, r) {
		r.Summary.Stopped, r.Summary.Partial = "interrupted", true
	}
	if ctx.Err() != nil && r.Summary.Partial {
		return r, context.Cause(ctx)
	}
	return r, nil
}

type batch struct {
	analysis
	cases Cases
	order order

	mu      sync.Mutex
	next    sync.Cond // filed has changed
	taken   int       // cases given to workers, in order
	filed   int       // cases filed, in order
	stopped string    // why no further case is filed, or ""
	missing bool      // a case was cut off by the end of the context
	failure error
	// ready are all cases in order, run as they were, for claims about this batch.
	ready []*prepared
	sums  *sums
	kept  []keptCase
	// stories are those of the kept cases.
	stories stories
	// passing and failed are the first of either, to measure harm on.
	passing, failed []sampledCase
}

// keptCase is a case that the result lists.
type keptCase struct {
	index  int
	result CaseResult
}

// run analyses the cases, several at once. A case is filed when all before it in
// the drawn order are, so that nothing depends on which was faster; what was
// begun beyond the end of a batch is cancelled and not counted.
func (b *batch) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	workers := b.options.Concurrency
	if workers > 1 {
		workers *= 2 // some wait for their turn to be filed
	}
	var group sync.WaitGroup
	for range min(workers, b.cases.Len()) {
		group.Go(func() {
			for b.one(ctx) {
			}
			// Whoever finds no more to do wakes those who wait for their turn.
			b.mu.Lock()
			if b.stopped != "" {
				cancel()
			}
			b.mu.Unlock()
			b.next.Broadcast()
		})
	}
	group.Wait()
	return b.failure
}

// one analyses the next case; it returns false when there is none.
func (b *batch) one(ctx context.Context) bool {
	b.mu.Lock()
	k := b.taken
	if k >= b.cases.Len() || b.stopped != "" || ctx.Err() != nil {
		b.mu.Unlock()
		return false
	}
	b.taken++
	b.mu.Unlock()

	i := b.order.at(k)
	var turn func()
	if b.options.Budget > 0 {
		// The budget goes to the cases in order, one at a time.
		turn = func() { b.await(k) }
	}
	var r *CaseResult
	if b.ready != nil {
		p := b.ready[k]
		if p.fails && turn != nil {
			turn()
		}
		b.finish(ctx, p)
		r = p.result
	} else {
		c := b.cases.At(i)
		r = b.analyze(ctx, &c, turn)
	}
	if !b.await(k) {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.next.Broadcast()
	b.filed++
	// A case that was cut off by the end of the context was not analysed. Those
	// after it that were happened to be fast, and don't count either.
	b.missing = b.missing || ctx.Err() != nil && r.Undefined != ""
	if b.missing {
		return false
	}
	return b.file(i, r)
}

// prepareAll runs all cases as they are, so that it is known how many fail.
func (b *batch) prepareAll(ctx context.Context) {
	b.ready = make([]*prepared, b.cases.Len())
	each(b.options.Concurrency, len(b.ready), func(k int) {
		c := b.cases.At(b.order.at(k))
		b.ready[k] = b.prepare(ctx, &c)
	})
}

// failing returns how many prepared cases fail, or 0 when that isn't known.
func (b *batch) failing() int {
	n := 0
	for _, p := range b.ready {
		if p.fails {
			n++
		}
	}
	return n
}

// await waits until all cases before the k-th are filed, and says whether the
// batch goes on.
func (b *batch) await(k int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.filed < k && b.stopped == "" {
		b.next.Wait()
	}
	return b.stopped == ""
}

// file counts a case and says whether the batch goes on. The caller holds the
// lock.
func (b *batch) file(index int, r *CaseResult) bool {
	if err := b.sums.add(r); err != nil {
		b.failure, b.stopped = err, "failed"
		return false
	}
	b.keepForHarm(r)
	if keep := b.options.KeepCases; keep == 0 || len(b.kept) < keep {
		b.stories.add(r)
		b.kept = append(b.kept, keptCase{index, *r})
	}
	if keep := b.options.KeepCases; keep != 0 && len(b.kept) >= keep {
		b.untold.Store(true)
	}
	r.raw = nil
	if m := b.options.Monitor; m != nil {
		m.done.Add(1)
		if !r.Passed && r.Undefined == "" {
			m.failures.Add(1)
		}
	}
	if b.options.Each != nil {
		b.options.Each(*r)
	}
	if reason, reached := b.sums.reached(); reached {
		b.stopped = reason
	} else if r.budget {
		b.stopped = "budget"
	}
	return b.stopped == ""
}

// keepForHarm keeps the case's session if it is among the first passing or
// failing ones.
func (b *batch) keepForHarm(r *CaseResult) {
	if r.sampled != nil {
		to := &b.failed
		if r.Passed {
			to = &b.passing
		}
		if len(*to) < b.options.Harm {
			*to = append(*to, *r.sampled)
		} else {
			r.sampled.session.Close() // the next case uses its memory
		}
	}
	r.game, r.sampled = nil, nil
}

// result sums up, with the cases in their own order.
func (b *batch) result() *Result {
	r := &Result{Schema: Schema, Pipeline: describe(b.engine), Settings: b.options.settings(), Cases: []CaseResult{}}
	slices.SortFunc(b.kept, func(x, y keptCase) int { return cmp.Compare(x.index, y.index) })
	for _, k := range b.kept {
		r.Cases = append(r.Cases, k.result)
	}
	b.sums.result(r)
	b.stories.result(r)
	r.Summary.Given = b.cases.Len()
	r.Summary.Stopped = cmp.Or(b.stopped, "all cases")
	if b.stopped == "" && (b.missing || b.filed < b.cases.Len()) {
		r.Summary.Stopped, r.Summary.Partial = "interrupted", true
	}
	if len(r.Cases) < r.Summary.Cases {
		kept := len(r.Cases)
		r.Summary.CasesKept = &kept
	}
	return r
}

// describe tells what was analysed.
func describe(e *replay.Engine) PipelineInfo {
	p := e.Pipeline()
	info := PipelineInfo{Name: p.Name}
	for i, s := range p.Steps {
		step := StepInfo{Name: s.Name, Needs: s.Needs, Input: s.Input, Fix: e.FixOf(i), Cost: s.Impls[0].Cost}
		if s.Input {
			step.Needs = nil
		}
		step.UnseenNoise, step.Key = s.Impls[0].Opaque, s.Key != nil
		for _, v := range s.Impls[1:] {
			step.Variants = append(step.Variants, v.Name)
			if v.Name == step.Fix {
				step.FixCost = v.Cost
				step.UnseenNoise = step.UnseenNoise || v.Opaque
			}
		}
		info.Steps = append(info.Steps, step)
	}
	return info
}
