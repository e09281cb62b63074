package blame_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
)

// formula is a pipeline of steps that say false, and true with their fix; its
// score is a formula of what they say.
func formula(score func(says map[string]bool) bool, steps ...string) *pipeline.Pipeline {
	var all []*pipeline.Step[string, bool]
	var given []pipeline.AnyStep
	for _, name := range steps {
		say := func(what bool) func(context.Context, string) (bool, error) {
			return func(context.Context, string) (bool, error) { return what, nil }
		}
		s := pipeline.NewStep(name, say(false)).Variant("fix", say(true))
		all, given = append(all, s), append(given, s)
	}
	return pipeline.New("formula", func(ctx context.Context, q string) (map[string]bool, error) {
		says := map[string]bool{}
		for i, s := range all {
			var err error
			if says[steps[i]], err = s.Do(ctx, q); err != nil {
				return nil, err
			}
		}
		return says, nil
	}, func(_ context.Context, _ pipeline.Case, says map[string]bool) (float64, error) {
		if score(says) {
			return 1, nil
		}
		return 0, nil
	}, given...)
}

func question() pipeline.Case {
	return pipeline.Case{ID: "q1", Inputs: map[string]any{"question": "why?"}}
}

// TestFormulas knows the blame of each player from the literature or by hand.
func TestFormulas(t *testing.T) {
	tests := []struct {
		name    string
		score   func(says map[string]bool) bool
		steps   []string
		want    map[string]string
		repairs [][]string
		last    string
	}{
		{
			"eight players, three of them null",
			func(s map[string]bool) bool {
				return s["drafter"] && (s["intake"] || s["router"]) && (s["planner"] || s["search"])
			},
			[]string{"intake", "router", "planner", "search", "ranker", "drafter", "editor", "formatter"},
			map[string]string{
				"drafter": "8/15", "intake": "7/60", "router": "7/60", "planner": "7/60", "search": "7/60",
				"ranker": "0", "editor": "0", "formatter": "0",
			},
			[][]string{
				{"intake", "planner", "drafter"}, {"intake", "search", "drafter"},
				{"router", "planner", "drafter"}, {"router", "search", "drafter"},
			},
			"formatter",
		},
		{
			"both are needed",
			func(s map[string]bool) bool { return s["a"] && s["b"] }, []string{"a", "b"},
			map[string]string{"a": "1/2", "b": "1/2"}, [][]string{{"a", "b"}}, "b",
		},
		{
			"either will do",
			func(s map[string]bool) bool { return s["a"] || s["b"] }, []string{"a", "b"},
			map[string]string{"a": "1/2", "b": "1/2"}, [][]string{{"a"}, {"b"}}, "b",
		},
		{
			"one to blame", func(s map[string]bool) bool { return s["a"] }, []string{"b", "a"},
			map[string]string{"a": "1", "b": "0"}, [][]string{{"a"}}, "a",
		},
		{
			"a fix that does harm", func(s map[string]bool) bool { return s["a"] && !s["b"] }, []string{"a", "b"},
			map[string]string{"a": "1/2", "b": "-1/2"}, [][]string{{"a"}}, "b",
		},
		{
			"an odd number", func(s map[string]bool) bool { return s["a"] != s["b"] != s["c"] }, []string{"a", "b", "c"},
			map[string]string{"a": "1/3", "b": "1/3", "c": "1/3"}, [][]string{{"a"}, {"b"}, {"c"}}, "c",
		},
		{
			"nothing repairs it", func(map[string]bool) bool { return false }, []string{"a", "b"},
			map[string]string{"a": "0", "b": "0"}, [][]string{}, "b",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := one(t, formula(test.score, test.steps...), question(), blame.Options{})
			got := map[string]string{}
			for _, v := range r.ShapleyExact {
				got[v.Player] = v.Value
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("blame (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.repairs, r.MinimalRepairs); diff != "" {
				t.Errorf("repairs (-want +got):\n%s", diff)
			}
			if r.LastTouch != test.last {
				t.Errorf("last touch %s, want %s", r.LastTouch, test.last)
			}
		})
	}
}

// TestManyRepairs has C(10, 5) minimal repairs, of which 100 are listed.
func TestManyRepairs(t *testing.T) {
	steps := strings.Split("abcdefghij", "")
	r := one(t, formula(func(s map[string]bool) bool {
		n := 0
		for _, says := range s {
			if says {
				n++
			}
		}
		return n >= 5
	}, steps...), question(), blame.Options{})
	if len(r.MinimalRepairs) != 100 || !r.MinimalRepairsCut || r.MinimalRepairsCount != "252" {
		t.Errorf("%d repairs, cut %v, of %s", len(r.MinimalRepairs), r.MinimalRepairsCut, r.MinimalRepairsCount)
	}
}

// TestPassMark lets a case fail by another mark than 1.
func TestPassMark(t *testing.T) {
	p := pipeline.New("p", func(ctx context.Context, n int) (int, error) { return n, nil },
		func(_ context.Context, _ pipeline.Case, n int) (float64, error) { return float64(n) / 10, nil },
		pipeline.NewStep("s", func(_ context.Context, n int) (int, error) { return n, nil }))
	for mark, want := range map[float64]bool{0: false, 0.6: false, 0.5: true, 0.2: true} {
		r, err := blame.Case(t.Context(), p, pipeline.Case{ID: "c", Inputs: map[string]any{"n": 5}}, blame.Options{Pass: mark})
		if err != nil || r.Passed != want || *r.Score != 0.5 {
			t.Errorf("mark %v: passed %v, error %v", mark, r.Passed, err)
		}
	}
	for _, mark := range []float64{-1, 1.1} {
		if _, err := blame.Case(t.Context(), p, question(), blame.Options{Pass: mark}); err == nil {
			t.Errorf("the pass mark %v was taken", mark)
		}
	}
}
