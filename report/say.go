package report

import (
	"regexp"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// A phrase is a part of a sentence: words of this program, or a name that comes
// from outside and is only ever shown as text.
type phrase struct {
	Text string
	Name bool
}

// Marks around names in sentences that are taken apart again: private characters,
// which Clean takes out of what comes from outside.
const (
	nameBegins = "\ue000"
	nameEnds   = "\ue001"
)

// sayings returns a text that makes sentences for forms that show names in their
// own way.
func sayings(r *blame.Result) *text {
	t := &text{page: newPage(TextOptions{Width: 1 << 20}), r: r, o: TextOptions{Verbose: true, Cases: -1}}
	t.marked = true
	return t
}

// phrases takes a sentence apart.
func phrases(sentence string) []phrase {
	var out []phrase
	for sentence != "" {
		before, rest, found := strings.Cut(sentence, nameBegins)
		if before != "" {
			out = append(out, phrase{Text: strings.ReplaceAll(before, glue, " ")})
		}
		if !found {
			break
		}
		name, after, _ := strings.Cut(rest, nameEnds)
		out = append(out, phrase{Text: name, Name: true})
		sentence = after
	}
	return out
}

// unmarked is a sentence as plain text.
func unmarked(sentence string) string {
	return strings.NewReplacer(nameBegins, "", nameEnds, "", glue, " ").Replace(sentence)
}

// quote is a longer text of a result. What reads as a sentence of this program
// stays one; anything else is marked as a name is.
func (t *text) quote(s string) string {
	if t.marked && !unlikeProse.MatchString(s) {
		return Clean(s)
	}
	return t.short(s, 2000)
}

// unlikeProse matches what could be markup, a link, a mention or a reference.
var unlikeProse = regexp.MustCompile(`(?i)[^\pL\pN ,;:.!?'()%=≥≤−–-]|:\S|\.[^\s\d]|\bgh-|[0-9a-f]{7}`)
