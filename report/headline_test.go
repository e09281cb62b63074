package report_test

import (
	"strings"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

func TestHeadline(t *testing.T) {
	tests := []struct {
		name  string
		words []string // of the cases
		want  string
	}{
		{"nothing was run", nil, "No case was run."},
		{"one case passes", []string{""}, "Nothing is to blame: the case passes as it is."},
		{"all cases pass", []string{"", ""}, "Nothing is to blame: all 2 cases pass as they are."},
		{"no case has a score", []string{"?a", ""}, "Nothing can be blamed: no case fails, but 1 is undefined."},
		{"two steps tie", []string{"a|b|cd"}, "No single step leads: rewrite and retrieve carry 41.7 % of the blame each."},
		{"all steps tie", []string{"abcd"}, "No single step leads: rewrite, retrieve, answer and verify carry 25.0 % of the blame each."},
		{"one of the tied resolves", []string{"a", "bc", "bc"}, "No single step leads: rewrite, retrieve and answer carry 33.3 % of the blame each; fixing rewrite alone resolves the most failures (33.3 %)."},
		{"one step leads and resolves most", []string{"b", "b", "b|c", "cd"}, "Fix retrieve first: it carries 62.5 % of the blame, and fixing it alone resolves 75.0 % of the failures."},
		{"one step repairs the case", []string{"c"}, "Fix answer first: it carries 100.0 % of the blame, and fixing it alone resolves the case."},
		{"one step leads but resolves nothing", []string{"ab|ac"}, "rewrite carries the most blame (66.7 %), but no single fix resolves the case."},
		{"one step leads but resolves no failure", []string{"ab|ac", "ab|ac"}, "rewrite carries the most blame (66.7 %), but no single fix resolves a failure."},
		{"another resolves more", []string{"ab|ac", "ab|ac", "d"}, "Fix rewrite or verify first: rewrite carries the most blame (44.4 %), but fixing verify alone resolves more failures (33.3 % to 0.0 %)."},
		{"nothing helps", []string{"z", "z"}, "No step leads: the fixes together don't raise the score of the failing cases."},
		{"one helps, but not with another", []string{"a^d"}, "No step leads: the fixes together don't raise the score of the failing cases. But fixing rewrite alone resolves the case."},
		{"two help, but not with another", []string{"a^d", "b^d", "z"}, "No step leads: the fixes together don't raise the score of the failing cases. But fixing rewrite or retrieve alone resolves 33.3 % of the failures."},
		{"nothing helps enough", []string{"%az", "%az"}, "No combination of these fixes resolves a failure, though they raise scores: rewrite carries 100.0 % of the blame."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var lines []string
			for i, w := range tt.words {
				lines = append(lines, string(rune('p'+i))+": "+w)
			}
			r := batch(t, exam(usual), papers(lines...), blame.Options{})
			got := strings.Split(text(t, r, report.TextOptions{Width: 500}), "\n")[1]
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
