package blame

import (
	"math"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
)

// A Plan is what an analysis may run and cost, told before it runs anything.
type Plan struct {
	Cases int
	Steps []PlanStep
	// FactualRuns and FactualCost are those of running every case as it is.
	FactualRuns, FactualCost float64
	// MaxRuns and MaxCost bound the analysis of one failing case: what it comes
	// to when no two states merge. In most pipelines it is far less.
	MaxRuns, MaxCost float64
	// HarmCases is on how many cases it may be measured what fixes break or luck
	// repairs, and HarmRuns and HarmCost bound what that comes to in all.
	HarmCases          int
	HarmRuns, HarmCost float64
}

// PlanStep is a step's part of a plan.
type PlanStep struct {
	Name, Fix string
	// MaxRuns is the most runs of the step in the analysis of one failing case.
	MaxRuns float64
	// Cost and FixCost are the prices of one run.
	Cost, FixCost float64
}

// PlanBatch tells what Batch may run and cost. For each step it counts the
// combinations of fixes among those it depends on, by the wiring of a graph, or,
// for a Go function, all steps declared before it, in each world; and the further
// variants that are tried alone. Loops and retries are not foreseen.
func PlanBatch(p *pipeline.Pipeline, cases []pipeline.Case, o Options) (*Plan, error) {
	o = o.withDefaults()
	if err := o.check(); err != nil {
		return nil, err
	}
	e, err := o.engine(p)
	if err != nil {
		return nil, err
	}
	plan := &Plan{Cases: len(cases)}
	above := ancestors(p)
	worlds := float64(o.Worlds)
	factual := 0.0 // the first as-run one of a step
	if o.Mode == Recorded && !o.Independent {
		factual = 1
	}
	for i, s := range p.Steps {
		step := PlanStep{Name: s.Name, Fix: e.FixOf(i), Cost: s.Impls[0].Cost}
		states := worlds
		others := 0.0 // runs below a further variant of another step
		for j := range p.Steps {
			if e.FixOf(j) != "" && (above[i][j] || o.Independent && j != i) {
				states *= 2
			}
			if above[i][j] && !o.Calls {
				others += worlds * float64(max(0, len(p.Steps[j].Impls)-2))
			}
		}
		maxCost := 0.0
		add := func(runs, cost float64) {
			step.MaxRuns += runs
			maxCost += runs * cost
		}
		add(states-factual+others, step.Cost)
		for k, impl := range s.Impls[1:] {
			if k+1 == s.Fix(step.Fix) {
				step.FixCost = impl.Cost
				add(states, impl.Cost)
			} else if !o.Calls {
				add(worlds, impl.Cost) // tried alone
			}
		}
		plan.Steps = append(plan.Steps, step)
		plan.FactualRuns += float64(len(cases))
		plan.FactualCost += float64(len(cases)) * step.Cost
		plan.MaxRuns += step.MaxRuns
		plan.MaxCost += maxCost
	}
	if cost := p.Score.Impl.Cost; cost > 0 { // no step, but it is paid for
		states, others := worlds, 0.0
		for i, s := range p.Steps {
			if e.FixOf(i) != "" {
				states *= 2
			}
			if !o.Calls {
				others += worlds * float64(max(0, len(s.Impls)-2))
			}
		}
		plan.FactualCost += float64(len(cases)) * cost
		plan.MaxCost += (states - factual + others) * cost
	}
	plan.harm(e, o, above)
	if o.Budget > 0 {
		plan.MaxCost = math.Min(plan.MaxCost, o.Budget)
		plan.HarmCost = math.Min(plan.HarmCost, o.Budget)
	}
	return plan, nil
}

// harm bounds what measuring harm comes to. A passing case is replayed with each
// fix and each further variant alone, with the sets of two and more fixes of a
// plan, and as it was in a fresh world; a failing one in that world only. How many
// pass isn't known: the most is when as many as are wanted do.
func (p *Plan) harm(e *replay.Engine, o Options, above []map[int]bool) {
	steps := e.Pipeline().Steps
	players, alone := 0, make([]float64, len(steps)) // fixes and variants tried alone, by step
	for i, s := range steps {
		if e.FixOf(i) == "" {
			continue
		}
		players++
		if alone[i] = 1; !o.Calls {
			alone[i] = float64(len(s.Impls) - 1)
		}
	}
	if players == 0 || o.Harm < 0 {
		return
	}
	passing := min(o.Harm, p.Cases)
	failing := min(o.Harm, p.Cases-passing)
	sets := float64(players - 1)
	if o.Calls {
		sets = 0 // there is no plan
	}
	count := func(cases int, runs, cost float64) {
		p.HarmRuns += float64(cases) * runs
		p.HarmCost += float64(cases) * runs * cost
	}
	p.HarmCases = passing + failing
	for i, s := range steps {
		below := 0.0 // replays with a change above the step
		for j := range above[i] {
			below += alone[j]
		}
		asRun := s.Impls[0].Cost
		count(passing, 1+below, asRun)
		count(failing, 1, asRun)
		for k, impl := range s.Impls[1:] {
			if fix := k+1 == s.Fix(e.FixOf(i)); alone[i] > 0 && (fix || !o.Calls) {
				count(passing, 1, impl.Cost)
			}
		}
		switch {
		case alone[i] > 0:
			count(passing, sets, max(asRun, s.Impls[s.Fix(e.FixOf(i))].Cost))
		case below > 0:
			count(passing, sets, asRun)
		}
	}
	if cost := e.Pipeline().Score.Impl.Cost; cost > 0 { // no step, but it is paid for
		replays := 1 + sets
		for _, n := range alone {
			replays += n
		}
		p.HarmCost += cost * (float64(passing)*replays + float64(failing))
	}
}

// ancestors returns, for each step, the steps that its inputs may depend on.
func ancestors(p *pipeline.Pipeline) []map[int]bool {
	index := map[string]int{}
	for i, s := range p.Steps {
		index[s.Name] = i
	}
	out := make([]map[int]bool, len(p.Steps))
	var visit func(i int) map[int]bool
	visit = func(i int) map[int]bool {
		if out[i] != nil {
			return out[i]
		}
		out[i] = map[int]bool{}
		s := p.Steps[i]
		if s.Needs == nil && p.Inputs == nil {
			for j := range i {
				out[i][j] = true
			}
			return out[i]
		}
		for _, need := range s.Needs {
			j, isStep := index[need]
			if !isStep || j == i {
				continue
			}
			out[i][j] = true
			for k := range visit(j) {
				out[i][k] = true
			}
		}
		return out[i]
	}
	for i := range p.Steps {
		visit(i)
	}
	return out
}
