package replay

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// doubling is a pipeline of two steps, the first of which is called twice: n is
// doubled, doubled again, and halved. It counts what runs.
func doubling(runs *counter) *pipeline.Pipeline {
	double := pipeline.NewStep("double", func(_ context.Context, n int) (int, error) {
		runs.add("double")
		return 2 * n, nil
	}).Variant("triple", func(_ context.Context, n int) (int, error) {
		runs.add("triple")
		return 3 * n, nil
	})
	halve := pipeline.NewStep("halve", func(_ context.Context, n int) (int, error) {
		runs.add("halve")
		if n%2 != 0 {
			return 0, errors.New("it is odd")
		}
		return n / 2, nil
	})
	return pipeline.New("doubling", func(ctx context.Context, n int) (int, error) {
		for range 2 {
			var err error
			if n, err = double.Do(ctx, n); err != nil {
				return 0, err
			}
		}
		half, err := halve.Do(ctx, n)
		if err != nil {
			return -1, nil
		}
		return half, nil
	}, func(_ context.Context, _ pipeline.Case, n int) (float64, error) { return float64(n+1) / 100, nil }, double, halve)
}

func TestRecording(t *testing.T) {
	tests := []struct {
		name      string
		recording map[string]pipeline.Recorded
		asRun     float64 // score with n = 1
		runs      map[string]int
		pinned    int
	}{
		{"none", nil, 0.03, map[string]int{"double": 2, "halve": 1}, 0},
		{"first call", map[string]pipeline.Recorded{"double": {Output: 10}}, 0.11, map[string]int{"double": 1, "halve": 1}, 1},
		{"second call", map[string]pipeline.Recorded{"double#2": {Output: 10}}, 0.06, map[string]int{"double": 1, "halve": 1}, 1},
		{"all", map[string]pipeline.Recorded{"double": {Output: 1}, "double#2": {Output: 1}, "halve": {Output: 7}}, 0.08, nil, 3},
		// The second call has the input of the first, and the first's run, which
		// draws nothing, would serve it. But what was recorded goes first.
		{"second call of equal inputs", map[string]pipeline.Recorded{"double": {Output: 1}, "double#2": {Output: 6}}, 0.04, map[string]int{"halve": 1}, 2},
		{"inputs match", map[string]pipeline.Recorded{"double": {Inputs: map[string]any{"n": 1}, Output: 10}}, 0.11, map[string]int{"double": 1, "halve": 1}, 1},
		{"inputs don't match", map[string]pipeline.Recorded{"double": {Inputs: map[string]any{"n": 5}, Output: 10}}, 0.03, map[string]int{"double": 2, "halve": 1}, 0},
		{"error", map[string]pipeline.Recorded{"halve": {Error: "the knife is blunt"}}, 0, map[string]int{"double": 2}, 1},
		{"a call that there isn't", map[string]pipeline.Recorded{"double#9": {Output: 10}}, 0.03, map[string]int{"double": 2, "halve": 1}, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var runs counter
			c := number(1)
			c.Recording = test.recording
			s := begin(t, doubling(&runs), c, Options{})
			got := s.Run(t.Context(), 0, Fixes{}, true)
			if got.Err != nil || got.Score != test.asRun {
				t.Errorf("score %v, want %v; error %v", got.Score, test.asRun, got.Err)
			}
			if diff := cmp.Diff(test.runs, runs.take()); diff != "" {
				t.Errorf("runs (-want +got):\n%s", diff)
			}
			pinned := 0
			for _, call := range got.Calls {
				if call.Pinned {
					pinned++
				}
			}
			if pinned != test.pinned {
				t.Errorf("%d calls are pinned, want %d", pinned, test.pinned)
			}
			// Its cost is no cost: nothing ran.
			if cost := s.FactualCost(); cost != float64(3-test.pinned) {
				t.Errorf("factual cost %v with %d of 3 calls pinned", cost, test.pinned)
			}
			again, err := s.Value(t.Context(), 0, game.Coalition{})
			if err != nil || again != test.asRun {
				t.Errorf("again: %v, %v", again, err)
			}
			// The fix is another variant: a recording says nothing of it.
			x, err := s.Explore(t.Context(), 0)
			if err != nil || x.Diagram.Value(game.Of(0)) == test.asRun && test.name == "none" {
				t.Errorf("with the fix: %v, %v", x.Diagram, err)
			}
		})
	}
}

