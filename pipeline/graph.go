package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Graph declares a pipeline by its wiring: steps with named inputs that are
// other steps' outputs or the case's inputs. Because the wiring is known, a
// replay forgets what nobody downstream needs, and equal states merge. A graph's
// replay fails when one of its steps does.
type Graph struct {
	// Name names the pipeline.
	Name string
	// Inputs are the inputs that a case must have.
	Inputs []Input
	// Steps are the steps in the order of reports; any order of wiring will do.
	Steps []*Spec
	// Score is the metric. When its Needs are nil it reads every step and input.
	Score Score
}

// An Input is a named input of a graph. With variants it is a player: its as-run
// value is the case's, and a variant gives another.
type Input struct {
	Name     string
	Variants []Impl
}

// Pipeline makes a pipeline of the graph. What is wrong with the declaration is
// reported, all of it, by [Pipeline.Check].
func (g Graph) Pipeline() *Pipeline {
	p := &Pipeline{Name: g.Name, Score: g.Score}
	prog := &graph{slots: map[string]int{}}
	for _, in := range g.Inputs {
		p.Inputs = append(p.Inputs, in.Name)
		if _, twice := prog.slots[in.Name]; twice {
			p.fault("two inputs are named %q", in.Name)
			continue
		}
		prog.slots[in.Name] = len(prog.slots)
		prog.inputs = append(prog.inputs, in.Name)
		if len(in.Variants) > 0 {
			spec := inputSpec(in)
			p.Steps = append(p.Steps, spec)
			prog.steps = append(prog.steps, graphStep{spec: spec, index: len(p.Steps) - 1, slot: prog.slots[in.Name]})
		}
	}
	for _, s := range g.Steps {
		if s == nil {
			p.fault("a nil step was given")
			continue
		}
		p.Steps = append(p.Steps, s)
		if _, taken := prog.slots[s.Name]; taken {
			if slices.Contains(p.Inputs, s.Name) {
				p.fault("%q is both an input and a step", s.Name)
			}
			continue // two steps of one name: Check says so
		}
		prog.slots[s.Name] = len(prog.slots)
		prog.steps = append(prog.steps, graphStep{spec: s, index: len(p.Steps) - 1, slot: prog.slots[s.Name]})
	}
	prog.wire(p)
	p.Program = prog
	return p
}

// inputSpec is the step that stands for an input with variants: its as-run
// implementation passes the case's value on.
func inputSpec(in Input) *Spec {
	pass := Impl{Run: func(_ context.Context, args Args) (any, error) { return args.At(0), nil }}
	return &Spec{Name: in.Name, Needs: []string{in.Name}, Input: true, Impls: append([]Impl{pass}, in.Variants...)}
}

// graph is the Program of a Graph. Values live in slots, the inputs' first.
type graph struct {
	inputs []string
	slots  map[string]int // by name
	steps  []graphStep    // in the order they run
	score  []int          // the slots that the score needs
}

// graphStep is a step with its wiring.
type graphStep struct {
	spec  *Spec
	index int   // in Pipeline.Steps
	slot  int   // where its output goes
	needs []int // slots of its inputs
	// live are the slots, filled by steps before this one, that this step, a
	// later one or the score still needs.
	live []int
	// ahead are later steps that become ready when this one does.
	ahead []int
}

// wire resolves names to slots, orders the steps, and works out what each point
// of a run still needs.
func (g *graph) wire(p *Pipeline) {
	names := append(slices.Clone(g.inputs), namesOf(g.steps)...)
	ok := true
	for i := range g.steps {
		s := &g.steps[i]
		for j, need := range s.spec.Needs {
			slot, found := g.slots[need]
			switch {
			case !found:
				p.fault("step %s needs %q, which is neither a step nor an input%s", s.spec.Name, need, didYouMean(need, without(names, s.spec.Name)))
				ok = false
			case slices.Index(s.spec.Needs, need) < j:
				p.fault("step %s needs %q twice", s.spec.Name, need)
			}
			s.needs = append(s.needs, slot)
		}
	}
	if p.Score.Needs == nil {
		p.Score.Needs = names
	}
	for _, need := range p.Score.Needs {
		slot, found := g.slots[need]
		if !found {
			p.fault("the score needs %q, which is neither a step nor an input%s", need, didYouMean(need, names))
			ok = false
		}
		g.score = append(g.score, slot)
	}
	if ok && g.order(p) {
		g.plan()
	}
}

func without(names []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == name })
}

func namesOf(steps []graphStep) []string {
	var out []string
	for _, s := range steps {
		if !s.spec.Input {
			out = append(out, s.spec.Name)
		}
	}
	return out
}

