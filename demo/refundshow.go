package demo

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
	"github.com/agentblame/agentblame/report"
)

// mechanisms are the two ways in which the reviewer's fix may work, with what
// repairs the case under each.
var mechanisms = []struct {
	name, checks, law string
	repaired          func(planner, retriever, writer, reviewer bool) bool
}{
	{
		"A", "the reviewer's fix checks only claims that the writer cites",
		"planner, or retriever, or writer and reviewer",
		func(p, r, w, v bool) bool { return p || r || w && v },
	},
	{
		"B", "the reviewer's fix checks all claims",
		"planner, or retriever, or reviewer",
		func(p, r, _, v bool) bool { return p || r || v },
	},
}

// runRefund shows the refund pipeline under both mechanisms. The result is that
// of mechanism A.
func runRefund(ctx context.Context, w io.Writer, o report.TextOptions) (*blame.Result, error) {
	fmt.Fprintln(w, "refund: planner → retriever → writer → reviewer answer \"90 days\" from a superseded policy; 30 is right.")
	var first *blame.Result
	for _, m := range mechanisms {
		fmt.Fprintf(w, "\nMechanism %s: %s\n\n", m.name, m.checks)
		p := Refund(m.name)
		r, err := blame.Batch(ctx, p, []pipeline.Case{RefundCase()}, blame.Options{})
		first = cmp.Or(first, r)
		if err != nil {
			return first, err
		}
		if err := report.Text(w, r, o); err != nil {
			return first, err
		}
		checked, err := checkCoalitions(ctx, p, m.repaired)
		if err != nil {
			return first, err
		}
		fmt.Fprintf(w, "checked: on all %d coalitions, each replayed on its own, the case passes exactly\nwith the fixes of %s\n", checked, m.law)
	}
	return first, nil
}

// checkCoalitions replays every coalition on its own, without exploring, and
// compares with what must come out. It returns how many there are.
func checkCoalitions(ctx context.Context, p *pipeline.Pipeline, repaired func(planner, retriever, writer, reviewer bool) bool) (int, error) {
	e, err := replay.New(p, replay.Options{})
	if err != nil {
		return 0, err
	}
	c := RefundCase()
	n := len(p.Steps)
	for mask := range uint64(1) << n {
		s, err := e.Case(&c, 0)
		if err != nil {
			return 0, err
		}
		fixed := game.FromMask(mask)
		score, err := s.Value(ctx, 0, fixed)
		if err != nil {
			return 0, err
		}
		want := 0.0
		if repaired(fixed.Has(0), fixed.Has(1), fixed.Has(2), fixed.Has(3)) {
			want = 1
		}
		if score != want {
			return 0, fmt.Errorf("the replay with the fixes of %v scores %v, not %v", fixed, score, want)
		}
	}
	return 1 << n, nil
}
