package demo

import (
	"context"
	"fmt"

	"github.com/agentblame/agentblame/pipeline"
)

// The refund pipeline answers a customer from a superseded policy of 2023 that
// is still in the index: 90 days, where 30 is right. Each step had a chance to
// notice, and each fix repairs something else.

// A Question is what the customer asks.
type Question struct {
	Question string `json:"question"`
}

// A Plan is what the planner makes of a question: what to look for, and from
// which year on (0: no matter).
type Plan struct {
	Query string `json:"query"`
	Since int    `json:"since"`
}

// A Policy is a document of the index.
type Policy struct {
	ID         string `json:"id"`
	Year       int    `json:"year"`
	Days       int    `json:"days"`
	Superseded string `json:"superseded_by"` // the ID of the policy that replaced it
}

// A Draft is an answer on its way to the customer.
type Draft struct {
	Text  string `json:"text"`
	Days  int    `json:"days"`
	Cites string `json:"cites"` // a policy's ID, or ""
}

// policies is the index, best match first.
func policies() []Policy {
	return []Policy{
		{ID: "refunds-2023", Year: 2023, Days: 90, Superseded: "refunds-2026"},
		{ID: "refunds-2026", Year: 2026, Days: 30},
	}
}

func plan(_ context.Context, q Question) (Plan, error) {
	return Plan{Query: q.Question}, nil
}

func planDated(_ context.Context, q Question) (Plan, error) {
	return Plan{Query: q.Question, Since: 2026}, nil
}

func retrieve(_ context.Context, p Plan) (Policy, error) {
	return firstPolicy(func(d Policy) bool { return d.Year >= p.Since })
}

func retrieveCurrent(_ context.Context, p Plan) (Policy, error) {
	return firstPolicy(func(d Policy) bool { return d.Year >= p.Since && d.Superseded == "" })
}

func firstPolicy(matches func(Policy) bool) (Policy, error) {
	for _, d := range policies() {
		if matches(d) {
			return d, nil
		}
	}
	return Policy{}, fmt.Errorf("no policy matches")
}

func write(_ context.Context, d Policy) (Draft, error) {
	return Draft{Text: fmt.Sprintf("You can return it within %d days.", d.Days), Days: d.Days}, nil
}

func writeCited(ctx context.Context, d Policy) (Draft, error) {
	draft, err := write(ctx, d)
	draft.Cites = d.ID
	return draft, err
}

func review(_ context.Context, d Draft) (Draft, error) {
	return d, nil
}

// reviewCited checks cited claims against the register of policies.
func reviewCited(ctx context.Context, d Draft) (Draft, error) {
	if d.Cites == "" {
		return d, nil
	}
	return reviewAll(ctx, d)
}

// reviewAll checks every claim against the register of policies.
func reviewAll(ctx context.Context, d Draft) (Draft, error) {
	for _, p := range policies() {
		if p.Days != d.Days || p.Superseded == "" {
			continue
		}
		for _, current := range policies() {
			if current.ID == p.Superseded {
				corrected, err := write(ctx, current)
				corrected.Cites = d.Cites
				return corrected, err
			}
		}
	}
	return d, nil
}

// Refund is the refund pipeline as a Go function. Its mechanism says what the
// reviewer's fix checks: "A", the claims that the writer cites, or "B", all claims.
func Refund(mechanism string) *pipeline.Pipeline {
	check := reviewCited
	if mechanism == "B" {
		check = reviewAll
	}
	var (
		planner   = pipeline.NewStep("planner", plan).Variant("date-constraint", planDated)
		retriever = pipeline.NewStep("retriever", retrieve).Variant("drop-superseded", retrieveCurrent)
		writer    = pipeline.NewStep("writer", write).Variant("cite-sources", writeCited)
		reviewer  = pipeline.NewStep("reviewer", review).Variant("recheck-claims", check)
	)
	answer := func(ctx context.Context, q Question) (Draft, error) {
		plan, err := planner.Do(ctx, q)
		if err != nil {
			return Draft{}, err
		}
		policy, err := retriever.Do(ctx, plan)
		if err != nil {
			return Draft{}, err
		}
		draft, err := writer.Do(ctx, policy)
		if err != nil {
			return Draft{}, err
		}
		return reviewer.Do(ctx, draft)
	}
	return pipeline.New("refund", answer, scoreRefund, planner, retriever, writer, reviewer)
}

func scoreRefund(_ context.Context, c pipeline.Case, d Draft) (float64, error) {
	var days int
	if err := c.DecodeExpected(&days); err != nil {
		return 0, err
	}
	if d.Days == days {
		return 1, nil
	}
	return 0, nil
}

// RefundCase is the case that fails.
func RefundCase() pipeline.Case {
	return pipeline.Case{
		ID:       "refund-q1",
		Inputs:   map[string]any{"question": "How long do I have to return it?"},
		Expected: 30,
	}
}
