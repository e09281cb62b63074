package replay

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// TestClose explores cases one after another, each in the memory of the one
// before: nothing is left of that.
func TestClose(t *testing.T) {
	type came struct {
		values        []float64
		cost, factual float64
		calls         []int
	}
	analyse := func(e *Engine, n int) came {
		c := pipeline.Case{ID: "c", Inputs: map[string]any{"n": n}}
		if n%2 == 0 {
			c.Recording = map[string]pipeline.Recorded{"double#2": {Output: 7}}
		}
		s, err := e.Case(&c, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		factual := s.Run(t.Context(), 0, Fixes{}, true)
		var out came
		for _, world := range []int{0, s.AddWorld(noise.World{Seed: 3})} {
			x, err := s.Explore(t.Context(), world)
			if err != nil {
				t.Fatal(err)
			}
			for c := range coalitions(len(s.Players())) {
				out.values = append(out.values, x.Diagram.Value(c))
			}
		}
		for _, call := range factual.Calls {
			out.calls = append(out.calls, call.Step)
		}
		out.cost, out.factual = s.Cost(), s.FactualCost()
		return out
	}
	for _, o := range []Options{{Concurrency: 1}, {Calls: true}, {Budget: 1000}} {
		p := doubling(&counter{})
		again, err := New(p, o)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 6 {
			fresh, err := New(p, o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(analyse(fresh, n), analyse(again, n), cmp.AllowUnexported(came{})); diff != "" {
				t.Errorf("case %d of an engine differs from the first of another (-first +%d-th):\n%s", n, n, diff)
			}
		}
	}
}

// TestPlayers numbers the steps that have a fix, and names calls.
func TestPlayers(t *testing.T) {
	p := doubling(&counter{})
	for _, calls := range []bool{false, true} {
		s := begin(t, p, number(1), Options{Calls: calls})
		s.Run(t.Context(), 0, Fixes{All: true}, false)
		var names []string
		for _, player := range s.Players() {
			names = append(names, s.engine.Name(player))
		}
		want := []string{"double"}
		if calls {
			want = []string{"double#1", "double#2"}
		}
		if diff := cmp.Diff(want, names); diff != "" {
			t.Errorf("players (-want +got):\n%s", diff)
		}
		if got := s.engine.Player(0); got != map[bool]int{false: 0, true: -1}[calls] {
			t.Errorf("step double is player %d", got)
		}
		if s.engine.Player(1) != -1 || s.engine.FixOf(0) != "triple" || s.engine.FixOf(1) != "" {
			t.Errorf("step halve is player %d", s.engine.Player(1))
		}
	}
	order := []Player{{0, "1"}, {0, "2"}, {0, "10"}, {0, "a"}, {0, "b"}, {1, ""}, {1, "1"}}
	for i := range order {
		for j := range order {
			// A step itself and its calls don't occur together.
			if order[i].Label == "" || order[j].Label == "" {
				continue
			}
			if got := ComparePlayers(order[i], order[j]); (got < 0) != (i < j) || (got == 0) != (i == j) {
				t.Errorf("%v and %v compare as %d", order[i], order[j], got)
			}
		}
	}
	if v, err := begin(t, p, number(1), Options{}).Value(t.Context(), 0, game.Of(0)); err != nil || v != 0 {
		t.Errorf("1 tripled twice is odd, and scored %v, %v", v, err)
	}
}
