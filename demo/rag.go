package demo

import (
	"context"

	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// The rag pipeline answers questions about a handbook: rewrite → retrieve →
// answer → verify. Every step is a mocked LLM that samples what it does from
// logits. A fix shifts the logits (a stronger model, a reranker, a prompt that
// keeps to the source, a grounding check), so that it makes the right choice more
// likely and not certain.

// An Enquiry is what a user asks of the handbook.
type Enquiry struct {
	Question string `json:"question"`
	Topic    string `json:"topic"`
	// Difficulty is how oddly the question is put: 0 plainly, 9 hardly to be
	// understood.
	Difficulty int `json:"difficulty"`
}

// A Query is what the rewriter makes of an enquiry.
type Query struct {
	Topic      string `json:"topic"`
	Difficulty int    `json:"difficulty"`
	// Focus is "sharp", "broad" or "off".
	Focus string `json:"focus"`
}

// A Passage is what the retriever finds.
type Passage struct {
	Topic      string `json:"topic"`
	Difficulty int    `json:"difficulty"`
	// Source is "gold" for the page that answers the question, "stale" for its
	// last year's version, or "unrelated".
	Source string `json:"source"`
}

// A Claim is an answer on its way to the user.
type Claim struct {
	// Text is "right", "garbled" or "invented".
	Text   string `json:"text"`
	Source string `json:"source"`
}

// A Reply is what the user gets.
type Reply struct {
	// Text is a claim's, or "none" when the verifier held it back.
	Text string `json:"text"`
	// Source is the page that the reply names.
	Source string `json:"source"`
}

// logits are those of a model's options.
type logits = map[string]float64

// topics are what enquiries are about. Of some the pages change more often, some
// have more tables, which are easily misread.
func topics() (names []string, steady, plain map[string]float64) {
	names = []string{"leave", "expenses", "travel", "security"}
	steady = map[string]float64{"leave": 0.5, "expenses": 0.2, "travel": -0.2, "security": -0.5}
	plain = map[string]float64{"leave": -0.3, "expenses": 0.3, "travel": -0.3, "security": 0.3}
	return names, steady, plain
}

// difficulties is how many there are.
const difficulties = 10

// ease returns how easy a difficulty is, from 1 to −1.
func ease(difficulty int) float64 { return 1 - float64(difficulty)/4.5 }

// rewrite returns a rewriter. A better one is sharp more often.
func rewrite(better float64) func(context.Context, Enquiry) (Query, error) {
	var model [difficulties]logits
	for d := range model {
		model[d] = logits{"sharp": 0.3 + 0.4*ease(d) + better, "broad": 0, "off": -0.45}
	}
	return func(ctx context.Context, e Enquiry) (Query, error) {
		focus := noise.From(ctx).Categorical("focus", model[e.Difficulty])
		return Query{Topic: e.Topic, Difficulty: e.Difficulty, Focus: focus}, nil
	}
}

// search returns a retriever. A better one ranks the gold page first more often;
// without a sharp query that is still rare.
func search(better float64) func(context.Context, Query) (Passage, error) {
	gold := map[string]float64{"sharp": 1.0, "broad": -1.9, "off": -2.6}
	unrelated := map[string]float64{"sharp": -1.5, "broad": -0.5, "off": 0.5}
	names, steady, _ := topics()
	model := map[Query]logits{}
	for focus := range gold {
		for _, topic := range names {
			for d := range difficulties {
				model[Query{Topic: topic, Difficulty: d, Focus: focus}] = logits{
					"gold":      gold[focus] + steady[topic] + 0.45*ease(d) + better,
					"stale":     0,
					"unrelated": unrelated[focus],
				}
			}
		}
	}
	return func(ctx context.Context, q Query) (Passage, error) {
		source := noise.From(ctx).Categorical("page", model[q])
		return Passage{Topic: q.Topic, Difficulty: q.Difficulty, Source: source}, nil
	}
}

// answer returns a writer. A better one keeps to its source: that helps where
// the source is right.
func answer(better float64) func(context.Context, Passage) (Claim, error) {
	names, _, plain := topics()
	model := map[Passage]logits{}
	for _, topic := range names {
		for d := range difficulties {
			model[Passage{topic, d, "gold"}] = logits{"right": 0.9 + plain[topic] + 0.3*ease(d) + better, "garbled": 0, "invented": -1}
			model[Passage{topic, d, "stale"}] = logits{"right": -3, "garbled": 0.5, "invented": -0.5}
			model[Passage{topic, d, "unrelated"}] = logits{"right": -3, "garbled": -1, "invented": 0.5}
		}
	}
	return func(ctx context.Context, p Passage) (Claim, error) {
		return Claim{Text: noise.From(ctx).Categorical("claim", model[p]), Source: p.Source}, nil
	}
}

// verify returns a verifier, which keeps a claim, corrects it from its source or
// holds it back. A better one sees more often that a claim isn't in its source.
func verify(better float64) func(context.Context, Claim) (Reply, error) {
	right := logits{"keep": 3, "hold": -1.1}
	wrong := logits{"keep": 2, "hold": -1 + better/2, "correct": -0.2 + better}
	unfounded := logits{"keep": 2, "hold": -1 + 2*better}
	return func(ctx context.Context, c Claim) (Reply, error) {
		model := unfounded
		switch {
		case c.Text == "right":
			model = right
		case c.Source == "gold":
			model = wrong
		}
		reply := Reply(c)
		switch noise.From(ctx).Categorical("verdict", model) {
		case "correct":
			reply.Text = "right"
		case "hold":
			reply.Text = "none"
		}
		return reply, nil
	}
}

// Rag is the pipeline over the handbook.
func Rag() *pipeline.Pipeline {
	var (
		rewriter  = pipeline.NewStep("rewrite", rewrite(0)).Variant("stronger-model", rewrite(2.9), pipeline.Cost(2))
		retriever = pipeline.NewStep("retrieve", search(0), pipeline.Cost(2)).Variant("reranker", search(2.5), pipeline.Cost(4))
		writer    = pipeline.NewStep("answer", answer(0), pipeline.Cost(3)).Variant("keep-to-source", answer(3.2), pipeline.Cost(5))
		verifier  = pipeline.NewStep("verify", verify(0)).Variant("grounding-check", verify(2.35), pipeline.Cost(3))
	)
	reply := func(ctx context.Context, e Enquiry) (Reply, error) {
		query, err := rewriter.Do(ctx, e)
		if err != nil {
			return Reply{}, err
		}
		passage, err := retriever.Do(ctx, query)
		if err != nil {
			return Reply{}, err
		}
		claim, err := writer.Do(ctx, passage)
		if err != nil {
			return Reply{}, err
		}
		return verifier.Do(ctx, claim)
	}
	return pipeline.New("rag", reply, scoreReply, rewriter, retriever, writer, verifier)
}

func scoreReply(_ context.Context, _ pipeline.Case, r Reply) (float64, error) {
	if r.Text == "right" {
		return 1, nil
	}
	return 0, nil
}
