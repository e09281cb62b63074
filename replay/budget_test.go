package replay

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/game"
)

// subject is a random pipeline of either kind.
type subject struct {
	runs    *counter
	session func(o Options) *Session
	score   func(s *Session, c game.Coalition) float64
}

func drawSubject(t *rapid.T) subject {
	if rapid.Bool().Draw(t, "graph") {
		g := drawGraph(t, 7, rapid.Bool().Draw(t, "fails"), true)
		return subject{&g.runs, func(o Options) *Session { return g.session(t, o) }, func(s *Session, c game.Coalition) float64 {
			score, _ := g.model(func(name string) bool { return fixed(s, c, indexOf(s, name)) })
			return score
		}}
	}
	f := drawFunc(t, 6, false)
	return subject{&f.runs, func(o Options) *Session { return f.session(t, true, o) }, func(s *Session, c game.Coalition) float64 {
		return f.model(5, inCoalition(s, c)).score
	}}
}

// jitter makes each run take another while.
func jitter() { time.Sleep(time.Duration(rand.IntN(60)) * time.Microsecond) }

// TestBudget explores random pipelines under every budget up to what exploring
// costs: it is never exceeded, what is known is right, and what is run and known
// does not depend on how many runs go on at once or how long they take.
func TestBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawSubject(t)
		whole := p.explore(t, Options{Concurrency: 4, Budget: 1e6})
		p.runs.delay = jitter
		step := max(1, math.Ceil(whole.spent/6))
		for budget := 1.0; budget < whole.spent+step; budget += step {
			serial := p.explore(t, Options{Concurrency: 1, Budget: budget})
			if serial.cost > budget || serial.spent > budget {
				t.Fatalf("budget %v: cost %v, spent %v", budget, serial.cost, serial.spent)
			}
			if budget >= whole.spent && serial.unknown > 0 {
				t.Fatalf("a budget of %v should do: %v was spent without a limit", budget, whole.spent)
			}
			for _, n := range []int{4, 16} {
				parallel := p.explore(t, Options{Concurrency: n, Budget: budget})
				if diff := cmp.Diff(serial, parallel, cmp.AllowUnexported(explored{})); diff != "" {
					t.Fatalf("budget %v: concurrency %d does something else than 1 (-1 +%d):\n%s", budget, n, n, diff)
				}
			}
		}
	})
}

// explored is what an exploration came to.
type explored struct {
	runs        []string // apart from the factual ones
	cost, spent float64
	values      string // of all coalitions
	unknown     int
}

// explore explores the pipeline and checks the values that are known.
func (p subject) explore(t *rapid.T, o Options) explored {
	s := p.session(o)
	s.Run(t.Context(), 0, Fixes{}, true)
	p.runs.take()
	x, err := s.Explore(t.Context(), 0)
	if err != nil {
		t.Fatalf("Explore: %v", err)
	}
	out := explored{cost: s.Cost(), spent: s.engine.Spent(), runs: slices.Sorted(maps.Keys(p.runs.take()))}
	if len(s.Players()) > 8 {
		t.Skip("too many players")
	}
	for c := range coalitions(len(s.Players())) {
		switch v := x.Diagram.Value(c); {
		case math.IsNaN(v):
			out.unknown++
			out.values += "?"
		case v != p.score(s, c):
			t.Fatalf("value of %v is %v, want %v", c, v, p.score(s, c))
		default:
			out.values += "k"
		}
	}
	if (out.unknown > 0) != x.Budget && out.unknown > 0 {
		t.Fatalf("%d values are unknown, but the budget hasn't ended", out.unknown)
	}
	return out
}
