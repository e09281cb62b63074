package blame

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
)

// Batch analyses all cases: it runs each, analyses those that fail, and sums up
// what each step is to blame for. When ctx ends, what is known so far is
// returned and marked partial, along with the context's error.
func Batch(ctx context.Context, p *pipeline.Pipeline, cases []pipeline.Case, o Options) (*Result, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	e, err := o.engine(p)
	if err != nil {
		return nil, err
	}
	if o.Monitor != nil {
		o.Monitor.engine.Store(e)
		o.Monitor.total.Store(int64(len(cases)))
	}
	b := &batch{analysis: analysis{engine: e, options: o}, cases: cases, order: order(len(cases), o.Seed)}
	results, done := b.run(ctx)
	r := b.sum(results, done)
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	return r, nil
}

// order draws the order in which cases are analysed: the order of a file says
// something, and rules that stop early must not learn from it.
func order(n int, seed uint64) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	rand.New(rand.NewPCG(seed, 0x6f726465720a)).Shuffle(n, func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

type batch struct {
	analysis
	cases []pipeline.Case
	order []int
}

// run analyses the cases, several at once. A case is filed when all before it in
// the drawn order are, so that nothing depends on which was faster.
func (b *batch) run(ctx context.Context) (results []*CaseResult, done []bool) {
	results = make([]*CaseResult, len(b.cases))
	done = make([]bool, len(b.cases))
	// ended[k] is closed when the k-th case in order has been filed.
	ended := make([]chan struct{}, len(b.cases)+1)
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	close(ended[0])
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(b.options.Concurrency, len(b.cases)) {
		workers.Go(func() {
			for k := range next {
				i := b.order[k]
				var turn func()
				if b.options.Budget > 0 {
					// The budget goes to the cases in order, one at a time.
					turn = func() { <-ended[k] }
				}
				r := b.analyze(ctx, &b.cases[i], turn)
				<-ended[k]
				if !isCancelled(ctx) || r.Passed || r.Method != "" {
					results[i], done[i] = r, true
					b.file(r)
				}
				close(ended[k+1])
			}
		})
	}
	for k := range b.cases {
		if ctx.Err() != nil {
			break
		}
		next <- k
	}
	close(next)
	workers.Wait()
	return results, done
}

// file tells who listens that a case is done.
func (b *batch) file(r *CaseResult) {
	if m := b.options.Monitor; m != nil {
		m.done.Add(1)
		if !r.Passed && r.Undefined == "" {
			m.failures.Add(1)
		}
	}
	if b.options.Each != nil {
		b.options.Each(*r)
	}
}

// sum makes the result of the cases that are done, in their own order.
func (b *batch) sum(results []*CaseResult, done []bool) *Result {
	r := &Result{Schema: Schema, Pipeline: describe(b.engine), Settings: b.options.settings(), Cases: []CaseResult{}}
	r.Summary.Stopped = "all cases"
	sums := newSums(b.engine)
	for i, c := range results {
		if !done[i] {
			r.Summary.Stopped, r.Summary.Partial = "interrupted", true
			continue
		}
		r.Cases = append(r.Cases, *c)
		sums.add(&r.Summary, c)
	}
	if b.options.Budget > 0 && slices.ContainsFunc(r.Cases, func(c CaseResult) bool { return c.Undefined != "" }) && b.engine.BudgetEnded() {
		r.Summary.Stopped = "budget"
	}
	r.Steps = sums.steps(r.Summary.Analyzed)
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
		for _, v := range s.Impls[1:] {
			step.Variants = append(step.Variants, v.Name)
			if v.Name == step.Fix {
				step.FixCost = v.Cost
			}
		}
		info.Steps = append(info.Steps, step)
	}
	return info
}
