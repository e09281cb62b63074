package replay

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// oneStep is a graph of one step that does as told, with a fix that gives 1, and
// a score that passes its output on.
func oneStep(impl pipeline.Impl) *pipeline.Pipeline {
	return pipeline.Graph{
		Name: "p", Inputs: []pipeline.Input{{Name: "n"}},
		Steps: []*pipeline.Spec{{Name: "s", Needs: []string{"n"}, Impls: []pipeline.Impl{impl, {
			Name: "fix", Cost: 1, Run: func(context.Context, pipeline.Args) (any, error) { return 1, nil },
		}}}},
		Score: pipeline.Score{Needs: []string{"s"}, Impl: pipeline.Impl{
			Run: func(_ context.Context, args pipeline.Args) (any, error) { return args.At(0), nil },
		}},
	}.Pipeline()
}

func TestStepFailures(t *testing.T) {
	gives := func(out any, err error) func(context.Context, pipeline.Args) (any, error) {
		return func(context.Context, pipeline.Args) (any, error) { return out, err }
	}
	var nobody *pipeline.Args
	tests := []struct {
		name string
		run  func(context.Context, pipeline.Args) (any, error)
		want string
	}{
		{"error", gives(nil, errors.New("no such document")), "no such document"},
		{"panic", func(context.Context, pipeline.Args) (any, error) { panic("boom") }, "the step panicked: boom (in github.com/agentblame/agentblame/replay.TestStepFailures.func2, line "},
		{"nil pointer", func(context.Context, pipeline.Args) (any, error) { return nobody.Len(), nil }, "the step panicked: runtime error: invalid memory address"},
		{"NaN", gives(math.NaN(), nil), "the output has no JSON form: NaN"},
		{"NaN within", gives(map[string]any{"a": []float64{math.Inf(1)}}, nil), "the output has no JSON form"},
		{"channel", gives(make(chan int), nil), "the output has no JSON form: cannot marshal from Go chan int"},
		{"a key drawn twice", func(ctx context.Context, _ pipeline.Args) (any, error) {
			return noise.From(ctx).Float64("k") + noise.From(ctx).Float64("k"), nil
		}, `key "k": used twice`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := begin(t, oneStep(pipeline.Impl{Run: test.run}), number(0), Options{})
			got := s.Run(t.Context(), 0, Fixes{}, true)
			if got.Err != nil || got.Score != 0 {
				t.Errorf("score %v, error %v; want 0", got.Score, got.Err)
			}
			x, err := s.Explore(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(x.Failures) != 1 || x.Failures[0].Step != "s" || !strings.Contains(x.Failures[0].Message, test.want) {
				t.Errorf("failures %+v, want %q", x.Failures, test.want)
			}
			if x.Diagram.Empty() != 0 || x.Diagram.Full() != 1 {
				t.Errorf("values %v and %v, want 0 and 1", x.Diagram.Empty(), x.Diagram.Full())
			}
		})
	}
}

// TestScores scores a step's output as it is: what is no score leaves the replay
// without a value.
func TestScores(t *testing.T) {
	tests := []struct {
		out  any
		want float64
		err  string
	}{
		{0, 0, ""},
		{1, 1, ""},
		{0.5, 0.5, ""},
		{float32(0.25), 0.25, ""},
		{true, 1, ""},
		{false, 0, ""},
		{1.5, 0, "score: it is 1.5, and must lie in [0, 1]"},
		{-0.1, 0, "must lie in [0, 1]"},
		{"1", 0, `score: it is "1", and must be a number in [0, 1]`},
		{nil, 0, "it is null"},
		{[]int{1}, 0, "it is [1]"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.out), func(t *testing.T) {
			s := begin(t, oneStep(pipeline.Impl{Run: func(context.Context, pipeline.Args) (any, error) { return test.out, nil }}), number(0), Options{})
			checkScore(t, s, test.want, test.err)
		})
	}
	fails := map[string]func(context.Context, pipeline.Args) (any, error){
		"NaN has no JSON form":        func(context.Context, pipeline.Args) (any, error) { return math.NaN(), nil },
		"score: I don't know":         func(context.Context, pipeline.Args) (any, error) { return nil, errors.New("I don't know") },
		"score: the step panicked: 7": func(context.Context, pipeline.Args) (any, error) { panic(7) },
	}
	for want, run := range fails {
		t.Run(want, func(t *testing.T) {
			p := oneStep(pipeline.Impl{Run: func(context.Context, pipeline.Args) (any, error) { return 0, nil }})
			p.Score.Run = run
			checkScore(t, begin(t, p, number(0), Options{}), 0, want)
		})
	}
}

func checkScore(t *testing.T, s *Session, want float64, message string) {
	t.Helper()
	got := s.Run(t.Context(), 0, Fixes{}, true)
	if message == "" {
		if got.Err != nil || got.Score != want {
			t.Errorf("score %v, want %v; error %v", got.Score, want, got.Err)
		}
		return
	}
	var wrong *ScoreError
	if !errors.As(got.Err, &wrong) || !strings.Contains(got.Err.Error(), message) {
		t.Errorf("error %v, want %q", got.Err, message)
	}
	x, err := s.Explore(t.Context(), 0)
	if err != nil || !math.IsNaN(x.Diagram.Empty()) || len(x.Unknown) == 0 {
		t.Errorf("explored: %+v, %v; want an unknown value", x, err)
	}
	if len(x.Failures) == 0 || x.Failures[0].Step != "score" {
		t.Errorf("failures %+v", x.Failures)
	}
}

