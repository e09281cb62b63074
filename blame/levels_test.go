package blame_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/demo"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
)

// averageOver is the mean, over the orders of players that are allowed, of what
// each gains when it joins those before it: the definition of Shapley, Owen and
// asymmetric Shapley values alike.
func averageOver(v game.Table, allowed func(order []int) bool) []float64 {
	n := v.Players()
	out, count := make([]float64, n), 0.0
	var visit func(order []int)
	visit = func(order []int) {
		if len(order) == n {
			if !allowed(order) {
				return
			}
			count++
			s := 0
			for _, i := range order {
				out[i] += v[s|1<<i] - v[s]
				s |= 1 << i
			}
			return
		}
		for i := range n {
			if !slices.Contains(order, i) {
				visit(append(order[:len(order):len(order)], i))
			}
		}
	}
	visit(nil)
	for i := range out {
		out[i] /= count
	}
	return out
}

// together says whether the members of each group come one after another.
func together(order []int, groupOf func(player int) int) bool {
	var met []int
	for k, i := range order {
		g := groupOf(i)
		if k > 0 && g == groupOf(order[k-1]) {
			continue
		}
		if slices.Contains(met, g) {
			return false
		}
		met = append(met, g)
	}
	return true
}

// TestGroups gives blame to agents of several steps: the values over orders in
// which the steps of an agent come together, and an agent's is the Shapley value
// of the game in which it is one player.
func TestGroups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTables(t, shape{steps: 5, levels: 3, noisy: true, sure: true})
		mode := rapid.SampledFrom([]blame.Mode{blame.Recorded, blame.Prior}).Draw(t, "mode")
		n := len(p.steps)
		groupOf := make([]int, n)
		var groups []blame.Group
		for i := range n {
			// Steps in no group are their own.
			if groupOf[i] = rapid.IntRange(0, 2).Draw(t, "group"); groupOf[i] == 2 {
				groupOf[i] = 10 + i
				continue
			}
			name := fmt.Sprint("agent ", groupOf[i])
			at := slices.IndexFunc(groups, func(g blame.Group) bool { return g.Name == name })
			if at < 0 {
				groups, at = append(groups, blame.Group{Name: name}), len(groups)
			}
			groups[at].Members = append(groups[at].Members, p.steps[i].name)
		}
		o := blame.Options{Mode: mode, Worlds: 2, Seed: 5, Groups: groups, Harm: -1}
		r := batchOf(t, p.pipeline(), p.cases(3), o)
		sums, failures := map[string]float64{}, 0.0
		for i, c := range r.Cases {
			if c.Passed {
				continue
			}
			failures++
			var games []game.Table
			for _, w := range p.worlds(t, p.cases(3)[i], mode, 2) {
				games = append(games, p.game(p.cases(3)[i], w))
			}
			v := mean(games...)
			if len(groups) == 0 {
				if c.Owen != nil || c.Groups != nil {
					t.Fatalf("there are no groups: %v, %v", c.Owen, c.Groups)
				}
				continue
			}
			near(t, "Owen values", valuesOfSteps(p, c.Owen), averageOver(v, func(order []int) bool {
				return together(order, func(player int) int { return groupOf[player] })
			}), 1e-12)
			quotient, places := quotientGame(v, groupOf)
			values := shapleyOf(quotient)
			for k, g := range groups {
				member := slices.IndexFunc(p.steps, func(s table) bool { return s.name == g.Members[0] })
				near(t, g.Name, []float64{c.Groups[k].Value}, []float64{values[places[groupOf[member]]]}, 1e-12)
				sums[g.Name] += c.Groups[k].Value
			}
		}
		if failures == 0 || len(groups) == 0 {
			return
		}
		if len(r.Groups) != len(groups) {
			t.Fatalf("groups %+v", r.Groups)
		}
		for k, g := range groups {
			if r.Groups[k].Name != g.Name || !slices.Equal(r.Groups[k].Members, g.Members) {
				t.Fatalf("group %d is %+v, want %+v", k, r.Groups[k], g)
			}
			near(t, g.Name, []float64{r.Groups[k].Shapley}, []float64{sums[g.Name] / failures}, 1e-12)
		}
	})
}

