// A shop's answers to its customers: a topic, a page of the handbook, an answer.
//
// Replace the bodies of the steps with your own; each has one way in which it could be better.
package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/report"
	"github.com/agentblame/agentblame/spec"
)

type page struct {
	year int
	text string
}

var pages = map[string][]page{
	"payment": {
		{2022, "We take cards. Invoices are for companies."},
		{2025, "We take cards and transfers. Invoices are for everyone."},
	},
	"delivery": {
		{2023, "Delivery takes five days. It costs 4 euros."},
		{2025, "Delivery takes two days. It is free above 30 euros."},
	},
	"returns": {
		{2021, "Return within 90 days. The label is 5 euros."},
		{2025, "Return within 30 days. The label is free."},
	},
}

var words = [][2]string{{"pay", "payment"}, {"arrive", "delivery"}, {"deliver", "delivery"}, {"return", "returns"}}

func topicOf(question string) string {
	for _, w := range words {
		if strings.Contains(question, w[0]) {
			return w[1]
		}
	}
	return "payment"
}

var (
	classify = pipeline.NewStep("classify", func(_ context.Context, question string) (string, error) {
		return topicOf(question), nil
	}).Variant("by-meaning", func(_ context.Context, question string) (string, error) {
		if strings.Contains(question, "back") {
			return "returns", nil
		}
		return topicOf(question), nil
	}, pipeline.Cost(2))

	search = pipeline.NewStep("search", func(_ context.Context, topic string) (string, error) {
		return pages[topic][0].text, nil
	}).Variant("newest", func(_ context.Context, topic string) (string, error) {
		return slices.MaxFunc(pages[topic], func(a, b page) int { return cmp.Compare(a.year, b.year) }).text, nil
	})

	answer = pipeline.NewStep("answer", func(_ context.Context, page string) (string, error) {
		first, _, _ := strings.Cut(page, ". ")
		return first, nil
	}, pipeline.Cost(3)).Variant("whole-page", func(_ context.Context, page string) (string, error) {
		return page, nil
	})
)

// support is the pipeline as it runs in production: outside an analysis, Do just
// calls the step's function.
func support(ctx context.Context, question string) (string, error) {
	topic, err := classify.Do(ctx, question)
	if err != nil {
		return "", err
	}
	page, err := search.Do(ctx, topic)
	if err != nil {
		return "", err
	}
	return answer.Do(ctx, page)
}

func score(_ context.Context, c pipeline.Case, text string) (float64, error) {
	var expected string
	if err := c.DecodeExpected(&expected); err != nil {
		return 0, err
	}
	if strings.Contains(text, expected) {
		return 1, nil
	}
	return 0, nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	cases, err := spec.ReadCases("cases.jsonl", spec.Check{})
	if err != nil {
		return err
	}
	p := pipeline.New("support", support, score, classify, search, answer)
	result, err := blame.Batch(context.Background(), p, cases, blame.Options{})
	if err != nil {
		return err
	}
	if err := report.Text(os.Stdout, result, report.TextOptions{}); err != nil {
		return err
	}
	return report.Write("result.json", result)
}
