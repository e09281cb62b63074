// Package game splits the credit for a repair among the fixes that made it: it
// holds cooperative games and computes their values, exactly where the game's
// structure allows and by sampling where it doesn't.
//
// A game gives every [Coalition] of players (the steps that run their fix) a
// value (the score of that run). A game of n players has 2ⁿ values, but a
// pipeline's runs meet again in equal states, so a [Diagram] of those states is
// small. From it come, without looking at coalitions one by one, Shapley and
// Banzhaf values, interactions of pairs, values of grouped players, bounds where
// parts are unknown, and all minimal repair sets:
//
//	b := game.NewBuilder(3)
//	failed, passed := b.Leaf(0), b.Leaf(1)
//	second := b.Node(2, game.Edge{To: failed}, game.Edge{To: passed})
//	first := b.Node(0, game.Edge{To: failed}, game.Edge{To: second})
//	d, err := b.Build(game.Edge{To: first})
//	...
//	phi := d.Shapley(nil) // ½, 0, ½
//
// A small game may also be written out as a [Table]; one that can only be asked
// is sampled by a [Sampler].
//
// Methods that take a dst write into it and return it, like append, so that
// batches of many games need no new memory; nil is fine. Diagrams, Repairs and
// Samplers are safe for concurrent use, Builders are not.
//
// Results are the same on all machines, to the last bit. For one game they may
// differ in rounding between diagrams that ask in different orders; bring both
// to one order with [Diagram.Ordered] first if that matters.
package game
