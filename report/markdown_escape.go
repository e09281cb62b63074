package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

func codes(names []string, between string) string {
	var out []string
	for _, n := range names {
		out = append(out, code(n))
	}
	return strings.Join(out, between)
}

// code is a text from outside, cut if it is long.
func code(s string) string {
	const most = 200
	s = Clean(s)
	if utf8.RuneCountInString(s) > most {
		s = string([]rune(s)[:most]) + "…"
	}
	return verbatim(s)
}

// verbatim shows a clean text as code: GitHub makes neither mentions nor
// references of what stands there, and with entities nothing in it is markup.
func verbatim(s string) string {
	if s == "" {
		return ""
	}
	return "<code>" + entities(s, inlineMarkup+linkMarkup) + "</code>"
}

// sentence is one of this program's, with its names as code.
func sentence(s string) string {
	var b strings.Builder
	for _, p := range phrases(s) {
		if p.Name {
			b.WriteString(verbatim(p.Text))
		} else {
			b.WriteString(entities(p.Text, inlineMarkup))
		}
	}
	return b.String()
}

// Characters that can be markup inside a line, and those that can be part of a link.
const (
	inlineMarkup = "<>&\"`*_[]#\\|~!@$^"
	linkMarkup   = ":/."
)

// entities writes characters as entities. GitHub's parser finds addresses of
// mail in the text behind them, so an @ also stands between tags.
func entities(s, which string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case !strings.ContainsRune(which, r):
			b.WriteRune(r)
		case r == '@':
			b.WriteString("<wbr>&#64;<wbr>")
		default:
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}
