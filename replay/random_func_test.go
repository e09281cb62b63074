package replay

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// A randomFunc is a pipeline function interpreted from a description: loops
// whose length is data, branches, retries, calls that go on at once.
type randomFunc struct {
	steps []randomStep
	body  []op
	runs  counter
}

// An op is a statement of the description. It works on one number, the state.
type op struct {
	kind     string // "call", "loop", "branch", "retry", "group"
	step     int
	at       string // a name for the call, unique in the description; or ""
	body     []op   // of a loop, or where a branch is even
	other    []op   // where it is odd
	parallel []op   // the calls of a group, all named
}

// A caller calls a step: the engine's, or the model's.
type caller func(ctx context.Context, step int, at string, in int) (int, error)

// exec runs statements. where tells rounds of loops apart, for names.
func exec(ctx context.Context, ops []op, where string, x int, call caller) (int, error) {
	for _, o := range ops {
		var err error
		switch o.kind {
		case "call":
			x, err = call(ctx, o.step, o.name(where), x)
		case "loop":
			for round := range x % 3 {
				x, err = exec(ctx, o.body, where+"."+strconv.Itoa(round), x, call)
				if err != nil {
					return 0, err
				}
			}
		case "branch":
			body := o.body
			if x%2 == 1 {
				body = o.other
			}
			x, err = exec(ctx, body, where, x, call)
		case "retry":
			x = retry(ctx, o, where, x, call)
		case "group":
			x, err = group(ctx, o, where, x, call)
		}
		if err != nil {
			return 0, err
		}
	}
	return x, nil
}

func (o op) name(where string) string {
	if o.at == "" {
		return ""
	}
	return o.at + where
}

// retry calls until a call succeeds, with another input each time.
func retry(ctx context.Context, o op, where string, x int, call caller) int {
	for try := range 3 {
		at := o.name(where)
		if at != "" {
			at += "-" + strconv.Itoa(try)
		}
		if y, err := call(ctx, o.step, at, x+10*try); err == nil {
			return y
		}
	}
	return 1
}

