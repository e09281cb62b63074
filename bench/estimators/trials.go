package main

// exactly is the name of replaying all coalitions, which needs no more step runs
// than there are different ones.
const exactly = oursPrefix + "all coalitions"

// runsPer are the step runs a player that are allowed on the second account.
var runsPer = []int{5, 10, 20, 50, 100}

// A board has all answers of a run.
type board struct {
	jobs    []job
	methods []string // ours with their prefix, then peers'
	get     func(answerKey) (answer, bool)
}

// complete reports whether all methods answered or refused.
func (b *board) complete(j job) bool {
	for _, m := range b.methods {
		if _, ok := b.get(j.key(m)); !ok {
			return false
		}
	}
	return true
}

// byCoalitions returns the trials of a set of games at a budget.
func (b *board) byCoalitions(per int, pipelines bool) []trial {
	var out []trial
	for _, j := range b.jobs {
		if j.per != per || (j.game.pipeline != nil) != pipelines || !b.complete(j) {
			continue
		}
		t := trial{j.game.name, map[string]float64{}, map[string]float64{}}
		for _, m := range b.methods {
			if a, _ := b.get(j.key(m)); a.Values != nil {
				t.err[m], t.seconds[m] = failure(a.Values, j.game.phi), a.Seconds
			}
		}
		t.withHindsight()
		out = append(out, t)
	}
	return out
}

// byRuns returns the trials of pipelines when so many step runs a player are
// allowed: of each method, the answer from the most coalitions whose replays
// take no more. Who has none says that all players share alike. All coalitions
// are asked by a method of its own where that takes no more runs.
func (b *board) byRuns(per int) []trial {
	type game struct {
		*testGame
		seed int
	}
	done := map[game]bool{}
	byGame := map[game][]job{}
	var order []game
	for _, j := range b.jobs {
		if j.game.pipeline == nil {
			continue
		}
		g := game{j.game, j.seed}
		if _, ok := done[g]; !ok {
			done[g] = true
			order = append(order, g)
		}
		done[g] = done[g] && b.complete(j)
		byGame[g] = append(byGame[g], j)
	}
	var out []trial
	for _, g := range order {
		if !done[g] {
			continue
		}
		t := trial{g.name, map[string]float64{}, map[string]float64{}}
		for _, m := range b.methods {
			best := answer{Values: equalShares(g.testGame), Asked: -1}
			for _, j := range byGame[g] {
				if a, _ := b.get(j.key(m)); a.Values != nil && a.Runs <= per*g.players && a.Asked > best.Asked {
					best = a
				}
			}
			t.err[m], t.seconds[m] = failure(best.Values, g.phi), best.Seconds
		}
		if g.pipeline.all <= per*g.players {
			t.err[exactly] = smallest
		}
		t.withHindsight()
		out = append(out, t)
	}
	return out
}

// equalShares splits the total.
func equalShares(g *testGame) []float64 {
	v := make([]float64, g.players)
	for i := range v {
		v[i] = (g.table[len(g.table)-1] - g.table[0]) / float64(g.players)
	}
	return v
}

// report sums the board up.
func (b *board) report(pers []int, ours string) []Row {
	var out []Row
	add := func(set, axis string, per int, trials []trial, methods []string) {
		for _, r := range rows(trials, ours, methods) {
			r.Set, r.Axis, r.Per = set, axis, per
			out = append(out, r)
		}
	}
	for _, per := range pers {
		add("published", "coalitions", per, b.byCoalitions(per, false), b.methods)
	}
	for _, per := range pers {
		add("pipelines", "coalitions", per, b.byCoalitions(per, true), b.methods)
	}
	for _, per := range runsPer {
		add("pipelines", "step runs", per, b.byRuns(per), append(b.methods[:len(b.methods):len(b.methods)], exactly))
	}
	return out
}
