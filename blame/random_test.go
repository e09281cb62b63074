package blame_test

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// A shape says what random pipelines are like.
type shape struct {
	steps    int
	variants int  // the most variants of a step; 0 is 1
	levels   int  // of the score; 0 is 2: a case passes or fails
	noisy    bool // some steps draw what they choose
	function bool // a Go function; otherwise a graph
	blocking bool // runs are to be taken for slow ones
	sure     bool // every step has a fix
	shy      bool // fixes often do what the as-run implementation does
}

// A tables is a random pipeline of steps that are nothing but tables of logits:
// each chooses one of its options, the best one or by a draw. Every replay can be
// worked out by hand, which is what score does.
type tables struct {
	shape
	steps  []table
	scored []int  // the steps that the score reads
	salt   uint64 // of the score
	runs   counter
}

type table struct {
	name    string
	needs   []int // earlier steps; −1 is the input
	options int
	salts   []uint64 // as-run and of the variants
	costs   []float64
	draws   bool
	agrees  uint64 // one in so many inputs makes variants do as the as-run does; 0: none
}

// A counter counts step runs: what has equal names must run once.
type counter struct {
	mu    sync.Mutex
	times map[string]int
	cost  float64
}

func (c *counter) add(run string, cost float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.times == nil {
		c.times = map[string]int{}
	}
	c.times[run]++
	c.cost += cost
}

// take returns what was run, and what all of it costs, and forgets it.
func (c *counter) take() (times map[string]int, cost float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	times, cost = c.times, c.cost
	c.times, c.cost = nil, 0
	return times, cost
}

