// Package blame tells which step of a pipeline caused a failure, for one case
// ([Case]) or a batch of them ([Batch]).
//
// It runs the case; when it fails, it replays it with all combinations of fixes,
// all randomness held fixed, and splits the credit for the repair between the
// steps by their Shapley values. Blame is always relative to the fixes that are
// considered: a step without one is no player.
package blame
