// Package pipeline declares what an analysis is made of: steps with variants, the
// pipelines that call them, scores and cases.
//
// In Go, production code is the pipeline. A [Step] wraps an ordinary function,
// and its Do has that function's own type: in a plain context it runs it, in an
// analysis the engine answers with the output of the variant that is asked for.
// Loops, branches and goroutines need nothing special.
//
//	var (
//		retriever = pipeline.NewStep("retriever", retrieve).Variant("newest", retrieveNewest)
//		writer    = pipeline.NewStep("writer", write).Variant("cite", writeCited)
//	)
//
//	func answer(ctx context.Context, q Question) (Answer, error) {
//		docs, err := retriever.Do(ctx, q)
//		if err != nil {
//			return Answer{}, err
//		}
//		return writer.Do(ctx, docs)
//	}
//
//	p := pipeline.New("support", answer, score, retriever, writer)
//
// A pipeline function must be deterministic given its steps' outputs: an analysis
// runs it many times, several at once, on outputs that it knows. Randomness
// belongs into steps, which draw it from the noise of their context.
//
// Where the steps live elsewhere, a [Graph] declares them by their wiring. Both
// become a [Pipeline], and nothing above package replay knows which it has.
package pipeline
