package blame

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/replay"
)

// Harm describes on what it was measured which fixes break what passes today.
type Harm struct {
	// Cases is how many passing cases were replayed with fixes in place: the
	// first in the drawn order, and so a uniform sample of them.
	Cases int `json:"cases"`
	// Candidates is how many rates were measured; the interval of each holds for
	// all of them at once with probability 1−delta.
	Candidates int `json:"candidates"`
	// Placebo is the share of the sample that fails when it is only run again, as
	// it was, with fresh noise: what a fix that changes nothing would break by
	// luck. It is absent where no step draws noise.
	Placebo *Rate `json:"placebo,omitempty"`
	// PlaceboResolves is the share of as many failing cases that pass when they
	// are only run again with fresh noise: what such a fix would repair by luck.
	PlaceboResolves *Rate `json:"placebo_resolves,omitempty"`
	// Cost is what these replays cost; it is part of the analysis' cost.
	Cost float64 `json:"cost"`
	// Cut says that it ended early: by the budget, or from outside.
	Cut bool `json:"cut,omitempty"`
}

// sampledCase is a case that is kept to measure harm on.
type sampledCase struct {
	session *replay.Session
	noisy   bool
}

// candidate is something to try on passing cases: a coalition, or one variant of
// one step.
type candidate struct {
	fixes replay.Fixes
}

// measureHarm replays the sample under each candidate and returns the rate at
// which each breaks a case.
func (b *batch) measureHarm(ctx context.Context, candidates []candidate) (*Harm, []Rate) {
	h := &Harm{Cases: len(b.passing), Candidates: len(candidates)}
	broken := make([][]bool, len(b.passing))
	luck := make([]bool, len(b.passing))
	noisy := slices.ContainsFunc(b.passing, func(p sampledCase) bool { return p.noisy })
	missing := make([]error, len(b.passing)) // why a case has no results
	workers := b.options.Concurrency
	if b.options.Budget > 0 {
		workers = 1 // the budget goes to the cases in order
	}
	each(workers, len(b.passing), func(i int) {
		p := b.passing[i]
		out := make([]bool, len(candidates))
		for k, c := range candidates {
			t := p.session.Run(ctx, 0, c.fixes, false)
			if t.Err != nil {
				missing[i] = t.Err
				return
			}
			out[k] = t.Score < b.options.Pass
		}
		if noisy {
			fresh := p.session.World(0)
			fresh.Index = placeboWorld
			t := p.session.Run(ctx, p.session.AddWorld(fresh), replay.Fixes{}, false)
			if t.Err != nil {
				missing[i] = t.Err
				return
			}
			luck[i] = t.Score < b.options.Pass
		}
		broken[i] = out
	})
	for _, p := range b.passing {
		h.Cost += p.session.Cost()
	}
	h.Cut = anyOf(missing)
	measured := 0
	counts := make([]int, len(candidates))
	unlucky := 0
	for i, out := range broken[:before(ctx, missing)] {
		if out == nil {
			continue
		}
		measured++
		for k, bad := range out {
			if bad {
				counts[k]++
			}
		}
		if luck[i] {
			unlucky++
		}
	}
	h.Cases = measured
	rates := make([]Rate, len(candidates))
	for k, n := range counts {
		rates[k] = b.rate(n, measured, len(candidates))
	}
	if noisy {
		r := b.rate(unlucky, measured, len(candidates))
		h.Placebo = &r
		b.placebo(ctx, h, workers)
	}
	return h, rates
}

// placebo runs failing cases again, as they were.
func (b *batch) placebo(ctx context.Context, h *Harm, workers int) {
	for _, c := range b.failed {
		h.Cost -= c.session.Cost()
	}
	scores := make([]float64, len(b.failed))
	missing := make([]error, len(b.failed))
	each(workers, len(b.failed), func(i int) {
		scores[i], missing[i] = b.failed[i].again(ctx)
	})
	for _, c := range b.failed {
		h.Cost += c.session.Cost()
	}
	h.Cut = h.Cut || anyOf(missing)
	passed, measured := 0, 0
	for i, score := range scores[:before(ctx, missing)] {
		if missing[i] != nil {
			continue
		}
		measured++
		if score >= b.options.Pass {
			passed++
		}
	}
	if measured > 0 {
		r := b.rate(passed, measured, h.Candidates)
		h.PlaceboResolves = &r
	}
}