// order sorts the steps so that each comes after what it needs, keeping the
// declared order otherwise. A cycle is a fault.
func (g *graph) order(p *Pipeline) bool {
	filled := map[int]bool{}
	for _, in := range g.inputs {
		filled[g.slots[in]] = true
	}
	for _, s := range g.steps {
		if s.spec.Input {
			filled[s.slot] = false
		}
	}
	rest, sorted := slices.Clone(g.steps), []graphStep(nil)
	for len(rest) > 0 {
		i := slices.IndexFunc(rest, func(s graphStep) bool {
			return s.spec.Input || !slices.ContainsFunc(s.needs, func(n int) bool { return !filled[n] })
		})
		if i < 0 {
			p.fault("the steps %s need each other in a circle", strings.Join(cycle(rest), " → "))
			return false
		}
		filled[rest[i].slot] = true
		sorted = append(sorted, rest[i])
		rest = slices.Delete(rest, i, i+1)
	}
	g.steps = sorted
	return true
}

// cycle follows the needs of steps that can't be ordered until one comes again.
func cycle(rest []graphStep) []string {
	bySlot := map[int]graphStep{}
	for _, s := range rest {
		bySlot[s.slot] = s
	}
	var path []int
	at := rest[0]
	for {
		if i := slices.Index(path, at.slot); i >= 0 {
			path = append(path[i:], at.slot)
			break
		}
		path = append(path, at.slot)
		for _, n := range at.needs {
			if next, unordered := bySlot[n]; unordered {
				at = next
				break
			}
		}
	}
	var names []string
	for _, slot := range slices.Backward(path) {
		names = append(names, bySlot[slot].spec.Name)
	}
	return names
}

// plan works out, for each step in running order, the live slots and the steps
// that become ready with it.
func (g *graph) plan() {
	at := map[int]int{} // slot -> position of the step that fills it
	for i, s := range g.steps {
		at[s.slot] = i
	}
	wanted := map[int]bool{}
	for _, slot := range g.score {
		wanted[slot] = true
	}
	for i := len(g.steps) - 1; i >= 0; i-- {
		s := &g.steps[i]
		for _, n := range s.needs {
			wanted[n] = true
		}
		for slot, pos := range at {
			if pos < i && wanted[slot] {
				s.live = append(s.live, slot)
			}
		}
		slices.Sort(s.live)
	}
	for j, s := range g.steps {
		ready := 0 // the position from which all that s needs is known
		if !s.spec.Input {
			for _, n := range s.needs {
				if pos, filled := at[n]; filled {
					ready = max(ready, pos+1)
				}
			}
		}
		if ready < j {
			g.steps[ready].ahead = append(g.steps[ready].ahead, j)
		}
	}
}

// graphPoint is a place in a graph's run: the outputs of the steps before pos.
// The slots after it may be written by the run that reported it.
type graphPoint struct {
	graph  *graph
	values *Values
	slots  []*Value
	pos    int
}

// Key implements Point: the position and the live values.
func (p graphPoint) Key() [2]uint32 {
	var buf [16]uint32
	ids := buf[:0]
	for _, slot := range p.graph.steps[p.pos].live {
		ids = append(ids, p.slots[slot].ID)
	}
	return [2]uint32{uint32(p.pos), p.values.Tuple(ids...)}
}

// Prepare implements Program.
func (g *graph) Prepare(c *Case, values *Values) (Session, error) {
	inputs := make([]*Value, len(g.inputs))
	for i, name := range g.inputs {
		given, ok := c.Inputs[name]
		if !ok {
			return Session{}, fmt.Errorf("case %s has no input %q%s", c.ID, name, didYouMean(name, sortedKeys(c.Inputs)))
		}
		v, err := values.Intern(given)
		if err != nil {
			return Session{}, fmt.Errorf("input %s of case %s: %w", name, c.ID, err)
		}
		inputs[i] = v
	}
	return Session{Case: c, Values: values, Input: inputs}, nil
}

// Run implements Program.
func (g *graph) Run(ctx context.Context, in Session, at Point, calls Caller) ([]*Value, error) {
	slots := make([]*Value, len(g.slots))
	copy(slots, in.Input.([]*Value)) // the inputs' slots come first
	pos := 0
	if p, resumed := at.(graphPoint); resumed {
		pos = p.pos
		for _, s := range g.steps[:pos] {
			slots[s.slot] = p.slots[s.slot]
		}
	}
	for ; pos < len(g.steps); pos++ {
		s := &g.steps[pos]
		call := g.call(s, slots)
		call.At = graphPoint{g, in.Values, slots, pos}
		for _, j := range s.ahead {
			call.Ahead = append(call.Ahead, g.call(&g.steps[j], slots))
		}
		v, err := calls.Call(ctx, call)
		if err != nil {
			return nil, err
		}
		if err := v.Err(); err != nil {
			return nil, fmt.Errorf("step %s: %w", s.spec.Name, err)
		}
		slots[s.slot] = v
	}
	out := make([]*Value, len(g.score))
	for i, slot := range g.score {
		out[i] = slots[slot]
	}
	return out, nil
}

func (g *graph) call(s *graphStep, slots []*Value) Call {
	args := make([]*Value, len(s.needs))
	for i, n := range s.needs {
		args[i] = slots[n]
	}
	return Call{Step: s.index, Label: "1", Args: args}
}
