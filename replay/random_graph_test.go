package replay

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// A randomGraph is a graph of steps that are nothing but tables: small random
// pipelines whose every replay can be worked out by hand, which is what model
// does.
type randomGraph struct {
	steps []randomStep
	score []int // the steps that the score reads
	graph pipeline.Graph
	runs  counter
}

// A randomStep is a table: its output is a number below outputs, made of its
// inputs and the salt of the implementation.
type randomStep struct {
	name    string
	needs   []int // earlier steps; −1 is the input
	outputs int
	salts   []uint64  // as-run and, if it has one, the fix
	costs   []float64 // of these
	fails   int       // one in so many runs fails; 0: none
	agrees  int       // one in so many inputs makes the fix do as the as-run does
	draws   int       // one in so many inputs makes it draw noise; 0: none
}

// A counter counts step runs by what was run on what.
type counter struct {
	mu    sync.Mutex
	n     map[string]int
	delay func() // if not nil: what makes a run take a while
}

func (c *counter) add(what string) {
	if c.delay != nil {
		c.delay()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n == nil {
		c.n = map[string]int{}
	}
	c.n[what]++
}

// take returns what was run and forgets it.
func (c *counter) take() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.n
	c.n = nil
	return n
}

// mix hashes numbers.
func mix(salt uint64, xs ...int) uint64 {
	h := salt
	for _, x := range xs {
		h += uint64(x)*0x9e3779b97f4a7c15 + 0x632be59bd9b4e019
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// describe names a run: what equal names have runs once.
func (s *randomStep) describe(impl int, in []int, src *noise.Source) string {
	if !s.drawing(in) {
		return fmt.Sprint(s.name, impl, in)
	}
	world, _, label := src.Address()
	return fmt.Sprint(s.name, impl, in, "#", label, "@", world.Index)
}

func (s *randomStep) drawing(in []int) bool {
	return s.draws > 0 && mix(s.salts[0]+2, in...)%uint64(s.draws) == 0
}

// run works out what an implementation gives.
func (s *randomStep) run(impl int, in []int, src *noise.Source) (int, error) {
	if s.drawing(in) {
		in = append(slices.Clone(in), src.IntN("k", 3))
	}
	if impl > 0 && s.agrees > 0 && mix(s.salts[0]+1, in...)%uint64(s.agrees) == 0 {
		impl = 0
	}
	h := mix(s.salts[impl], in...)
	if s.fails > 0 && h%uint64(s.fails) == 0 {
		return 0, fmt.Errorf("%s can't do %v", s.name, in)
	}
	return int(h >> 20 % uint64(s.outputs)), nil
}

// drawStep draws a table, with a fix or without.
func drawStep(t *rapid.T, name string, fails bool) randomStep {
	s := randomStep{
		name:    name,
		outputs: rapid.IntRange(2, 5).Draw(t, name+" outputs"),
		salts:   []uint64{rapid.Uint64().Draw(t, name+" salt")},
		costs:   []float64{float64(rapid.IntRange(0, 3).Draw(t, name+" cost"))},
		agrees:  rapid.IntRange(0, 3).Draw(t, name+" agrees"),
		draws:   rapid.IntRange(0, 2).Draw(t, name+" draws"),
	}
	if fails && rapid.IntRange(0, 2).Draw(t, name+" may fail") == 0 {
		s.fails = rapid.IntRange(2, 6).Draw(t, name+" fails")
	}
	if rapid.IntRange(0, 3).Draw(t, name+" has a fix") > 0 {
		s.salts = append(s.salts, rapid.Uint64().Draw(t, name+" fix salt"))
		s.costs = append(s.costs, float64(rapid.IntRange(0, 3).Draw(t, name+" fix cost")))
	}
	return s
}

// drawGraph draws a graph. Blocking says that its runs are to be taken for slow
// ones, so that they are started at once.
func drawGraph(t *rapid.T, most int, fails, blocking bool) *randomGraph {
	g := &randomGraph{}
	n := rapid.IntRange(1, most).Draw(t, "steps")
	for i := range n {
		s := drawStep(t, string(rune('a'+i)), fails)
		for need := -1; need < i; need++ {
			if rapid.IntRange(0, 2).Draw(t, "needs") == 0 {
				s.needs = append(s.needs, need)
			}
		}
		g.steps = append(g.steps, s)
	}
	for i := range n {
		if i == n-1 || rapid.IntRange(0, 3).Draw(t, "scored") == 0 {
			g.score = append(g.score, i)
		}
	}
	g.declare(blocking)
	if rapid.Bool().Draw(t, "declared backwards") {
		slices.Reverse(g.graph.Steps)
	}
	return g
}

func (g *randomGraph) name(step int) string {
	if step < 0 {
		return "in"
	}
	return g.steps[step].name
}

// declare makes the pipeline.
func (g *randomGraph) declare(blocking bool) {
	g.graph = pipeline.Graph{Name: "random", Inputs: []pipeline.Input{{Name: "in"}}}
	for i := range g.steps {
		s := &g.steps[i]
		spec := &pipeline.Spec{Name: s.name}
		for _, n := range s.needs {
			spec.Needs = append(spec.Needs, g.name(n))
		}
		for impl := range s.salts {
			variant := ""
			if impl > 0 {
				variant = "fix"
			}
			spec.Impls = append(spec.Impls, pipeline.Impl{Name: variant, Cost: s.costs[impl], Blocking: blocking,
				Run: func(ctx context.Context, args pipeline.Args) (any, error) {
					in, src := ints(args), noise.From(ctx)
					g.runs.add(s.describe(impl, in, src))
					return s.run(impl, in, src)
				}})
		}
		g.graph.Steps = append(g.graph.Steps, spec)
	}
	needs := []string{}
	for _, i := range g.score {
		needs = append(needs, g.steps[i].name)
	}
	g.graph.Score = pipeline.Score{Needs: needs, Impl: pipeline.Impl{Cost: 0.5, Blocking: blocking,
		Run: func(_ context.Context, args pipeline.Args) (any, error) {
			in := ints(args)
			g.runs.add(fmt.Sprint("score", in))
			return scoreOfInts(in), nil
		}}}
}

func ints(args pipeline.Args) []int {
	in := make([]int, args.Len())
	for i := range in {
		in[i], _ = strconv.Atoi(args.At(i).JSON())
	}
	return in
}

func scoreOfInts(in []int) float64 { return float64(mix(7, in...)>>20%5) / 4 }

// fixed says whether a step runs its fix under a coalition of the session.
func fixed(s *Session, c game.Coalition, step int) bool {
	i := slices.IndexFunc(s.Players(), func(p Player) bool { return p.Step == step })
	return i >= 0 && c.Has(i)
}

// model works out a replay: its score and its cost. Steps run in the order in
// which they are wired, which is any order that the needs allow; a failing one
// ends the replay, so the order of the declaration is followed as the graph does.
func (g *randomGraph) model(fix func(name string) bool) (score, cost float64) {
	out := map[string]int{"in": 3}
	rest := slices.Clone(g.graph.Steps)
	for len(rest) > 0 {
		ready := slices.IndexFunc(rest, func(s *pipeline.Spec) bool {
			return !slices.ContainsFunc(s.Needs, func(n string) bool { _, ok := out[n]; return !ok })
		})
		spec := rest[ready]
		rest = slices.Delete(rest, ready, ready+1)
		s := &g.steps[slices.IndexFunc(g.steps, func(s randomStep) bool { return s.name == spec.Name })]
		impl := 0
		if len(s.salts) > 1 && fix(s.name) {
			impl = 1
		}
		var in []int
		for _, n := range spec.Needs {
			in = append(in, out[n])
		}
		cost += s.costs[impl]
		v, err := s.run(impl, in, factualWorld().Source(s.name, "1"))
		if err != nil {
			return 0, cost
		}
		out[s.name] = v
	}
	var in []int
	for _, i := range g.score {
		in = append(in, out[g.steps[i].name])
	}
	return scoreOfInts(in), cost + 0.5
}

// session begins the replay of the random pipeline's only case.
func (g *randomGraph) session(t fataler, o Options) *Session {
	t.Helper()
	return begin(t, g.graph.Pipeline(), pipeline.Case{ID: "c", Inputs: map[string]any{"in": 3}}, o)
}

// factualWorld is the world of the cases here.
func factualWorld() noise.World {
	c := pipeline.Case{ID: "c"}
	return noise.World{Seed: c.WorldSeed(1)}
}

// begin begins the replay of a case.
func begin(t fataler, p *pipeline.Pipeline, c pipeline.Case, o Options) *Session {
	t.Helper()
	e, err := New(p, o)
	if err != nil {
		t.Fatalf("New: %v", err)
	}
	s, err := e.Case(&c, 1)
	if err != nil {
		t.Fatalf("Case: %v", err)
	}
	return s
}

// fataler is what testing.T, testing.B and rapid.T have in common here.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

// coalitions yields all coalitions of n players.
func coalitions(n int) func(yield func(game.Coalition) bool) {
	return func(yield func(game.Coalition) bool) {
		for mask := range uint64(1) << n {
			if !yield(game.FromMask(mask)) {
				return
			}
		}
	}
}

// enumerate replays all coalitions one by one and returns what was run.
func (g *randomGraph) enumerate(t *rapid.T) (runs map[string]int, cost float64) {
	s := g.session(t, Options{Concurrency: 1})
	s.Run(t.Context(), 0, Fixes{}, true)
	for c := range coalitions(len(s.Players())) {
		got, err := s.Value(t.Context(), 0, c)
		if err != nil {
			t.Fatalf("value of %v: %v", c, err)
		}
		want, _ := g.model(func(name string) bool { return fixed(s, c, indexOf(s, name)) })
		if got != want {
			t.Fatalf("value of %v is %v, want %v", c, got, want)
		}
	}
	return g.runs.take(), s.Cost()
}

func indexOf(s *Session, name string) int {
	return slices.Index(s.engine.pipeline.StepNames(), name)
}

// TestExploreGraphs holds the diagram of random graphs against all coalitions,
// replayed one by one and worked out by hand.
func TestExploreGraphs(t *testing.T) {
	for _, mode := range []struct {
		name     string
		blocking bool
		options  Options
	}{
		{"serial", false, Options{Concurrency: 1}},
		{"fast steps", false, Options{Concurrency: 4}},
		{"slow steps", true, Options{Concurrency: 8}},
		{"budget, serial", false, Options{Concurrency: 1, Budget: 1e6}},
		{"budget, slow steps", true, Options{Concurrency: 8, Budget: 1e6}},
	} {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				fails := rapid.Bool().Draw(t, "fails")
				g := drawGraph(t, 8, fails, mode.blocking)
				wantRuns, wantCost := g.enumerate(t)
				s := g.session(t, mode.options)
				s.Run(t.Context(), 0, Fixes{}, true)
				x, err := s.Explore(t.Context(), 0)
				if err != nil {
					t.Fatalf("Explore: %v", err)
				}
				runs := g.runs.take()
				checkRuns(t, runs, wantRuns, fails)
				checkDiagram(t, s, x, true, func(c game.Coalition) (float64, float64) {
					return g.model(func(name string) bool { return fixed(s, c, indexOf(s, name)) })
				})
				if got := s.Cost(); got != wantCost {
					t.Fatalf("cost %v, want %v", got, wantCost)
				}
			})
		})
	}
}