// group makes calls at once.
func group(ctx context.Context, o op, where string, x int, call caller) (int, error) {
	out := make([]int, len(o.parallel))
	var g errgroup.Group
	for i, p := range o.parallel {
		g.Go(func() (err error) {
			out[i], err = call(ctx, p.step, p.name(where), x+i)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return 0, fmt.Errorf("group failed")
	}
	return int(mix(5, out...) % 6), nil
}

// drawFunc draws a description of at most so many statements.
func drawFunc(t *rapid.T, statements int, groups bool) *randomFunc {
	f := &randomFunc{}
	for i := range rapid.IntRange(1, 5).Draw(t, "steps") {
		f.steps = append(f.steps, drawStep(t, string(rune('a'+i)), true))
	}
	left, names := statements, 0
	var draw func(depth int) []op
	draw = func(depth int) []op {
		var ops []op
		for range rapid.IntRange(1, 3).Draw(t, "statements") {
			if left == 0 {
				break
			}
			left--
			kinds := []string{"call", "retry"}
			if depth < 2 {
				kinds = append(kinds, "loop", "branch")
			}
			if groups {
				kinds = append(kinds, "group")
			}
			o := op{kind: rapid.SampledFrom(kinds).Draw(t, "kind"), step: rapid.IntRange(0, len(f.steps)-1).Draw(t, "step")}
			if rapid.IntRange(0, 3).Draw(t, "named") == 0 {
				names++
				o.at = fmt.Sprint("n", names)
			}
			switch o.kind {
			case "loop":
				o.body = draw(depth + 1)
			case "branch":
				o.body, o.other = draw(depth+1), draw(depth+1)
			case "group":
				for range rapid.IntRange(2, 3).Draw(t, "parallel") {
					names++
					o.parallel = append(o.parallel, op{kind: "call", step: rapid.IntRange(0, len(f.steps)-1).Draw(t, "step"), at: fmt.Sprint("n", names)})
				}
			}
			ops = append(ops, o)
		}
		return ops
	}
	f.body = draw(0)
	return f
}

// pipeline makes a pipeline of the description. Blocking says that its runs
// are to be taken for slow ones.
func (f *randomFunc) pipeline(blocking bool) *pipeline.Pipeline {
	steps := make([]*pipeline.Step[int, int], len(f.steps))
	given := make([]pipeline.AnyStep, len(f.steps))
	for i := range f.steps {
		s := &f.steps[i]
		run := func(impl int) func(context.Context, int) (int, error) {
			return func(ctx context.Context, in int) (int, error) {
				src := noise.From(ctx)
				f.runs.add(s.describe(impl, []int{in}, src))
				return s.run(impl, []int{in}, src)
			}
		}
		steps[i] = pipeline.NewStep(s.name, run(0), pipeline.Cost(s.costs[0]))
		if len(s.salts) > 1 {
			steps[i].Variant("fix", run(1), pipeline.Cost(s.costs[1]))
		}
		given[i] = steps[i]
	}
	call := func(ctx context.Context, step int, at string, in int) (int, error) {
		if at == "" {
			return steps[step].Do(ctx, in)
		}
		return steps[step].At(at).Do(ctx, in)
	}
	p := pipeline.New("random", func(ctx context.Context, in int) (int, error) {
		return exec(ctx, f.body, "", in, call)
	}, func(_ context.Context, _ pipeline.Case, out int) (float64, error) {
		f.runs.add(fmt.Sprint("score", out))
		return scoreOfInts([]int{out}), nil
	}, given...)
	for _, s := range p.Steps {
		for i := range s.Impls {
			s.Impls[i].Blocking = blocking
		}
	}
	return p
}

// modelled is what a replay comes to when it is worked out by hand.
type modelled struct {
	score, cost float64
	calls       map[Player]bool // that were made of steps with a fix
	runs        []string
}

// model works out a replay in which fix says which calls run their fix.
func (f *randomFunc) model(in int, fix func(Player) bool) modelled {
	m := modelled{calls: map[Player]bool{}}
	var mu sync.Mutex
	counts := make([]int, len(f.steps))
	out, err := exec(context.Background(), f.body, "", in, func(_ context.Context, step int, at string, in int) (int, error) {
		mu.Lock()
		defer mu.Unlock()
		if at == "" {
			counts[step]++
			at = strconv.Itoa(counts[step])
		}
		p := Player{step, at}
		s, impl := &f.steps[step], 0
		if len(s.salts) > 1 {
			m.calls[p] = true
			if fix(p) {
				impl = 1
			}
		}
		m.cost += s.costs[impl]
		src := factualWorld().Source(s.name, at)
		m.runs = append(m.runs, s.describe(impl, []int{in}, src))
		return s.run(impl, []int{in}, src)
	})
	if err == nil {
		m.score = scoreOfInts([]int{out})
		m.runs = append(m.runs, fmt.Sprint("score", out))
	}
	return m
}

// session begins the replay of the random function's only case.
func (f *randomFunc) session(t fataler, blocking bool, o Options) *Session {
	t.Helper()
	return begin(t, f.pipeline(blocking), pipeline.Case{ID: "c", Inputs: map[string]any{"in": 5}}, o)
}

// inCoalition says which calls run their fix under a coalition of the session.
func inCoalition(s *Session, c game.Coalition) func(Player) bool {
	return func(p Player) bool {
		if !s.engine.options.Calls {
			p.Label = ""
		}
		i := slices.Index(s.Players(), p)
		return i >= 0 && c.Has(i)
	}
}

// mostPlayers bounds the brute force over calls, and how many states are explored
// before it is known that there are more.
const mostPlayers = 9

// TestExploreFunctions holds the diagram of random functions against all
// coalitions of steps, and of calls.
func TestExploreFunctions(t *testing.T) {
	for _, mode := range []struct {
		name             string
		groups, blocking bool
		options          Options
	}{
		{"serial", false, false, Options{Concurrency: 1}},
		{"serial, calls", false, false, Options{Concurrency: 1, Calls: true, Nodes: 1 << mostPlayers}},
		{"fast steps", false, false, Options{Concurrency: 4}},
		{"slow steps", false, true, Options{Concurrency: 8}},
		{"slow steps, calls", false, true, Options{Concurrency: 8, Calls: true, Nodes: 1 << mostPlayers}},
		{"budget, slow steps", false, true, Options{Concurrency: 8, Budget: 1e6}},
		{"groups, serial", true, false, Options{Concurrency: 1}},
		{"groups, slow steps", true, true, Options{Concurrency: 8}},
		{"groups, slow steps, calls", true, true, Options{Concurrency: 8, Calls: true, Nodes: 1 << mostPlayers}},
		{"groups, budget", true, true, Options{Concurrency: 8, Budget: 1e6}},
	} {
		t.Run(mode.name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(t *rapid.T) {
				f := drawFunc(t, 6, mode.groups)
				s := f.session(t, mode.blocking, mode.options)
				s.Run(t.Context(), 0, Fixes{}, true)
				x, err := s.Explore(t.Context(), 0)
				if err != nil {
					t.Fatalf("Explore: %v", err)
				}
				runs := f.runs.take()
				if len(s.Players()) > mostPlayers {
					t.Skip("too many calls")
				}
				model := func(c game.Coalition) modelled { return f.model(5, inCoalition(s, c)) }
				want, calls := map[string]int{}, map[Player]bool{}
				for c := range coalitions(len(s.Players())) {
					m := model(c)
					for _, run := range m.runs {
						want[run]++
					}
					maps.Copy(calls, m.calls)
					if got, err := s.Value(t.Context(), 0, c); err != nil || got != m.score {
						t.Fatalf("value of %v is %v, want %v; error %v", c, got, m.score, err)
					}
				}
				checkRuns(t, runs, want, false)
				if again := f.runs.take(); len(again) > 0 {
					t.Fatalf("replays after Explore ran %v", again)
				}
				if mode.options.Calls {
					checkPlayers(t, s.Players(), calls)
				}
				checkDiagram(t, s, x, !mode.groups, func(c game.Coalition) (float64, float64) {
					m := model(c)
					return m.score, m.cost
				})
			})
		})
	}
}

// checkPlayers compares the calls that exploring found with all that there are.
func checkPlayers(t *rapid.T, got []Player, want map[Player]bool) {
	for _, p := range got {
		if !want[p] {
			t.Fatalf("there is no call %v", p)
		}
		delete(want, p)
	}
	if len(want) > 0 {
		t.Fatalf("the calls %v were not found", want)
	}
}
