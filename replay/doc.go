// Package replay runs a pipeline under coalitions: with some steps' fixes in
// place, all randomness held fixed, and no step run made twice.
//
// An [Engine] holds what all cases share (limits, the budget, counters), a
// [Session] is one case with its interned values and its step cache. Of a
// session, [Session.Run] tells what one replay did, [Session.Value] is the score
// of one coalition, and [Session.Explore] replays all coalitions at once and
// gives the game as a decision diagram.
//
// Whatever kind of pipeline it is, it is explored by the same code over
// [pipeline.Program]: a run answers the program's calls, and where a player is
// not decided yet it gets both outputs, goes on as-run and leaves the fix to
// another run. Outputs that are equal don't branch, and states that are equal
// merge.
package replay