// TestTransient lets a step fail for passing reasons. Time is a bubble's.
func TestTransient(t *testing.T) {
	busy := pipeline.Transient(errors.New("too busy"))
	tests := []struct {
		name    string
		retries int
		fails   int // attempts that fail
		value   float64
		took    time.Duration
		cost    float64
		want    string
	}{
		{"once, no retries", 0, 1, math.NaN(), 0, 2, "step s: asking: too busy"},
		{"once", 2, 1, 0, time.Second, 4, ""},
		{"twice", 2, 2, 0, 3 * time.Second, 6, ""},
		{"always", 2, 99, math.NaN(), 3 * time.Second, 6, "step s: asking: too busy (3 attempts)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				attempts := 0
				p := oneStep(pipeline.Impl{Cost: 2, Retries: test.retries, Run: func(context.Context, pipeline.Args) (any, error) {
					if attempts++; attempts <= test.fails {
						return nil, fmt.Errorf("asking: %w", busy)
					}
					return 0, nil
				}})
				s := begin(t, p, number(0), Options{Backoff: time.Second})
				start := time.Now()
				x, err := s.Explore(t.Context(), 0)
				if err != nil {
					t.Fatal(err)
				}
				// Unknown is not 0, and the other coalition is known.
				if got := x.Diagram.Empty(); got != test.value && !(math.IsNaN(got) && math.IsNaN(test.value)) {
					t.Errorf("as-run value %v, want %v", got, test.value)
				}
				if x.Diagram.Full() != 1 {
					t.Errorf("fixed value %v, want 1", x.Diagram.Full())
				}
				if took := time.Since(start); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
				if got := strings.Join(x.Unknown, "; "); got != test.want {
					t.Errorf("unknown: %q, want %q", got, test.want)
				}
				if s.Cost() != test.cost+1 {
					t.Errorf("cost %v, want %v and 1 for the fix", s.Cost(), test.cost)
				}
				if n := s.engine.Stats().Retried.Load(); n != int64(min(test.retries, test.fails)) {
					t.Errorf("%d retries counted", n)
				}
				// What came to nothing isn't tried again for every coalition.
				before := attempts
				s.Value(t.Context(), 0, game.Coalition{})
				if attempts != before {
					t.Errorf("tried again")
				}
			})
		})
	}
}

// TestTimeout lets steps overrun their time.
func TestTimeout(t *testing.T) {
	tests := []struct {
		name    string
		retries int
		run     func(ctx context.Context, end <-chan struct{}) (any, error)
		took    time.Duration
		want    string
	}{
		{"watches its context", 0, func(ctx context.Context, _ <-chan struct{}) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, time.Second, "step s: timed out after 1s"},
		{"hangs", 0, func(_ context.Context, end <-chan struct{}) (any, error) {
			<-end
			return 1, nil
		}, time.Second + grace, "step s: timed out after 1s"},
		{"hangs, tried again", 1, func(_ context.Context, end <-chan struct{}) (any, error) {
			<-end
			return 1, nil
		}, 2*(time.Second+grace) + time.Second, "step s: timed out after 1s (2 attempts)"},
		{"is quick", 0, func(context.Context, <-chan struct{}) (any, error) { return 0, nil }, 0, ""},
		{"fails quickly", 0, func(context.Context, <-chan struct{}) (any, error) { return nil, errors.New("no") }, 0, ""},
		{"panics quickly", 0, func(context.Context, <-chan struct{}) (any, error) { panic("no") }, 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				end := make(chan struct{})
				defer close(end)
				p := oneStep(pipeline.Impl{Timeout: time.Second, Retries: test.retries, Run: func(ctx context.Context, _ pipeline.Args) (any, error) {
					return test.run(ctx, end)
				}})
				s := begin(t, p, number(0), Options{Backoff: time.Second})
				start := time.Now()
				v, err := s.Value(t.Context(), 0, game.Coalition{})
				if test.want == "" && (err != nil || v != 0) || test.want != "" && (err == nil || err.Error() != test.want) {
					t.Errorf("value %v, error %v, want %q", v, err, test.want)
				}
				if took := time.Since(start); took != test.took {
					t.Errorf("took %v, want %v", took, test.took)
				}
			})
		})
	}
}

// TestSmallestCoalition holds the failures that exploring reports against those
// of all coalitions replayed: each is reported with the smallest it happens in.
func TestSmallestCoalition(t *testing.T) {
	type what struct{ Step, Message string }
	rapid.Check(t, func(t *rapid.T) {
		var s *Session
		if rapid.Bool().Draw(t, "graph") {
			s = drawGraph(t, 6, true, false).session(t, Options{})
		} else {
			s = drawFunc(t, 6, false).session(t, false, Options{})
		}
		x, err := s.Explore(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		got, want := map[what]game.Coalition{}, map[what]game.Coalition{}
		keep := func(to map[what]game.Coalition, f Failure) {
			at := what{f.Step, f.Message}
			if have, ok := to[at]; !ok || game.Compare(f.Coalition, have) < 0 {
				to[at] = f.Coalition
			}
		}
		for _, f := range x.Failures {
			keep(got, f)
		}
		for c := range coalitions(len(s.Players())) {
			for _, f := range s.Run(t.Context(), 0, Fixes{Coalition: c}, false).Failures {
				keep(want, f)
			}
		}
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b game.Coalition) bool { return a == b })); diff != "" {
			t.Fatalf("failures (-want +got):\n%s", diff)
		}
	})
}
