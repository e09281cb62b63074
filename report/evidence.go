package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// evidence says how sure the lead of the most blamed step is beyond the cases
// that were analysed: what the stopping rule declared, or whether the intervals
// overlap. It is empty where there is nothing to be sure of.
func (t *text) evidence() string {
	if s := t.r.Summary.Separation; s != nil {
		return t.separation(s)
	}
	if leaders, _ := t.leaders(); len(leaders) != 1 {
		return ""
	}
	var means []mean
	of := t.beyond()
	for _, s := range t.r.Steps {
		if s.Shapley.Low != nil && s.Shapley.High != nil {
			means = append(means, mean{s.Name, s.Shapley.Mean, *s.Shapley.Low, *s.Shapley.High})
		}
	}
	if c := t.onlyCase(); c != nil {
		of = "under more sampling"
		for _, i := range c.Intervals {
			means = append(means, mean{i.Player, c.Shapley.Get(i.Player), i.Value.Low, i.Value.High})
		}
	}
	if len(means) < 2 {
		return ""
	}
	lead := slices.MaxFunc(means, func(a, b mean) int { return cmp.Compare(a.mean, b.mean) })
	var near []string
	for _, m := range means {
		if m.name != lead.name && m.high >= lead.low {
			near = append(near, m.name)
		}
	}
	name := t.short(lead.name, nameWidth)
	if len(near) == 0 {
		return "The lead is clear: no other interval reaches that of " + name + "."
	}
	return fmt.Sprintf("The lead may not hold %s: the interval of %s overlaps that of %s.", of, name, t.join(near, "and"))
}

// beyond is where conclusions lead.
func (t *text) beyond() string {
	if t.r.Settings.Claim == "batch" {
		return "in the whole batch"
	}
	return "beyond these cases"
}

// A mean is a player's blame with its interval.
type mean struct {
	name            string
	mean, low, high float64
}

// separation says what the stopping rule declared.
func (t *text) separation(s *blame.Separation) string {
	by := fmt.Sprintf("after %s (rule %s, %s)", count(s.Cases, "analysed failure", "analysed failures"), t.short(s.Rule, nameWidth), t.quote(s.Label))
	if !s.Reached {
		return fmt.Sprintf("The goal %s was not reached %s: no claim is made %s.", t.short(s.Goal, nameWidth), by, t.beyond())
	}
	var leaders []string
	for _, l := range s.Leaders {
		leaders = append(leaders, t.short(l, nameWidth))
	}
	names := strings.Join(leaders, ", ")
	word := "certified"
	if !s.Valid {
		word = "declared, though not certified,"
	}
	switch {
	case len(leaders) == 0:
		return fmt.Sprintf("The goal %s was reached %s.", t.short(s.Goal, nameWidth), by)
	case s.Goal == "top1":
		return fmt.Sprintf("%s is %s as the most blamed step %s.", names, word, by)
	case s.Goal == "topk":
		return fmt.Sprintf("%s are %s as the most blamed steps %s.", names, word, by)
	}
	return fmt.Sprintf("The order %s is %s %s.", names, word, by)
}