// quotientGame is the game of groups as players. places are their numbers in it.
func quotientGame(v game.Table, groupOf []int) (game.Table, map[int]int) {
	places := map[int]int{}
	for _, g := range groupOf {
		if _, known := places[g]; !known {
			places[g] = len(places)
		}
	}
	q := make(game.Table, 1<<len(places))
	for s := range q {
		mask := 0
		for i, g := range groupOf {
			mask |= s >> places[g] & 1 << i
		}
		q[s] = v[mask]
	}
	return q, places
}

// TestCallsInGroups has calls as players: a step's value is that of its calls as
// one player.
func TestCallsInGroups(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 31))
	for range 30 {
		v := make(game.Table, 16)
		for s := 1; s < 16; s++ {
			v[s] = float64(rng.IntN(3)) / 2
		}
		// Calls alternate: x#1, y#1, x#2, y#2 set the bits 0, 1, 2, 3.
		type state struct{ Call, Fixed int }
		run := func(fix int) func(context.Context, state) (state, error) {
			return func(_ context.Context, in state) (state, error) {
				return state{in.Call + 1, in.Fixed | fix<<in.Call}, nil
			}
		}
		x := pipeline.NewStep("x", run(0)).Variant("fix", run(1))
		y := pipeline.NewStep("y", run(0)).Variant("fix", run(1))
		p := pipeline.New("calls", func(ctx context.Context, _ string) (int, error) {
			var at state
			var err error
			for range 2 {
				for _, s := range []*pipeline.Step[state, state]{x, y} {
					if at, err = s.Do(ctx, at); err != nil {
						return 0, err
					}
				}
			}
			return at.Fixed, nil
		}, func(_ context.Context, _ pipeline.Case, fixed int) (float64, error) { return v[fixed], nil }, x, y)
		r := one(t, p, question(), blame.Options{Calls: true})
		groupOf := []int{0, 1, 0, 1}
		owen := averageOver(v, func(order []int) bool {
			return together(order, func(player int) int { return groupOf[player] })
		})
		quotient, _ := quotientGame(v, groupOf)
		var got []float64
		for _, call := range []string{"x#1", "y#1", "x#2", "y#2"} {
			got = append(got, r.Owen.Get(call))
		}
		near(t, "calls", got, owen, 1e-12)
		near(t, "steps", []float64{r.Groups.Get("x"), r.Groups.Get("y")}, shapleyOf(quotient), 1e-12)
		asSteps := one(t, p, question(), blame.Options{})
		near(t, "steps as players", []float64{asSteps.Shapley.Get("x"), asSteps.Shapley.Get("y")}, shapleyOf(quotient), 1e-12)
	}
}

// TestGroupsMistakes are told in cases as in batches.
func TestGroupsMistakes(t *testing.T) {
	for want, groups := range map[string][]blame.Group{
		`group agent: there is no step "plannr"`: {{Name: "agent", Members: []string{"plannr"}}},
		"step writer is in two groups, x and y":  {{Name: "x", Members: []string{"writer"}}, {Name: "y", Members: []string{"writer"}}},
		"two groups are named x":                 {{Name: "x", Members: []string{"writer"}}, {Name: "x", Members: []string{"planner"}}},
	} {
		o := blame.Options{Groups: groups}
		if _, err := blame.Case(t.Context(), demo.Refund("A"), demo.RefundCase(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("case: error %v, want %q", err, want)
		}
		if _, err := blame.Batch(t.Context(), demo.Refund("A"), refunds(30), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("batch: error %v, want %q", err, want)
		}
	}
}

// TestOrdered averages over the orders in which each step comes after those that
// it depends on.
func TestOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTables(t, shape{steps: 5, levels: 3, noisy: true})
		c, ok := p.failing(5)
		if !ok {
			t.Skip("nothing fails")
		}
		r, err := blame.Case(t.Context(), p.pipeline(), c, blame.Options{Seed: 5, Ordered: true})
		if err != nil || r.Undefined != "" {
			t.Fatalf("%s, %v", brief(r), err)
		}
		players := p.players()
		depends := func(step, on int) bool { return on < step }
		if !p.function {
			above := p.above()
			depends = func(step, on int) bool { return above[step][on] }
		}
		want := averageOver(p.game(c, factual(c, 5)), func(order []int) bool {
			for k, i := range order {
				for _, later := range order[k+1:] {
					if depends(players[i], players[later]) {
						return false
					}
				}
			}
			return true
		})
		near(t, "ordered values", valuesOfSteps(p, r.ShapleyOrdered), want, 1e-12)
	})
}

