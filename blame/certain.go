package blame

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/replay"
)

// certainPlayers is the most players of a case whose top step is looked for
// coalition by coalition.
const certainPlayers = 10

// stopsWhenCertain says whether a case is replayed only until its top player is
// certain. In a batch it isn't: which coalitions of a case are run must not depend
// on its own values there, and means over cases need those.
func (a *analysis) stopsWhenCertain(players int) bool {
	return !a.inBatch && a.options.Stop == confseq.Top1 && a.options.Method == Auto &&
		!a.options.Independent && !a.options.Calls && players > 2 && players <= certainPlayers
}

// certain replays coalitions until one player has the largest value whatever the
// others score, and says whether that came before all were replayed. When it
// didn't, or something went wrong, exploring the case runs nothing again and
// tells the rest.
//
// The player that leads so far is to beat all others; the next coalitions are
// those that say the most about it and the one it beats the least, for what they
// newly cost. That may depend on the case's values since a certificate holds
// whatever was replayed.
func (a *analysis) certain(ctx context.Context, r *CaseResult, v *coalitionValues) (found bool) {
	n := len(v.names)
	if !a.stopsWhenCertain(n) {
		return false
	}
	q := newQuest(n, newPrices(a.engine, v.session.Players()))
	for next := []game.Coalition{{}, game.Full(n)}; len(next) > 0; next = q.next(max(1, len(q.asked)/8)) {
		values, err := v.means(ctx, next)
		if err != nil {
			return false
		}
		for k, c := range next {
			q.file(c, values[k])
		}
		if !q.certain() || len(q.asked) == len(q.known) {
			continue
		}
		g, err := partialGame(v.names, q.known)
		if err != nil {
			return false
		}
		g.bounds(r)
		a.certainResult(r, v, q.known, len(q.asked))
		a.replayErrors(ctx, r, v, q.asked)
		return true
	}
	return false
}

// certainResult fills in what is known of a case whose top player is certain.
func (a *analysis) certainResult(r *CaseResult, v *coalitionValues, table []float64, known int) {
	r.Method, r.Coalitions = methodBounds, float64(known)
	r.Stopped = confseq.ReasonTop1
	r.Reason = fmt.Sprintf("it is certain who is most to blame after %d of %d coalitions, whatever the others score", known, len(table))
	r.ScoreFixed = &table[len(table)-1]
	if a.options.Mode != Recorded {
		r.ScoreAsRun = &table[0]
	}
	if len(v.worlds) > 1 {
		r.Worlds = len(v.worlds)
	}
}

// replayErrors files the step runs that failed in coalitions that were replayed,
// the smallest first. Nothing runs.
func (a *analysis) replayErrors(ctx context.Context, r *CaseResult, v *coalitionValues, known []game.Coalition) {
	known = slices.Clone(known)
	slices.SortStableFunc(known, func(a, b game.Coalition) int { return a.Len() - b.Len() })
	for _, w := range v.worlds {
		for _, c := range known {
			t := v.session.Run(ctx, w, replay.Fixes{Coalition: c}, false)
			r.Errors = mergeErrors(r.Errors, a.errors(v.session, t.Failures))
		}
	}
}

// partialGame is the game of a table in which what isn't known is NaN.
func partialGame(names []string, table []float64) (*caseGame, error) {
	b := game.NewBuilder(len(names))
	var build func(player, mask int) game.Ref
	build = func(player, mask int) game.Ref {
		switch {
		case player < len(names):
			lo, hi := build(player+1, mask), build(player+1, mask|1<<player)
			return b.Node(player, game.Edge{To: lo}, game.Edge{To: hi})
		case math.IsNaN(table[mask]):
			return b.Unknown()
		}
		return b.Leaf(table[mask])
	}
	d, err := b.Build(game.Edge{To: build(0, 0)})
	if err != nil {
		return nil, err
	}
	return &caseGame{names: names, worlds: []*game.Diagram{d}}, nil
}
