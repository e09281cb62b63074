// Package noise gives every random choice of a pipeline an address, so that a
// run can be replayed with some of its steps swapped and all other randomness
// unchanged.
//
// A draw is a function of its address (world seed, world index, step, call,
// key[, option]) and of nothing else: not of the order of draws, not of which
// other draws are made, not of the machine or the language. Two runs in one
// [World] therefore see the same noise wherever both look.
//
//	w := noise.World{Seed: 7}
//	s := w.Source("retriever", "1")
//	doc := s.Categorical("doc", map[string]float64{"gold": 1.0, "stale": 1.3})
//
// Choices among options use the Gumbel-max trick: option i gets its own Gumbel
// variable gᵢ and the option with the largest logitᵢ + gᵢ is chosen, which has
// the softmax law. Under other logits the same g are used again: that is the
// counterfactual "what would have been chosen".
//
// Where only the choices of a run are known and not its noise, a [Posterior]
// turns a world into one whose noise is conditioned on them (abduction).
//
// Inside a step the source comes from the context: From(ctx).Float64("x").
// Outside an analysis [From] draws from a fresh random world.
//
// # Misuse
//
// A key used twice in one source, a NaN or +Inf logit, a choice without a
// possible option, n < 1 or p outside [0, 1] is a programming error of the
// step. Drawing methods report it by panicking with an [*Error]; an engine
// that runs steps recovers it and makes it the step's error. A panic in a
// goroutine that the step itself started is, as always in Go, the step's own
// to recover.
//
// The exact specification, for writing a port to another language, is in
// docs/noise.md; testdata/port has one in Python and one in JavaScript.
package noise