// above says, for each step, on which others it depends.
func (p *tables) above() []map[int]bool {
	out := make([]map[int]bool, len(p.steps))
	for i, t := range p.steps {
		out[i] = map[int]bool{}
		for _, n := range t.needs {
			if n >= 0 {
				out[i][n] = true
				for m := range out[n] {
					out[i][m] = true
				}
			}
		}
	}
	return out
}

// TestResponsibility reads responsibility and the cheapest repair off the minimal
// repairs, and groups failures by these.
func TestResponsibility(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTables(t, shape{steps: 6, levels: 2})
		r := batchOf(t, p.pipeline(), p.cases(6), blame.Options{Harm: -1})
		groups := map[string][]string{}
		for i, c := range r.Cases {
			if c.Passed {
				continue
			}
			repairs := minimalRepairs(p.game(p.cases(6)[i], factual(p.cases(6)[i], 0)), 1)
			want := make([]float64, len(p.players()))
			cheapest := -1.0
			for _, mask := range repairs {
				size, cost := 0, 0.0
				for k, step := range p.players() {
					if mask>>k&1 == 1 {
						size++
						cost += p.steps[step].costs[1]
					}
				}
				for k := range want {
					if mask>>k&1 == 1 {
						want[k] = max(want[k], 1/float64(size))
					}
				}
				if cheapest < 0 || cost < cheapest {
					cheapest = cost
				}
			}
			near(t, "responsibility", valuesOfSteps(p, c.Responsibility), want, 1e-12)
			if (c.CheapestRepair != nil) != (len(repairs) > 0) {
				t.Fatalf("repairs %v, the cheapest %+v", c.MinimalRepairs, c.CheapestRepair)
			}
			if c.CheapestRepair != nil {
				near(t, "cost of the cheapest", []float64{c.CheapestRepair.Cost}, []float64{cheapest}, 1e-12)
				if !slices.ContainsFunc(c.MinimalRepairs, func(m []string) bool { return slices.Equal(m, c.CheapestRepair.Fixes) }) {
					t.Fatalf("the cheapest repair %v is none of %v", c.CheapestRepair.Fixes, c.MinimalRepairs)
				}
			}
			key := fmt.Sprint(c.MinimalRepairs)
			groups[key] = append(groups[key], c.ID)
		}
		if len(r.RepairGroups) != len(groups) {
			t.Fatalf("groups %+v, want %v", r.RepairGroups, groups)
		}
		for k, g := range r.RepairGroups {
			want := groups[fmt.Sprint(g.MinimalRepairs)]
			slices.Sort(g.Cases)
			if g.Count != len(want) || g.Count <= 5 && !cmp.Equal(g.Cases, want) || g.Count > 5 && len(g.Cases) != 5 {
				t.Fatalf("group %+v, want %v", g, want)
			}
			if k > 0 && len(r.RepairGroups[k-1].MinimalRepairs) == 0 {
				t.Fatalf("those that nothing repairs don't come last: %+v", r.RepairGroups)
			}
			if last := r.RepairGroups[max(0, k-1)]; last.Count < g.Count && len(g.MinimalRepairs) > 0 {
				t.Fatalf("groups are not in order: %+v", r.RepairGroups)
			}
		}
	})
}
