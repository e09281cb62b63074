package report_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/report"
)

func TestEvidenceForTheLead(t *testing.T) {
	tests := []struct {
		name  string
		cases []pipeline.Case
		o     blame.Options
		want  string // the line after the headline; "" is none
	}{
		{"few cases leave the lead open", many(6), blame.Options{}, "The lead may not hold beyond these cases: the interval of retrieve overlaps that of rewrite, answer and verify."},
		{"many make it clear", many(70), blame.Options{}, "The lead is clear: no other interval reaches that of retrieve."},
		{"steps that tie have no lead", papers("x: ab", "y: ab"), blame.Options{}, ""},
		{"one exact case has no interval", papers("x: a"), blame.Options{}, ""},
		{"few orders leave the lead open", papers("x: b|cd"), blame.Options{Method: blame.Permutation, Permutations: 20},
			"The lead may not hold under more sampling: the interval of retrieve overlaps that of rewrite, answer and verify."},
		{"a goal that is reached", many(60), blame.Options{Stop: confseq.Top1},
			"retrieve is certified as the most blamed step after N analysed failures (rule elimination, valid at any stopping time)."},
		{"a goal that is not", many(6), blame.Options{Stop: confseq.Top1},
			"The goal top1 was not reached after N analysed failures (rule elimination, valid at any stopping time): no claim is made beyond these cases."},
		{"a rule that guarantees nothing", many(60), blame.Options{Stop: confseq.Top1, Rule: "normal"},
			"retrieve is declared, though not certified, as the most blamed step after N analysed failures (rule normal, asymptotic, not anytime-valid)."},
		{"a goal without a leader", many(60), blame.Options{Stop: confseq.Width, Width: 0.9},
			"The goal width was reached after N analysed failures (rule hedged, valid at any stopping time)."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := batch(t, exam(usual), tt.cases, tt.o)
			line := strings.Split(text(t, r, report.TextOptions{Width: 500}), "\n")[2]
			// After how many is the rule's affair.
			got := regexp.MustCompile(`after \d+ `).ReplaceAllString(line, "after N ")
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
