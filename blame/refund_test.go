package blame_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/demo"
	"github.com/agentblame/agentblame/pipeline"
)

// one analyses a case that must have values.
func one(t *testing.T, p *pipeline.Pipeline, c pipeline.Case, o blame.Options) *blame.CaseResult {
	t.Helper()
	r, err := blame.Case(t.Context(), p, c, o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Undefined != "" {
		t.Fatalf("undefined: %s", r.Undefined)
	}
	return r
}

// values are what a case comes to, in numbers.
type values struct {
	Exact                blame.ByPlayer[string]
	FixAlone, LeaveOut   blame.ByPlayer[float64]
	Repairs              [][]string
	LastTouch            string
	Score, Fixed         float64
	Cost, Factual        float64
	Uncached, Coalitions float64
}

func valuesOf(r *blame.CaseResult) values {
	return values{
		r.ShapleyExact, r.FixAlone, r.LeaveOneOut, r.MinimalRepairs, r.LastTouch, *r.Score, *r.ScoreFixed,
		r.Cost, r.CostFactual, r.CostUncached, r.Coalitions,
	}
}

// TestRefund analyses the worked example in all its forms: as a function and as
// a graph, with steps and with calls as players.
func TestRefund(t *testing.T) {
	type refund struct {
		exact    [4]string // planner, retriever, writer, reviewer
		fixAlone [4]float64
		repairs  [][]string
	}
	mechanisms := map[string]refund{
		// The planner and the retriever repair alone, the writer and the reviewer
		// together: v = 1 − (1−p)(1−r)(1−w·v).
		"A": {
			exact:    [4]string{"5/12", "5/12", "1/12", "1/12"},
			fixAlone: [4]float64{1, 1, 0, 0},
			repairs:  [][]string{{"planner"}, {"retriever"}, {"writer", "reviewer"}},
		},
		// The reviewer needs no citations: three repair alone, the writer nothing.
		"B": {
			exact:    [4]string{"1/3", "1/3", "0", "1/3"},
			fixAlone: [4]float64{1, 1, 0, 1},
			repairs:  [][]string{{"planner"}, {"retriever"}, {"reviewer"}},
		},
	}
	kinds := map[string]func(string) *pipeline.Pipeline{"function": demo.Refund, "graph": demo.RefundGraph}
	for mechanism, m := range mechanisms {
		for kind, p := range kinds {
			for players, suffix := range map[string]string{"steps": "", "calls": "#1"} {
				t.Run(mechanism+", "+kind+", "+players, func(t *testing.T) {
					want := values{LastTouch: "reviewer" + suffix, Fixed: 1, Cost: 14, Factual: 4, Uncached: 64, Coalitions: 16}
					for i, step := range []string{"planner", "retriever", "writer", "reviewer"} {
						name := step + suffix
						want.Exact = append(want.Exact, blame.PlayerValue[string]{Player: name, Value: m.exact[i]})
						want.FixAlone = append(want.FixAlone, blame.PlayerValue[float64]{Player: name, Value: m.fixAlone[i]})
						want.LeaveOut = append(want.LeaveOut, blame.PlayerValue[float64]{Player: name})
					}
					for _, repair := range m.repairs {
						var names []string
						for _, step := range repair {
							names = append(names, step+suffix)
						}
						want.Repairs = append(want.Repairs, names)
					}
					r := one(t, p(mechanism), demo.RefundCase(), blame.Options{Calls: players == "calls"})
					if diff := cmp.Diff(want, valuesOf(r)); diff != "" {
						t.Errorf("values (-want +got):\n%s", diff)
					}
					if len(r.Errors) > 0 || len(r.CallsShift) > 0 || r.Passed {
						t.Errorf("errors %v, shifted calls %v, passed %v", r.Errors, r.CallsShift, r.Passed)
					}
				})
			}
		}
	}
}
