// Package confseq says what may be concluded from a stream of cases, and when to stop.
//
// A stream is a sequence of vectors, one value per player (a step of a pipeline), for example the Shapley values of
// one failing case, or the marginals of one random permutation. A [Rule] is fed one vector at a time; it keeps
// intervals of the means and says when its goal is reached: the best player is known, the whole order is known,
// or every interval is narrow enough.
//
//	rule, err := confseq.New("auto", confseq.Options{Players: 8, Delta: 0.05, Goal: confseq.Top1, Spread: 1})
//	for _, shapley := range cases {
//		if err := rule.Add(shapley); err != nil {
//			return err
//		}
//		if reason, ok := rule.Stopped(); ok {
//			fmt.Println(reason, rule.Leaders()) // separated (top1) [6]
//			break
//		}
//	}
//
// Rules differ in what they promise, and each says it in [Promise], which reports print:
//
//   - [Elimination], [Pairs] and the sequences [Hedged] and [PlugIn] bet against what they want to refute. Their
//     errors are bounded by delta at every sample size and under every way of stopping, looking after each case
//     included. Given the size of a finite batch they speak about that batch, and are certain when it ends.
//   - [Scheduled] with the Hoeffding or the empirical Bernstein radius looks at geometrically growing checkpoints and
//     is valid there. It is the plain, classical way, and slow.
//   - The normal radius and [Asymptotic] rest on a large-sample approximation. On skewed data they name wrong players
//     far more often than delta, and are labelled so.
//
// A good start for "which step is to blame": Elimination, which needs about thirty cases where the empirical
// Bernstein rule needs a thousand.
//
// The rules don't lock; one stream belongs to one goroutine.
package confseq