// before returns how many cases, in their order, come before the first that has no
// results because the budget ended, or ctx. Of those after it, the ones that have
// results are those whose replays cost nothing new, which aren't like the others.
func before(ctx context.Context, missing []error) int {
	for i, err := range missing {
		if errors.Is(err, replay.ErrBudget) || err != nil && ctx.Err() != nil {
			return i
		}
	}
	return len(missing)
}

// anyOf says whether any case has no results.
func anyOf(missing []error) bool {
	return slices.ContainsFunc(missing, func(err error) bool { return err != nil })
}

// again replays the case as it was with fresh noise.
func (c sampledCase) again(ctx context.Context) (float64, error) {
	fresh := c.session.World(0)
	fresh.Index = placeboWorld
	return c.session.Value(ctx, c.session.AddWorld(fresh), game.Coalition{})
}

// placeboWorld is the index of the world in which passing cases are run again.
const placeboWorld = 1 << 40

// rate is a counted share with an interval that holds for all of m rates at once.
func (b *batch) rate(count, of, m int) Rate {
	r := Rate{Count: count, Of: of, High: 1}
	if of > 0 {
		r.Rate = float64(count) / float64(of)
	}
	i, err := confseq.ClopperPearson(count, of, b.options.Delta/float64(max(1, m)))
	if err == nil {
		r.Low, r.High = i.Low, i.High
	}
	return r
}

// each calls f for 0 … n−1, several at once; with one worker, in that order.
func each(workers, n int, f func(i int)) {
	next := make(chan int)
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			for i := range next {
				f(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}

// harms measures harm for each fix alone, for each further variant, and for the
// plan's sets, and files it in the result. It returns false when the end of ctx
// came first.
func (b *batch) harms(ctx context.Context, r *Result) (done bool) {
	if len(b.passing) == 0 || len(r.Steps) == 0 {
		return true
	}
	if ctx.Err() != nil {
		return false
	}
	var candidates []candidate
	add := func(f replay.Fixes) int {
		candidates = append(candidates, candidate{f})
		return len(candidates) - 1
	}
	alone := make([]int, len(r.Steps))
	for i := range r.Steps {
		// A deployed fix holds for every call of its step.
		alone[i] = add(b.variant(i, b.engine.FixOf(b.stepOf(i))))
	}
	variants := map[[2]int]int{}
	for i, s := range r.Steps {
		for k, v := range s.Variants {
			if v.Name != b.engine.FixOf(b.stepOf(i)) {
				variants[[2]int{i, k}] = add(b.variant(i, v.Name))
			}
		}
	}
	var plan []int
	if r.Plan != nil {
		for _, set := range r.Plan.Sets {
			var c game.Coalition
			for _, name := range set.Fixes {
				c = c.With(slices.IndexFunc(r.Steps, func(s StepResult) bool { return s.Name == name }))
			}
			plan = append(plan, add(replay.Fixes{Coalition: c}))
		}
	}
	h, rates := b.measureHarm(ctx, candidates)
	r.Harm = h
	h.Cost = tidy(h.Cost)
	r.Summary.Cost = tidy(r.Summary.Cost + h.Cost)
	done = !h.Cut || ctx.Err() == nil
	if h.Cases == 0 {
		return done
	}
	failing := float64(r.Summary.Failures) / float64(r.Summary.Failures+r.Summary.Passed)
	net := func(resolved float64, breaks Rate) *float64 {
		if !b.sums.aloneKnown() {
			return nil
		}
		n := resolved*failing - breaks.Rate*(1-failing)
		return &n
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		s.Breaks = &rates[alone[i]]
		if s.Calls <= 1 { // else it resolves with one call fixed, and breaks with all
			s.Net = net(s.Resolves, *s.Breaks)
		}
		for k := range s.Variants {
			v := &s.Variants[k]
			at, other := variants[[2]int{i, k}]
			if !other {
				at = alone[i]
			}
			v.Breaks = &rates[at]
			v.Net = net(v.Resolves, *v.Breaks)
		}
		s.pickVariant()
	}
	for k, at := range plan {
		set := &r.Plan.Sets[k]
		set.Breaks = &rates[at]
		set.Net = net(set.Resolves, *set.Breaks)
	}
	return done
}