func randomTables(rng *rand.Rand, s shape) *tables {
	s.variants, s.levels = cmp.Or(s.variants, 1), cmp.Or(s.levels, 2)
	t := &tables{shape: s, salt: rng.Uint64()}
	for i := range s.steps {
		step := table{name: string(rune('a' + i)), options: 2 + rng.IntN(3), draws: s.noisy && rng.IntN(3) > 0}
		for need := -1; need < i; need++ {
			if rng.IntN(2) == 0 || need == i-1 {
				step.needs = append(step.needs, need)
			}
		}
		impls := 1 + rng.IntN(s.variants+1)
		if s.sure {
			impls = max(2, impls)
		}
		for range impls {
			step.salts = append(step.salts, rng.Uint64())
			step.costs = append(step.costs, float64(rng.IntN(5))/4)
		}
		if s.shy {
			step.agrees = uint64(1 + rng.IntN(3))
		}
		t.steps = append(t.steps, step)
		if i == s.steps-1 || rng.IntN(3) == 0 {
			t.scored = append(t.scored, i)
		}
	}
	return t
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

// choose is what a step does.
func (t *table) choose(impl int, in []int, src *noise.Source) int {
	if t.agrees > 0 && mix(t.salts[0]+1, in...)%t.agrees == 0 {
		impl = 0
	}
	logits, best := map[string]float64{}, 0
	for k := range t.options {
		logits[strconv.Itoa(k)] = float64(mix(t.salts[impl], append(in, k)...)>>11) / (1 << 53) * 4
		if logits[strconv.Itoa(k)] > logits[strconv.Itoa(best)] {
			best = k
		}
	}
	if t.draws {
		best, _ = strconv.Atoi(src.Categorical("choice", logits))
	}
	return best
}

// run is a step run inside an analysis.
func (p *tables) run(ctx context.Context, step, impl int, in []int) int {
	t, src := &p.steps[step], noise.From(ctx)
	name := fmt.Sprint(pipeline.CaseOf(ctx).ID, " ", t.name, impl, in)
	if t.draws {
		world, _, _ := src.Address()
		name += "@" + world.ID()
	}
	p.runs.add(name, t.costs[impl])
	return t.choose(impl, in, src)
}

func (p *tables) scoreOf(in []int) float64 {
	return float64(mix(p.salt, in...)%uint64(p.levels)) / float64(p.levels-1)
}

// pipeline declares it.
func (p *tables) pipeline() *pipeline.Pipeline {
	if p.function {
		return p.asFunction()
	}
	name := func(step int) string {
		if step < 0 {
			return "in"
		}
		return p.steps[step].name
	}
	g := pipeline.Graph{Name: "random", Inputs: []pipeline.Input{{Name: "in"}}}
	for i, t := range p.steps {
		spec := &pipeline.Spec{Name: t.name, Needs: []string{}}
		for _, n := range t.needs {
			spec.Needs = append(spec.Needs, name(n))
		}
		for impl := range t.salts {
			spec.Impls = append(spec.Impls, pipeline.Impl{
				Name: variantName(impl), Cost: t.costs[impl], Blocking: p.blocking,
				Run: func(ctx context.Context, args pipeline.Args) (any, error) {
					return p.run(ctx, i, impl, ints(args)), nil
				},
			})
		}
		g.Steps = append(g.Steps, spec)
	}
	g.Score.Needs = []string{}
	for _, i := range p.scored {
		g.Score.Needs = append(g.Score.Needs, name(i))
	}
	g.Score.Run = func(_ context.Context, args pipeline.Args) (any, error) { return p.scoreOf(ints(args)), nil }
	return g.Pipeline()
}

func variantName(impl int) string {
	if impl == 0 {
		return ""
	}
	return fmt.Sprint("fix", impl)
}

func ints(args pipeline.Args) []int {
	in := make([]int, args.Len())
	for i := range in {
		in[i], _ = strconv.Atoi(args.At(i).JSON())
	}
	return in
}

// asFunction makes the same pipeline of a Go function.
func (p *tables) asFunction() *pipeline.Pipeline {
	var steps []*pipeline.Step[[]int, int]
	var given []pipeline.AnyStep
	for i, t := range p.steps {
		impl := func(k int) func(context.Context, []int) (int, error) {
			return func(ctx context.Context, in []int) (int, error) { return p.run(ctx, i, k, in), nil }
		}
		s := pipeline.NewStep(t.name, impl(0), pipeline.Cost(t.costs[0]))
		for k := 1; k < len(t.salts); k++ {
			s.Variant(variantName(k), impl(k), pipeline.Cost(t.costs[k]))
		}
		steps, given = append(steps, s), append(given, s)
	}
	return pipeline.New("random", func(ctx context.Context, in int) ([]int, error) {
		out := make([]int, len(steps))
		for i, t := range p.steps {
			var err error
			if out[i], err = steps[i].Do(ctx, t.inputs(in, out)); err != nil {
				return nil, err
			}
		}
		return p.readings(out), nil
	}, func(_ context.Context, _ pipeline.Case, in []int) (float64, error) { return p.scoreOf(in), nil }, given...)
}

func (t *table) inputs(in int, out []int) []int {
	args := []int{}
	for _, n := range t.needs {
		if n < 0 {
			args = append(args, in)
		} else {
			args = append(args, out[n])
		}
	}
	return args
}

func (p *tables) readings(out []int) []int {
	args := []int{}
	for _, i := range p.scored {
		args = append(args, out[i])
	}
	return args
}

// cases are n cases of it.
func (p *tables) cases(n int) []pipeline.Case {
	var out []pipeline.Case
	for i := range n {
		out = append(out, pipeline.Case{ID: fmt.Sprint("c", i), Inputs: map[string]any{"in": i}})
	}
	return out
}

// players are the steps that have a fix.
func (p *tables) players() []int {
	var out []int
	for i, t := range p.steps {
		if len(t.salts) > 1 {
			out = append(out, i)
		}
	}
	return out
}

// score works out a replay. impls are by step; draws, if not nil, is told of
// each step's draws.
func (p *tables) score(c pipeline.Case, w noise.World, impls []int, draws func(step string, d []noise.Draw)) float64 {
	out := make([]int, len(p.steps))
	for i, t := range p.steps {
		src := w.Source(t.name, "1")
		src.Record()
		out[i] = t.choose(impls[i], t.inputs(c.Inputs["in"].(int), out), src)
		if draws != nil {
			draws(t.name, src.Draws())
		}
	}
	return p.scoreOf(p.readings(out))
}

// game works out a case's game in a world.
func (p *tables) game(c pipeline.Case, w noise.World) game.Table {
	players := p.players()
	table := make(game.Table, 1<<len(players))
	for mask := range table {
		impls := make([]int, len(p.steps))
		for k, step := range players {
			impls[step] = mask >> k & 1
		}
		table[mask] = p.score(c, w, impls, nil)
	}
	return table
}

// factual is the world in which a case of the analysis' seed runs.
func factual(c pipeline.Case, seed uint64) noise.World { return noise.World{Seed: c.WorldSeed(seed)} }

// valuesOfSteps returns a value for each player from a case's result.
func valuesOfSteps(p *tables, values blame.ByPlayer[float64]) []float64 {
	var out []float64
	for _, step := range p.players() {
		i := slices.IndexFunc(values, func(v blame.PlayerValue[float64]) bool { return v.Player == p.steps[step].name })
		out = append(out, values[i].Value)
	}
	return out
}

// batchOf analyses a batch that must not fail.
func batchOf(t fataler, p *pipeline.Pipeline, cases []pipeline.Case, o blame.Options) *blame.Result {
	t.Helper()
	r, err := blame.Batch(context.Background(), p, cases, o)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return r
}

// rounds is how often a test that counts what happens repeats it.
func rounds(n int) int {
	if raceDetector {
		return n / 4
	}
	return n
}

// brief is what a failing test prints of a case.
func brief(r *blame.CaseResult) string {
	if r == nil {
		return "no result"
	}
	s := fmt.Sprintf("case %s: passed %v, method %q, stopped %q, cost %v, blame %v", r.ID, r.Passed, r.Method, r.Stopped, r.Cost, r.Shapley)
	if r.Bounds != nil {
		s += fmt.Sprintf(", bounds %v, top %q, coverage %v", r.Bounds, r.CertainTop, r.Coverage)
	}
	if r.Undefined != "" {
		s += ", undefined: " + r.Undefined
	}
	return s
}

// fataler is what testing.T, testing.B and rapid.T have in common here.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}
