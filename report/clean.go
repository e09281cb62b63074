package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes a string of unknown origin safe to print: control characters (and
// with them terminal escapes), marks that change the direction of text, other
// invisible characters and bytes that are no UTF-8 are shown as escapes such as
// \n, \x1b and \u202e. Letters, marks, emoji and spaces of all languages stay.
//
// A backslash stays as it is, so the result is for reading and can't be turned
// back. Cleaning twice changes nothing.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	marks := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		bad := r == utf8.RuneError && size == 1
		if !bad && isZeroWidth(r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case bad:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !isVisible(r) || marks > maxMarks:
			b.WriteString(escape(r))
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// maxMarks is the most marks in a row that stay: no script needs more, and piles
// of them cover the lines above.
const maxMarks = 8

// isPlain says that a string is printable ASCII, as nearly all are.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// isVisible says whether a character may be printed as it is.
func isVisible(r rune) bool {
	return unicode.IsGraphic(r) || isJoiner(r)
}

// isJoiner says whether a character is one of the two joiners: invisible, but
// Persian, Hindi and emoji can't be written without.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

func isZeroWidth(r rune) bool {
	return isJoiner(r) || unicode.In(r, unicode.Mn, unicode.Me)
}

func escape(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r < 0x80:
		return fmt.Sprintf(`\x%02x`, r)
	case r < 0x10000:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}
