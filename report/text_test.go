package report_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/report"
)

func text(t testing.TB, r *blame.Result, o report.TextOptions) string {
	t.Helper()
	var b strings.Builder
	if err := report.Text(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// mixed is a batch with cases of every kind.
func mixed() []pipeline.Case {
	return papers(
		"two ways: a|b", "retrieval: b", "retrieval again: b", "pair: cd", "many: ab|ac|ad|bc|bd|cd",
		"right already: ", "also right: ", "hopeless: z", "half way: %ab", "harmful: d~a",
		"stumbles: !cb|c", "stumbles too: !cb|c", "busy: ?da", "busy as well: ?db", "repeats: b&", "shifts: b+",
	)
}

func TestTextGolden(t *testing.T) {
	hostile := [4]string{
		"\x1b[31mred\x1b[0m", "名前がとても長い検索ステップ、八十桁には収まらない長さの名前", "\u202etxt.exe", strings.Repeat("long-", 40),
	}
	tests := []struct {
		name   string
		result *blame.Result
		o      report.TextOptions
	}{
		{"refund", refund(t, blame.Options{}), report.TextOptions{}},
		{"refund-color", refund(t, blame.Options{}), report.TextOptions{Color: true}},
		{"refund-narrow", refund(t, blame.Options{}), report.TextOptions{Width: 40}},
		{"refund-calls", refund(t, blame.Options{Calls: true}), report.TextOptions{}},
		{"mixed", batch(t, exam(usual), mixed(), blame.Options{}), report.TextOptions{}},
		{"mixed-wide", batch(t, exam(usual), mixed(), blame.Options{}), report.TextOptions{Width: 120, Cases: 3}},
		{"mixed-narrow", batch(t, exam(usual), mixed(), blame.Options{}), report.TextOptions{Width: 36}},
		{"mixed-verbose", batch(t, exam(usual), mixed()[:5], blame.Options{Pass: 0.8}), report.TextOptions{Verbose: true}},
		{"mixed-calls", batch(t, exam(usual), mixed(), blame.Options{Calls: true}), report.TextOptions{}},
		{"hostile", batch(t, exam(hostile), papers("=1+1\x1b]0;title\a: a|b|cd", "q\r\n\u2066x\u200f: cd", "é́́\xff: !ba"), blame.Options{}), report.TextOptions{}},
		{"budget", batch(t, exam(usual), mixed(), blame.Options{Budget: 40}), report.TextOptions{}},
		{"interrupted", interrupted(t), report.TextOptions{}},
		{"stopped", batch(t, exam(usual), many(60), blame.Options{Stop: confseq.Top1, KeepCases: 3}), report.TextOptions{}},
		{"stopped-verbose", batch(t, exam(usual), many(60), blame.Options{Stop: confseq.Top1, KeepCases: 3}), report.TextOptions{Verbose: true, Width: 100}},
		{"not-separated", batch(t, exam(usual), mixed(), blame.Options{Stop: confseq.Ranking}), report.TextOptions{}},
		{"prior", batch(t, exam(usual), mixed()[:5], blame.Options{Mode: blame.Prior, Worlds: 3}), report.TextOptions{}},
		{"posterior-one", batch(t, exam(usual), papers("q1: b|cd"), blame.Options{Mode: blame.Posterior, Worlds: 4}), report.TextOptions{}},
		{"sampled", batch(t, exam(usual), mixed(), blame.Options{Method: blame.Permutation, Permutations: 50}), report.TextOptions{}},
		{"sampled-one", batch(t, exam(usual), papers("q1: b|cd"), blame.Options{Method: blame.Permutation, Permutations: 500}), report.TextOptions{}},
		{"independent", batch(t, exam(usual), mixed()[:5], blame.Options{Independent: true}), report.TextOptions{}},
		{"unseen", unseen(t), report.TextOptions{}},
		{"batch-claim", batch(t, exam(usual), many(12), blame.Options{Claim: blame.ThisBatch}), report.TextOptions{}},
		{"groups", batch(t, exam(usual), papers("x: ab|cd"), blame.Options{Groups: []blame.Group{{Name: "search", Members: usual[:2]}}, Ordered: true}), report.TextOptions{}},
		{"cut", batch(t, exam(usual), papers("x: a|b"), blame.Options{Nodes: 2, Permutations: 50}), report.TextOptions{Verbose: true, Width: 120}},
		{"cut-undefined-verbose", batch(t, exam(usual), papers("x: a", "y: ab"), blame.Options{Budget: 21}), report.TextOptions{Verbose: true}},
		{"cut-undefined", batch(t, exam(usual), papers("x: a"), blame.Options{Nodes: 2, Method: blame.Exact}), report.TextOptions{}},
		{"harm", harmed(t), report.TextOptions{}},
		{"harm-narrow", harmed(t), report.TextOptions{Width: 48}},
		{"all-pass", batch(t, exam(usual), papers("x: ", "y: "), blame.Options{}), report.TextOptions{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			golden(t, tt.name+".txt", text(t, tt.result, tt.o))
		})
	}
}

// many is a batch in which one step is clearly to blame.
func many(n int) []pipeline.Case {
	var lines []string
	for i := range n {
		word := "b"
		if i%6 == 0 {
			word = "cd"
		}
		lines = append(lines, fmt.Sprintf("q%d: %s", i, word))
	}
	return papers(lines...)
}

// harmed is a batch in which the leading fix breaks passing cases, and another
// step has two variants.
func harmed(t *testing.T) *blame.Result {
	p := exam(usual)
	second := p.Steps[2].Impls[0]
	second.Name = "leave-be"
	p.Steps[2].Impls = append(p.Steps[2].Impls, second)
	return batch(t, p, append(many(20), papers("fine: ", "fragile: ~b", "frail: ~b", "tender: ~d")...), blame.Options{})
}

// unseen is a result of steps whose randomness isn't seen, or whose key is wrong.
func unseen(t *testing.T) *blame.Result {
	r := refund(t, blame.Options{})
	r.Pipeline.Steps[0].UnseenNoise = true
	r.Pipeline.Steps[1].Key = true
	r.Pipeline.Steps[2].Fix = ""
	r.Summary.KeyCheck = &blame.KeyCheck{Replays: 40, Disagreements: 2}
	r.Summary.AskedAgain = blame.ByPlayer[int]{{Player: "planner", Value: 2}, {Player: "program", Value: 1}}
	return r
}

// interrupted is a batch that is stopped after two cases.
func interrupted(t *testing.T) *blame.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	done := 0
	r, err := blame.Batch(ctx, exam(usual), mixed(), blame.Options{Concurrency: 1, Each: func(blame.CaseResult) {
		if done++; done == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v, want that of the context", err)
	}
	return r
}
