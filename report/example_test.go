package report_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/demo"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/report"
)

func ExampleText() {
	r, err := blame.Batch(context.Background(), demo.Refund("A"), []pipeline.Case{demo.RefundCase()}, blame.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	report.Text(os.Stdout, r, report.TextOptions{Width: 100})
	// Output:
	// refund (recorded noise)
	// No single step leads: planner and retriever carry 41.7 % of the blame each.
	//
	// 1 case run: 0 pass, 1 fail; 1 analysed, 0 unfixable; 0 undefined
	// cost 14 (uncached 64), factual runs 4; stopped: all cases
	//
	// case refund-q1: score 0 as run, 1 with every fix  [exact, 16 coalitions, cost 14, uncached 64]
	//   step       fix alone  leave-one-out  Shapley
	//   planner       +1.000         +0.000  +0.417 (= 5/12)  ████████████████████
	//   retriever     +1.000         +0.000  +0.417 (= 5/12)  ████████████████████
	//   writer        +0.000         +0.000  +0.083 (= 1/12)  ████
	//   reviewer      +0.000         +0.000  +0.083 (= 1/12)  ████
	//   minimal repairs: {planner}, {retriever}, {writer, reviewer}
	//   cheapest repair: {planner}, whose fixes cost 1 a run
	//   last touch: reviewer
	//   method: exact, since there are no more than 32768 states to explore
	//
	// pairs of fixes (4 of 6)
	//   pair                 kind        SII
	//   planner + retriever  redundancy  -0.667 (= -2/3)
	//   writer + reviewer    synergy     +0.333 (= 1/3)
	//   planner + writer     redundancy  -0.167 (= -1/6)
	//   planner + reviewer   redundancy  -0.167 (= -1/6)
	//   … 2 more
	//   synergy: the two fixes need each other; redundancy: either does the other's work; SII: the Shapley
	//   interaction index.
	//
	// where simple rules mislead
	//   The step that the fixes touch last is reviewer (1 of 1 failure), which carries 8.3 % of the blame.
	//
	// Blame is relative to the fixes considered: planner → date-constraint, retriever → drop-superseded,
	//   writer → cite-sources, reviewer → recheck-claims.
}

func ExampleCSV() {
	r, err := blame.Batch(context.Background(), demo.Refund("A"), []pipeline.Case{demo.RefundCase()}, blame.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	report.CSV(os.Stdout, r)
	// Output:
	// id,passed,score,score_fixed,undefined,last_touch,cost,shapley.planner,shapley.retriever,shapley.writer,shapley.reviewer,minimal_repairs
	// refund-q1,false,0,1,,reviewer,14,0.4166666666666667,0.4166666666666667,0.08333333333333333,0.08333333333333333,"{planner}, {retriever}, {writer, reviewer}"
}

func ExampleReadJSON() {
	_, err := report.ReadJSON(strings.NewReader(`{"schema": "agentblame.result/v9", "cases": []}`))
	fmt.Println(err)
	// Output:
	// the result is of another version: it is "agentblame.result/v9", and this program reads "agentblame.result/v1"
}

func ExampleClean() {
	fmt.Println(report.Clean("q1\x1b[2J\nowned \u202etxt.exe"))
	// Output:
	// q1\x1b[2J\nowned \u202etxt.exe
}
