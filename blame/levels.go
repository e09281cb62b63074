package blame

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
)

// GroupResult is what a batch says of a group of players: an agent of several
// steps, or a step of several calls.
type GroupResult struct {
	Name    string   `json:"name"`
	Members []string `json:"members"`
	// Shapley is the mean Shapley value of the group as one player.
	Shapley float64 `json:"shapley"`
}

// Repair is a set of fixes and what a run of them costs.
type Repair struct {
	Fixes []string `json:"fixes"`
	Cost  float64  `json:"cost"`
}

// grouping returns the groups of a case's players: those of the options, or, with
// calls as players, the calls of each step. Players in no group are their own.
func (a *analysis) grouping(names []string) (titles []string, groups []game.Coalition) {
	add := func(title string, member func(step string) bool) {
		var c game.Coalition
		for i, name := range names {
			step, _, _ := strings.Cut(name, "#")
			if member(step) {
				c = c.With(i)
			}
		}
		if !c.IsEmpty() {
			titles, groups = append(titles, title), append(groups, c)
		}
	}
	if len(a.options.Groups) > 0 {
		for _, g := range a.options.Groups {
			add(g.Name, func(step string) bool { return slices.Contains(g.Members, step) })
		}
		return titles, groups
	}
	if a.options.Calls {
		for _, step := range a.engine.Pipeline().StepNames() {
			add(step, func(s string) bool { return s == step })
		}
	}
	return titles, groups
}

// A Group is players that belong together: the steps of one agent.
type Group struct {
	Name    string
	Members []string // steps
}

// levels fills in blame by group, and by order where that was asked for.
func (a *analysis) levels(ctx context.Context, g *caseGame, r *CaseResult) error {
	share := 1 / float64(len(g.worlds))
	titles, groups := a.grouping(g.names)
	if len(groups) > 0 {
		sum := make([]float64, len(g.names))
		for _, d := range g.worlds {
			owen, err := d.Owen(groups, nil)
			if err != nil {
				return err
			}
			for i, v := range owen {
				sum[i] += share * v
			}
		}
		r.Owen = byPlayer(g.names, sum)
		totals := make([]float64, len(groups))
		for k, members := range groups {
			for i := range members.Players() {
				totals[k] += sum[i]
			}
		}
		r.Groups = byPlayer(titles, totals)
	}
	if a.options.Ordered {
		before := precedence(a.engine.Pipeline(), a.playersOf(g.names))
		sum := make([]float64, len(g.names))
		for _, d := range g.worlds {
			values, err := game.Asymmetric(ctx, before, d.Ask)
			if err != nil {
				return err
			}
			for i, v := range values {
				sum[i] += share * v
			}
		}
		r.ShapleyOrdered = byPlayer(g.names, sum)
	}
	return nil
}

// playersOf returns the steps of players given by name.
func (a *analysis) playersOf(names []string) []int {
	out := make([]int, len(names))
	for i, name := range names {
		step, _, _ := strings.Cut(name, "#")
		out[i] = slices.Index(a.engine.Pipeline().StepNames(), step)
	}
	return out
}

// precedence returns, for each player, those whose steps its step depends on.
func precedence(p *pipeline.Pipeline, steps []int) []game.Coalition {
	above := ancestors(p)
	out := make([]game.Coalition, len(steps))
	for i, step := range steps {
		for j, other := range steps {
			if above[step][other] {
				out[i] = out[i].With(j)
			}
		}
	}
	return out
}

// responsibility fills in what the minimal repairs of one world tell: each
// player's degree of responsibility, one over the size of the smallest minimal
// repair that it is in (Chockler and Halpern 2004), and the cheapest repair.
func (a *analysis) responsibility(g *caseGame, r *CaseResult) {
	if len(g.worlds) != 1 {
		return
	}
	all := g.worlds[0].Repairs(a.options.Pass)
	r.Responsibility = byPlayer(g.names, all.Responsibility(nil))
	costs := make([]float64, len(g.names))
	for i, step := range a.playersOf(g.names) {
		spec := a.engine.Pipeline().Steps[step]
		costs[i] = spec.Impls[spec.Fix(a.engine.FixOf(step))].Cost
	}
	if c, cost, ok := all.Cheapest(costs); ok {
		r.CheapestRepair = &Repair{Fixes: coalitionNames(c, g.names), Cost: cost}
	}
}

// checkGroups says what is wrong with the groups that were asked for.
func checkGroups(e *replay.Engine, groups []Group) error {
	in, named := map[string]string{}, map[string]bool{}
	for _, g := range groups {
		switch {
		case g.Name == "":
			return fmt.Errorf("a group has no name: its members are %s", strings.Join(g.Members, ", "))
		case named[g.Name]:
			return fmt.Errorf("two groups are named %s", g.Name)
		case len(g.Members) == 0:
			return fmt.Errorf("group %s has no members", g.Name)
		}
		named[g.Name] = true
		for _, m := range g.Members {
			if !slices.Contains(e.Pipeline().StepNames(), m) {
				return fmt.Errorf("group %s: there is no step %q (there are: %s)", g.Name, m, strings.Join(e.Pipeline().StepNames(), ", "))
			}
			if other, twice := in[m]; twice {
				return fmt.Errorf("step %s is in two groups, %s and %s", m, other, g.Name)
			}
			in[m] = g.Name
		}
	}
	return nil
}

// groupSums adds up blame by group.
type groupSums struct {
	order []string
	sum   map[string]float64
}

func (s *groupSums) add(groups ByPlayer[float64]) {
	for _, g := range groups {
		if s.sum == nil {
			s.sum = map[string]float64{}
		}
		if _, known := s.sum[g.Player]; !known {
			s.order = append(s.order, g.Player)
		}
		s.sum[g.Player] += g.Value
	}
}

func (s *groupSums) means(cases int, groups []Group, steps []string) []GroupResult {
	var out []GroupResult
	rank := func(name string) int {
		if i := slices.IndexFunc(groups, func(g Group) bool { return g.Name == name }); i >= 0 {
			return i
		}
		return slices.Index(steps, name)
	}
	order := slices.Clone(s.order)
	slices.SortFunc(order, func(a, b string) int { return rank(a) - rank(b) })
	for _, name := range order {
		g := GroupResult{Name: name, Members: []string{name}, Shapley: s.sum[name] / float64(cases)}
		for _, have := range groups {
			if have.Name == name {
				g.Members = have.Members
			}
		}
		out = append(out, g)
	}
	return out
}
