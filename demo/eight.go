package demo

import (
	"context"

	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// The eight-step agent answers questions about company accounts. An answer needs
// routing and evidence and a correct number and a draft that isn't blocked. The
// steps as they run are old rules, which fail on what they don't foresee; the
// fixes are LLM calls, which sample what they do and mostly get it right.

// A Ticket is a question to the finance desk, with what makes it hard.
type Ticket struct {
	Question string `json:"question"`
	// Vague says that it can be read in several ways.
	Vague bool `json:"vague"`
	// Filings says where the figures stand: in "one" filing, "several", or one
	// that the index is "missing".
	Filings string `json:"filings"`
	// Mixed says that the figures are in several units.
	Mixed bool `json:"mixed"`
}

// A Request is a ticket as the intake understands it.
type Request struct {
	Clear   bool   `json:"clear"`
	Filings string `json:"filings"`
	Mixed   bool   `json:"mixed"`
}

// A Route says which desk handles a request: only "filings" can answer.
type Route struct {
	Desk    string `json:"desk"`
	Filings string `json:"filings"`
	Mixed   bool   `json:"mixed"`
}

// A SearchPlan is what the planner wants looked up.
type SearchPlan struct {
	Desk string `json:"desk"`
	// EachFiling says that there is a query for each filing, not one for all.
	EachFiling bool   `json:"each_filing"`
	Filings    string `json:"filings"`
	Mixed      bool   `json:"mixed"`
}

// Evidence is what the search finds: "all", "part" or "nothing" of it.
type Evidence struct {
	Found string `json:"found"`
	Mixed bool   `json:"mixed"`
}

// Figures are what the extractor reads from the evidence.
type Figures struct {
	Found string `json:"found"`
	// Units are "one" or "mixed".
	Units string `json:"units"`
}

// A Number is the calculator's result: "right", "wrong" or "none".
type Number struct {
	Value string `json:"value"`
}

// A Memo is the draft of an answer.
type Memo struct {
	Number string `json:"number"`
	// Form is "complete", "unhedged" when the disclaimer is missing, or "bare"
	// when the sources are.
	Form string `json:"form"`
}

// An Outcome is what the customer gets.
type Outcome struct {
	// Number is the draft's, or empty when that was blocked.
	Number string `json:"number"`
	// Message is "answer", or what a blocked draft is replaced with: a "stock"
	// phrase, or the "reason".
	Message string `json:"message"`
}

// pick draws one of two options, the first with the given log odds.
func pick(ctx context.Context, key, likely, other string, odds float64) string {
	return noise.From(ctx).Categorical(key, map[string]float64{likely: odds, other: 0})
}

func intake(_ context.Context, t Ticket) (Request, error) {
	return Request{Clear: !t.Vague, Filings: t.Filings, Mixed: t.Mixed}, nil
}

// intakeRestated restates the question before anything is done with it.
func intakeRestated(ctx context.Context, t Ticket) (Request, error) {
	request, err := intake(ctx, t)
	request.Clear = request.Clear || pick(ctx, "reading", "clear", "vague", 2.6) == "clear"
	return request, err
}

// route looks for words of the filings desk, which vague requests lack.
func route(_ context.Context, r Request) (Route, error) {
	desk := "news"
	if r.Clear {
		desk = "filings"
	}
	return Route{Desk: desk, Filings: r.Filings, Mixed: r.Mixed}, nil
}

// routeClassified asks an LLM for the desk. It copes with vague requests, but it
// is sometimes wrong, on clear ones too.
func routeClassified(ctx context.Context, r Request) (Route, error) {
	odds := 2.4
	if r.Clear {
		odds = 3.2
	}
	desk := pick(ctx, "desk", "filings", "news", odds)
	return Route{Desk: desk, Filings: r.Filings, Mixed: r.Mixed}, nil
}

func planSearch(_ context.Context, r Route) (SearchPlan, error) {
	return SearchPlan{Desk: r.Desk, Filings: r.Filings, Mixed: r.Mixed}, nil
}

// planEach makes a query for each filing.
func planEach(ctx context.Context, r Route) (SearchPlan, error) {
	plan, err := planSearch(ctx, r)
	plan.EachFiling = pick(ctx, "queries", "each", "one", 2.6) == "each"
	return plan, err
}

// lookUp finds what one query finds, and all that scattered figures need only
// with a query for each filing.
func lookUp(_ context.Context, p SearchPlan) (Evidence, error) {
	found := "all"
	switch {
	case p.Desk != "filings" || p.Filings == "missing":
		found = "nothing"
	case p.Filings == "several" && !p.EachFiling:
		found = "part"
	}
	return Evidence{Found: found, Mixed: p.Mixed}, nil
}

// lookUpLinked follows the links of what it has found.
func lookUpLinked(ctx context.Context, p SearchPlan) (Evidence, error) {
	evidence, err := lookUp(ctx, p)
	if evidence.Found == "part" {
		evidence.Found = pick(ctx, "links", "all", "part", 2.6)
	}
	return evidence, err
}

func extract(_ context.Context, e Evidence) (Figures, error) {
	units := "one"
	if e.Mixed && e.Found != "nothing" {
		units = "mixed"
	}
	return Figures{Found: e.Found, Units: units}, nil
}

// extractTyped reads the units beside the figures and converts them.
func extractTyped(ctx context.Context, e Evidence) (Figures, error) {
	figures, err := extract(ctx, e)
	if figures.Units == "mixed" {
		figures.Units = pick(ctx, "units", "one", "mixed", 2.4)
	}
	return figures, err
}

func calculate(_ context.Context, f Figures) (Number, error) {
	switch {
	case f.Found == "nothing":
		return Number{"none"}, nil
	case f.Found == "part" || f.Units == "mixed":
		return Number{"wrong"}, nil
	}
	return Number{"right"}, nil
}

// calculateChecked checks that the units agree, and converts them.
func calculateChecked(ctx context.Context, f Figures) (Number, error) {
	if f.Units == "mixed" {
		f.Units = pick(ctx, "conversion", "one", "mixed", 2.4)
	}
	return calculate(ctx, f)
}

// draft writes as the template has it: without disclaimer, or without sources.
func draft(ctx context.Context, n Number) (Memo, error) {
	return Memo{Number: n.Value, Form: pick(ctx, "form", "bare", "unhedged", -0.3)}, nil
}

// draftCited is told to cite its sources and add the disclaimer.
func draftCited(ctx context.Context, n Number) (Memo, error) {
	form := noise.From(ctx).Categorical("form", map[string]float64{"complete": 2.9, "unhedged": 0, "bare": -0.3})
	return Memo{Number: n.Value, Form: form}, nil
}

// guard blocks what isn't complete in form. Numbers it can't judge.
func guard(_ context.Context, m Memo) (Outcome, error) {
	if m.Form != "complete" {
		return Outcome{Message: "stock"}, nil
	}
	return Outcome{Number: m.Number, Message: "answer"}, nil
}

// guardJudged has an LLM add a missing disclaimer, or say why it blocks a draft.
func guardJudged(ctx context.Context, m Memo) (Outcome, error) {
	if m.Form == "unhedged" && pick(ctx, "judgement", "repair", "block", 2.6) == "repair" {
		m.Form = "complete"
	}
	outcome, err := guard(ctx, m)
	if outcome.Message == "stock" {
		outcome.Message = "reason"
	}
	return outcome, err
}

// Eight is the eight-step agent.
func Eight() *pipeline.Pipeline {
	var (
		intakes    = pipeline.NewStep("intake", intake, pipeline.Cost(2)).Variant("restate", intakeRestated, pipeline.Cost(5))
		router     = pipeline.NewStep("router", route).Variant("llm-classifier", routeClassified, pipeline.Cost(4))
		planner    = pipeline.NewStep("planner", planSearch, pipeline.Cost(2)).Variant("query-each", planEach, pipeline.Cost(6))
		searcher   = pipeline.NewStep("search", lookUp).Variant("follow-links", lookUpLinked, pipeline.Cost(4))
		extractor  = pipeline.NewStep("extractor", extract, pipeline.Cost(2)).Variant("typed-tables", extractTyped, pipeline.Cost(5))
		calculator = pipeline.NewStep("calculator", calculate).Variant("unit-check", calculateChecked, pipeline.Cost(3))
		drafter    = pipeline.NewStep("drafter", draft, pipeline.Cost(4)).Variant("cite-and-hedge", draftCited, pipeline.Cost(8))
		guardrail  = pipeline.NewStep("guardrail", guard).Variant("llm-judge", guardJudged, pipeline.Cost(2))
	)
	handle := func(ctx context.Context, t Ticket) (out Outcome, err error) {
		request, err := intakes.Do(ctx, t)
		if err != nil {
			return out, err
		}
		desk, err := router.Do(ctx, request)
		if err != nil {
			return out, err
		}
		plan, err := planner.Do(ctx, desk)
		if err != nil {
			return out, err
		}
		evidence, err := searcher.Do(ctx, plan)
		if err != nil {
			return out, err
		}
		figures, err := extractor.Do(ctx, evidence)
		if err != nil {
			return out, err
		}
		number, err := calculator.Do(ctx, figures)
		if err != nil {
			return out, err
		}
		memo, err := drafter.Do(ctx, number)
		if err != nil {
			return out, err
		}
		return guardrail.Do(ctx, memo)
	}
	return pipeline.New("eight", handle, scoreOutcome, intakes, router, planner, searcher, extractor, calculator, drafter, guardrail)
}

func scoreOutcome(_ context.Context, _ pipeline.Case, o Outcome) (float64, error) {
	if o.Number == "right" {
		return 1, nil
	}
	return 0, nil
}
