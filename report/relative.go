package report

import (
	"fmt"
	"strings"
)

// fixes says what the blame is relative to, and what it takes for granted.
func (t *text) fixes() {
	var fixes, without, unseen, keyed []string
	for _, s := range t.r.Pipeline.Steps {
		name := t.short(s.Name, nameWidth)
		if s.UnseenNoise {
			unseen = append(unseen, name)
		}
		if s.Key {
			keyed = append(keyed, name)
		}
		if s.Fix == "" {
			without = append(without, name)
			continue
		}
		fixes = append(fixes, strings.ReplaceAll(name+" → "+t.short(s.Fix, nameWidth), " ", glue))
	}
	t.blank()
	if len(fixes) == 0 {
		t.prose(0, 2, "Blame is relative to the fixes considered, and there are none.", plain)
		return
	}
	line := "Blame is relative to the fixes considered: " + t.list(fixes, ", ") + "."
	if len(without) > 0 {
		line += " Without a fix, and so never blamed: " + t.list(without, ", ") + "."
	}
	t.prose(0, 2, line, plain)
	if len(unseen) > 0 {
		t.prose(0, 2, "May draw randomness that isn't seen: "+t.list(unseen, ", ")+
			". Its answers to changed inputs are fresh samples, and what they say is interventional, not counterfactual.", yellow)
	}
	t.keys(keyed)
}

// keys says of which steps only a declared key counts, and whether that held.
func (t *text) keys(steps []string) {
	if len(steps) == 0 {
		return
	}
	line, s := "Outputs with equal declared keys count as the same: "+t.list(steps, ", ")+".", plain
	if k := t.r.Summary.KeyCheck; k != nil {
		line += fmt.Sprintf(" Of %s without keys, %d gave another score.", count(k.Replays, "replay", "replays"), k.Disagreements)
		if k.Disagreements > 0 {
			line += " The keys leave out something that matters."
			s = yellow
		}
	}
	t.prose(0, 2, line, s)
}