// TestRecordingBeforeSharedRun records the second of two calls that have equal
// inputs. The first runs, draws nothing, and so would serve all calls; but what
// was recorded goes first.
func TestRecordingBeforeSharedRun(t *testing.T) {
	step := pipeline.NewStep("s", func(_ context.Context, n int) (int, error) { return n, nil })
	p := pipeline.New("p", func(ctx context.Context, n int) (int, error) {
		if _, err := step.Do(ctx, n); err != nil {
			return 0, err
		}
		return step.Do(ctx, n)
	}, scoreThird, step)
	c := number(1)
	c.Recording = map[string]pipeline.Recorded{"s#2": {Output: 2}}
	s := begin(t, p, c, Options{})
	if got := s.Run(t.Context(), 0, Fixes{}, true); got.Score != 1 || !got.Calls[1].Pinned {
		t.Errorf("the recorded output wasn't used: %+v", got)
	}
}

// TestRecordingWorlds uses recordings in other worlds: only when told that they
// hold there.
func TestRecordingWorlds(t *testing.T) {
	var runs counter
	c := number(1)
	c.Recording = map[string]pipeline.Recorded{"double": {Output: 10}}
	s := begin(t, doubling(&runs), c, Options{})
	s.Run(t.Context(), 0, Fixes{}, true)
	world := s.AddWorld(noise.World{Seed: 5})
	if v, err := s.Value(t.Context(), world, game.Coalition{}); err != nil || v != 0.03 {
		t.Errorf("in a fresh world: %v, %v", v, err)
	}
	s = begin(t, doubling(&runs), c, Options{})
	factual := s.Run(t.Context(), 0, Fixes{}, true)
	s.PinFactual(factual)
	runs.take()
	world = s.AddWorld(noise.World{Seed: 5})
	if v, err := s.Value(t.Context(), world, game.Coalition{}); err != nil || v != 0.11 {
		t.Errorf("in a world that explains the recording: %v, %v", v, err)
	}
	if n := runs.take(); len(n) > 0 {
		t.Errorf("%v ran, but all is pinned", n)
	}
}

func TestRecordingFaults(t *testing.T) {
	tests := []struct {
		name      string
		recording map[string]pipeline.Recorded
		want      []string
	}{
		{"unknown step", map[string]pipeline.Recorded{"dubble": {Output: 1}}, []string{"dubble", "double, halve"}},
		{"wrong type", map[string]pipeline.Recorded{"double": {Output: "ten"}}, []string{"double", "ten"}},
		{"wrong input", map[string]pipeline.Recorded{"double": {Inputs: map[string]any{"n": "one"}, Output: 1}}, []string{"double", "one"}},
		{"too many inputs", map[string]pipeline.Recorded{"double": {Inputs: map[string]any{"n": 1, "m": 2}, Output: 1}}, []string{"double", "one input", "m, n"}},
		{"no JSON form", map[string]pipeline.Recorded{"double": {Output: make(chan int)}}, []string{"double", "chan int"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e, err := New(doubling(&counter{}), Options{})
			if err != nil {
				t.Fatal(err)
			}
			c := number(1)
			c.Recording = test.recording
			_, err = e.Case(&c, 0)
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range append(test.want, "case n") {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q doesn't say %q", err, want)
				}
			}
		})
	}
	t.Run("graph lacks an input", func(t *testing.T) {
		g := pipeline.Graph{
			Name: "g", Inputs: []pipeline.Input{{Name: "n"}},
			Steps: []*pipeline.Spec{{Name: "s", Needs: []string{"n"}, Impls: []pipeline.Impl{{Run: func(context.Context, pipeline.Args) (any, error) { return 1, nil }}}}},
			Score: pipeline.Score{Impl: pipeline.Impl{Run: func(context.Context, pipeline.Args) (any, error) { return 1, nil }}},
		}
		e, err := New(g.Pipeline(), Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := number(1)
		c.Recording = map[string]pipeline.Recorded{"s": {Inputs: map[string]any{"m": 1}, Output: 1}}
		if _, err = e.Case(&c, 0); err == nil || !strings.Contains(err.Error(), `lack "n"`) {
			t.Errorf("error %v", err)
		}
	})
}
