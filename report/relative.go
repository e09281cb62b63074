package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// fixes adds what the blame is relative to, and what it takes for granted.
func (t *text) fixes() {
	t.blank()
	for i, line := range t.relative() {
		s := plain
		if i > 0 {
			s = yellow
		}
		t.prose(0, 2, line, s)
	}
	if line, held := t.keys(); line != "" {
		s := plain
		if !held {
			s = yellow
		}
		t.prose(0, 2, line, s)
	}
}

// relative says what the blame is relative to, and of which steps randomness may
// not be seen.
func (t *text) relative() []string {
	var fixes, without, unseen []string
	for _, s := range t.r.Pipeline.Steps {
		name := t.short(s.Name, nameWidth)
		if s.UnseenNoise {
			unseen = append(unseen, name)
		}
		if s.Fix == "" {
			without = append(without, name)
			continue
		}
		fixes = append(fixes, strings.ReplaceAll(name+" → "+t.short(s.Fix, nameWidth), " ", glue))
	}
	if len(fixes) == 0 {
		return []string{"Blame is relative to the fixes considered, and there are none."}
	}
	line := "Blame is relative to the fixes considered: " + t.list(fixes, ", ") + "."
	if len(without) > 0 {
		line += " Without a fix, and so never blamed: " + t.list(without, ", ") + "."
	}
	if len(unseen) == 0 {
		return []string{line}
	}
	return []string{line, "May draw randomness that isn't seen: " + t.list(unseen, ", ") +
		". Its answers to changed inputs are fresh samples, and what they say is interventional, not counterfactual."}
}

// keys says of which steps only a declared key counts, and whether that held.
func (t *text) keys() (line string, held bool) {
	var steps []string
	for _, s := range t.r.Pipeline.Steps {
		if s.Key {
			steps = append(steps, t.short(s.Name, nameWidth))
		}
	}
	if len(steps) == 0 || !slices.ContainsFunc(t.r.Pipeline.Steps, func(s blame.StepInfo) bool { return s.Fix != "" }) {
		return "", true
	}
	line = "Outputs with equal declared keys count as the same: " + t.list(steps, ", ") + "."
	k := t.r.Summary.KeyCheck
	if k == nil {
		return line, true
	}
	line += fmt.Sprintf(" Of %s without keys, %d gave another score.", count(k.Replays, "replay", "replays"), k.Disagreements)
	if k.Disagreements > 0 {
		return line + " The keys leave out something that matters.", false
	}
	return line, true
}
