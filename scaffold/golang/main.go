// Triage takes support mail and says which team answers it. Four steps, each with a
// mistake that shows in some of the cases, and a variant that doesn't make it.
//
// Replace the bodies with your own: a model call, a search, a service. A seed for a
// model's sampling comes from noise.From(ctx), so that a replay sees the same.
package main

import (
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

// teams are known by words.
var teams = []struct {
	name  string
	words []string
}{
	{"billing", []string{"invoice", "charged", "refund", "paid"}},
	{"access", []string{"password", "login", "account", "locked"}},
	{"technical", []string{"error", "crash", "export", "down"}},
}

// urgent are the words that can't wait.
var urgent = []string{"urgent", "now", "down"}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' })
}

var clean = pipeline.NewStep("clean", func(_ context.Context, mail string) (string, error) {
	return mail, nil
}).Variant("drop-quotes", func(_ context.Context, mail string) (string, error) {
	// Without the lines that quote an older mail.
	lines := slices.DeleteFunc(strings.Split(mail, "\n"), func(line string) bool { return strings.HasPrefix(line, ">") })
	return strings.Join(lines, "\n"), nil
})

var classify = pipeline.NewStep("classify", func(_ context.Context, text string) (string, error) {
	// The first team that is spoken of.
	for _, team := range teams {
		if count(text, team.words) > 0 {
			return team.name, nil
		}
	}
	return "general", nil
}).Variant("count-words", func(_ context.Context, text string) (string, error) {
	// The team that is spoken of most.
	best, most := "general", 0
	for _, team := range teams {
		if n := count(text, team.words); n > most {
			best, most = team.name, n
		}
	}
	return best, nil
})

// count is how many words of a text are among those known.
func count(text string, known []string) int {
	n := 0
	for _, word := range words(text) {
		if slices.Contains(known, word) {
			n++
		}
	}
	return n
}

var priority = pipeline.NewStep("priority", func(_ context.Context, text string) (string, error) {
	for _, word := range urgent {
		if strings.Contains(strings.ToLower(text), word) { // finds "now" in "know", too
			return "urgent", nil
		}
	}
	return "normal", nil
}).Variant("whole-words", func(_ context.Context, text string) (string, error) {
	if count(text, urgent) > 0 {
		return "urgent", nil
	}
	return "normal", nil
})

// Judged is what the route depends on.
type Judged struct{ Team, Priority string }

var route = pipeline.NewStep("route", func(_ context.Context, j Judged) (string, error) {
	if j.Priority == "urgent" {
		return "on-call", nil
	}
	return j.Team, nil
}).Variant("wake-for-outages", func(_ context.Context, j Judged) (string, error) {
	// Only what is technical wakes somebody up.
	if j.Priority == "urgent" && j.Team == "technical" {
		return "on-call", nil
	}
	return j.Team, nil
})

// triage is the pipeline as production would call it.
func triage(ctx context.Context, mail string) (string, error) {
	text, err := clean.Do(ctx, mail)
	if err != nil {
		return "", err
	}
	team, err := classify.Do(ctx, text)
	if err != nil {
		return "", err
	}
	how, err := priority.Do(ctx, text)
	if err != nil {
		return "", err
	}
	return route.Do(ctx, Judged{team, how})
}

// rightTeam is the score: from 0, failed, to 1.
func rightTeam(_ context.Context, c pipeline.Case, team string) (float64, error) {
	var expected string
	if err := c.DecodeExpected(&expected); err != nil {
		return 0, err
	}
	if team == expected {
		return 1, nil
	}
	return 0, nil
}

func main() {
	if err := analyse(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func analyse() error {
	p := pipeline.New("triage", triage, rightTeam, clean, classify, priority, route)
	cases, err := spec.ReadCases("cases.jsonl", spec.CheckOf(p))
	if err != nil {
		return err
	}
	result, err := blame.Batch(context.Background(), p, cases, blame.Options{})
	if err != nil {
		return err
	}
	return report.Text(os.Stdout, result, report.TextOptions{})
}