// checkRuns compares what exploring ran with what enumerating did. Steps may
// have been started ahead that a failure made needless.
func checkRuns(t *rapid.T, got, want map[string]int, more bool) {
	for run, n := range got {
		if n > 1 {
			t.Fatalf("%s ran %d times", run, n)
		}
		if want[run] == 0 && !more {
			t.Fatalf("%s ran and needn't", run)
		}
	}
	for run := range want {
		if got[run] == 0 {
			t.Fatalf("%s didn't run", run)
		}
	}
}

// checkDiagram compares the values and costs of all coalitions. A diagram of calls
// that go on at once is put in order and knows no costs.
func checkDiagram(t *rapid.T, s *Session, x *Exploration, costs bool, model func(game.Coalition) (score, cost float64)) {
	if !x.Complete() || len(x.Unknown) > 0 {
		t.Fatalf("unknown: %v", x.Unknown)
	}
	total := 0.0
	for c := range coalitions(len(s.Players())) {
		score, cost := model(c)
		total += cost
		if got := x.Diagram.Value(c); got != score {
			t.Fatalf("value of %v is %v, want %v", c, got, score)
		}
		if got := x.Diagram.Cost(c); costs && got != cost {
			t.Fatalf("cost of %v is %v, want %v", c, got, cost)
		}
	}
	if x.CostUncached != total {
		t.Fatalf("uncached cost is %v, want %v", x.CostUncached, total)
	}
}
