package report

import (
	"fmt"

	"github.com/agentblame/agentblame/blame"
)

// A naiveRule is a simple rule that people blame steps by.
type naiveRule struct {
	name string
	says func(s *blame.StepResult) float64
	// show words the largest value.
	show func(s *blame.StepResult) string
}

func (t *text) naiveRules() []naiveRule {
	rules := []naiveRule{{
		"The step that the fixes touch last is",
		func(s *blame.StepResult) float64 { return float64(s.LastTouch) },
		func(s *blame.StepResult) string {
			return fmt.Sprintf("%d of %s", s.LastTouch, count(t.r.Summary.Analyzed, "failure", "failures"))
		},
	}}
	if !t.aloneKnown() {
		return rules
	}
	return append(rules, naiveRule{
		"The fix that resolves the most by itself is that of",
		func(s *blame.StepResult) float64 { return s.Resolves },
		func(s *blame.StepResult) string { return percent(s.Resolves) + " of the failures" },
	}, naiveRule{
		"The fix that is missed the most is that of",
		func(s *blame.StepResult) float64 { return s.LeaveOneOut },
		func(s *blame.StepResult) string { return signed(s.LeaveOneOut) + " without it" },
	})
}

// simpleRules adds where simple rules mislead.
func (t *text) simpleRules() {
	lines := t.naive()
	if t.r.Summary.Analyzed == 0 || len(lines) == 0 {
		return
	}
	t.heading("where simple rules mislead")
	for _, line := range lines {
		t.prose(2, 4, line, plain)
	}
}

// naive says where simple rules point elsewhere than at the most blamed steps.
func (t *text) naive() []string {
	leaders, _ := t.leaders()
	if len(leaders) == 0 {
		return nil
	}
	leads := map[string]bool{}
	for _, s := range leaders {
		leads[s.Name] = true
	}
	var out []string
	for _, rule := range t.naiveRules() {
		var top *blame.StepResult
		shared := false
		for i := range t.r.Steps {
			s := &t.r.Steps[i]
			switch x := rule.says(s); {
			case x <= 0:
			case top == nil || x > rule.says(top):
				top, shared = s, false
			case x == rule.says(top):
				shared = true
			}
		}
		if top == nil || shared || leads[top.Name] {
			continue
		}
		share := "no share"
		if top.Share != nil {
			share = percent(*top.Share)
		}
		out = append(out, fmt.Sprintf("%s %s (%s), which carries %s of the blame.",
			rule.name, t.short(top.Name, nameWidth), rule.show(top), share))
	}
	return out
}
