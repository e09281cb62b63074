package report

import (
	"fmt"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// groups are what several cases say in the same words, in order of appearance.
type groups[K comparable] struct {
	list []*group[K]
	by   map[K]*group[K]
}

type group[K comparable] struct {
	key   K
	cases []string // ids, without repeats
	// coalition is the first case's.
	coalition []string
}

// add files a case under what it says.
func (g *groups[K]) add(key K, id string, coalition []string) {
	same := g.by[key]
	switch {
	case same == nil:
		if g.by == nil {
			g.by = map[K]*group[K]{}
		}
		same = &group[K]{key, []string{id}, coalition}
		g.by[key] = same
		g.list = append(g.list, same)
	case same.cases[len(same.cases)-1] != id:
		same.cases = append(same.cases, id)
	}
}

// undefinedCases adds the cases without values, by reason.
func (t *text) undefinedCases() {
	var reasons groups[string]
	n := 0
	for _, c := range t.r.Cases {
		if c.Undefined != "" {
			reason := c.Undefined
			if c.CertainTop != "" {
				reason += " (the most blamed, whatever is unknown: " + c.CertainTop + ")"
			}
			reasons.add(reason, c.ID, nil)
			n++
		}
	}
	if n == 0 {
		return
	}
	shown := reasons.list[:t.limit(len(reasons.list))]
	t.heading(fmt.Sprintf("undefined cases (%d)", n))
	for _, g := range shown {
		t.prose(2, 4, t.ids(g.cases)+": "+t.message(g.key), plain)
	}
	if more := len(reasons.list) - len(shown); more > 0 {
		t.prose(2, 2, fmt.Sprintf("… for %s", count(more, "more reason", "more reasons")), dim)
	}
	if t.o.Verbose {
		t.certain()
	}
}

// certain adds where the values of cases lie that were cut off.
func (t *text) certain() {
	var cut []*blame.CaseResult
	for i := range t.r.Cases {
		if c := &t.r.Cases[i]; c.Undefined != "" && c.Bounds != nil {
			cut = append(cut, c)
		}
	}
	shown := t.limit(len(cut))
	for _, c := range cut[:shown] {
		var values []string
		for _, b := range c.Bounds {
			values = append(values, t.short(b.Player, nameWidth)+" "+interval(&b.Value.Low, &b.Value.High))
		}
		t.prose(2, 4, fmt.Sprintf("%s, of which %s of the coalitions are known: for certain %s",
			t.short(c.ID, nameWidth), percent(c.Coverage), strings.Join(values, ", ")), plain)
	}
	if more := len(cut) - shown; more > 0 {
		t.prose(2, 2, fmt.Sprintf("… and of %d more", more), dim)
	}
}

// errors adds the step runs that failed, each message once.
func (t *text) errors() {
	type failure struct{ step, variant, message string }
	var all groups[failure]
	traces := map[failure]string{}
	for _, c := range t.r.Cases {
		for _, e := range c.Errors {
			key := failure{e.Step, e.Variant, e.Message}
			all.add(key, c.ID, e.Coalition)
			if traces[key] == "" {
				traces[key] = e.Traceback
			}
		}
	}
	if len(all.list) == 0 {
		return
	}
	most := len(all.list)
	if !t.o.Verbose {
		most = min(most, 10)
	}
	t.heading(t.title("errors of step runs", most, len(all.list)))
	for _, g := range all.list[:most] {
		t.prose(2, 4, t.where(g.key.step, g.key.variant)+": "+t.message(g.key.message), plain)
		with := "with " + t.set(g.coalition)
		if len(g.coalition) == 0 {
			with = "with no fix"
		}
		line := "case " + t.short(g.cases[0], nameWidth) + " " + with
		if more := len(g.cases) - 1; more > 0 {
			line += ", and " + count(more, "more case", "more cases")
		}
		t.prose(6, 8, line, dim)
		t.traceback(traces[g.key])
	}
	if more := len(all.list) - most; more > 0 {
		t.prose(2, 2, fmt.Sprintf("… %d more", more), dim)
	}
}

// traceback adds the end of a traceback, where the error arose; all of it in a
// verbose report.
func (t *text) traceback(text string) {
	if text == "" {
		return
	}
	lines := strings.Split(text, "\n")
	if most := 6; len(lines) > most && !t.o.Verbose {
		lines = append([]string{"…"}, lines[len(lines)-most:]...)
	}
	for _, line := range lines {
		said := strings.TrimLeft(line, " ")
		indent := 8 + min(len(line)-len(said), 20)
		t.prose(indent, indent+2, t.short(said, 400), dim)
	}
}

// where names what failed: a step with its variant, the score, the pipeline.
func (t *text) where(step, variant string) string {
	switch {
	case step == "":
		return "the pipeline"
	case variant != "":
		return t.short(step, nameWidth) + " (" + t.short(variant, nameWidth) + ")"
	case step == "score":
		return step
	}
	return t.short(step, nameWidth) + " (as run)"
}

// message cleans what an error or a reason says; a long one is cut.
func (t *text) message(s string) string {
	if t.o.Verbose {
		return t.short(s, 4000)
	}
	return t.short(s, 300)
}

// ids lists cases, "q1, q2, q3 and 5 more".
func (t *text) ids(cases []string) string {
	const most = 5
	out := ""
	for i, id := range cases {
		switch {
		case i == most && !t.o.Verbose:
			return out + fmt.Sprintf(" and %d more", len(cases)-i)
		case i > 0:
			out += ", "
		}
		out += t.short(id, nameWidth)
	}
	return out
}

// shiftedCalls adds the steps whose calls can't be told apart by number.
func (t *text) shiftedCalls() {
	lines := t.shifts()
	if len(lines) == 0 {
		return
	}
	t.heading("shifted calls")
	for _, line := range lines {
		t.prose(2, 4, line, yellow)
	}
}

// shifts warns of steps whose calls can't be told apart by number.
func (t *text) shifts() []string {
	var out []string
	var steps groups[string]
	for i := range t.r.Cases {
		c := &t.r.Cases[i]
		for _, step := range c.CallsShift {
			steps.add(step, c.ID, nil)
		}
	}
	for _, g := range steps.list {
		out = append(out, fmt.Sprintf("A fix changes how often %s is called (%s), so the numbers of its later calls don't mean the same in all replays. Name its calls where that matters.",
			t.short(g.key, nameWidth), t.inCases(g.cases)))
	}
	return out
}

func (t *text) inCases(cases []string) string {
	if len(cases) == 1 {
		return "case " + t.ids(cases)
	}
	return "cases " + t.ids(cases)
}
