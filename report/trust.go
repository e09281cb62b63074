package report

import (
	"fmt"
	"strings"
)

// A fact is something to know before a result is believed.
type fact struct {
	term, text string // text may hold marked names
}

// trust returns what the result rests on.
func (t *text) trust() []fact {
	s, set := t.r.Summary, t.r.Settings
	facts := []fact{{"Question", t.quote(set.Estimand) + " Mode: " + t.quote(modeText(set)) + worldsText(set.Worlds) + "."}}
	facts = append(facts, fact{"Fixes considered", strings.Join(t.relative(), " ")})
	counts := fmt.Sprintf("%s run, of which %d pass and %d fail; %d failures analysed", count(s.Cases, "case", "cases"), s.Passed, s.Failures, s.Analyzed)
	if s.Given > s.Cases {
		counts += fmt.Sprintf("; %d of %d given cases were not run", s.Given-s.Cases, s.Given)
	}
	if s.Sampled < s.Analyzed || s.Analyzed == 0 {
		counts += fmt.Sprintf("; %d that no combination of fixes repairs", s.Unfixable)
	}
	if s.CasesKept != nil {
		counts += fmt.Sprintf("; %d listed", *s.CasesKept)
	}
	facts = append(facts, fact{"Cases", counts + "."})
	if s.Undefined > 0 {
		facts = append(facts, fact{"Undefined cases", fmt.Sprintf("%s no values and count in no mean: %s.",
			count(s.Undefined, "case has", "cases have"), t.reasons())})
	}
	if s.WithErrors > 0 {
		facts = append(facts, fact{"Errors", fmt.Sprintf("In %s some step run failed. A failing step's error is its output: the replay goes on if the pipeline handles it.", count(s.WithErrors, "case", "cases"))})
	}
	how := "Method: " + t.short(set.Method, nameWidth) + "."
	if s.Sampled > 0 {
		how += fmt.Sprintf(" The values of %s are estimates from sampling.", count(s.Sampled, "failure", "failures"))
	} else if s.Analyzed > 0 {
		how += " All values are exact for their cases."
	}
	facts = append(facts, fact{"Values", how})
	for i, info := range s.Intervals {
		term := "Intervals"
		if i > 0 {
			term = "Other intervals"
		}
		facts = append(facts, fact{term, "By rule " + t.short(info.Rule, nameWidth) + ": " + level(set.Delta) + ", for all steps at once. " + t.quote(info.Text)})
	}
	if line := t.evidence(); line != "" {
		facts = append(facts, fact{"The lead", line})
	}
	stop := "Ended: " + t.short(s.Stopped, nameWidth) + "."
	if set.Stop != "" {
		stop = "Goal " + t.short(set.Stop, nameWidth) + ", rule " + t.short(set.Rule, nameWidth) + ". " + stop
	}
	facts = append(facts, fact{"Stopping", stop})
	cost := "The analysis' step runs cost " + amount(s.Cost)
	if set.Budget > 0 {
		cost += " of a budget of " + amount(set.Budget)
	}
	if s.CostUncached > 0 {
		cost += "; enumerating all coalitions with nothing cached would have cost " + amount(s.CostUncached)
	}
	facts = append(facts, fact{"Cost", cost + ". Running the cases as they are cost " + amount(s.CostFactual) + "."})
	if line, _ := t.keys(); line != "" {
		facts = append(facts, fact{"Keys", line})
	}
	for _, line := range t.shifts() {
		facts = append(facts, fact{"Shifted calls", line})
	}
	if line := t.askedAgain(); line != "" {
		facts = append(facts, fact{"Asked again", line})
	}
	if s.StoriesCut > 0 {
		facts = append(facts, fact{"Stories", fmt.Sprintf("The result has room for what happened in %d of the listed failures, not for %d.", s.Stories, s.StoriesCut)})
	}
	return append(facts, fact{"Made with", fmt.Sprintf("seed %d, pass mark %s, delta %s, players: %s, claims about: %s, schema %s.",
		set.Seed, score(set.Pass, 0), amount(set.Delta), t.short(set.Players, nameWidth), t.short(set.Claim, nameWidth), t.short(t.r.Schema, nameWidth))})
}

func worldsText(n int) string {
	if n == 0 {
		return ""
	}
	return ", " + count(n, "world", "worlds")
}

// reasons says why cases are undefined, the first few reasons.
func (t *text) reasons() string {
	const most = 5
	var all groups[string]
	for _, c := range t.r.Cases {
		if c.Undefined != "" {
			all.add(c.Undefined, c.ID, nil)
		}
	}
	var out []string
	for i, g := range all.list {
		if i == most {
			out = append(out, fmt.Sprintf("%d more reasons", len(all.list)-most))
			break
		}
		out = append(out, t.short(g.cases[0], nameWidth)+atOthers(len(g.cases)-1)+": "+t.short(g.key, 300))
	}
	if len(out) == 0 {
		return "they aren't listed"
	}
	return strings.Join(out, "; ")
}

func atOthers(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" and %d more", n)
}
