package report

import (
	"strings"

	"github.com/mattn/go-runewidth"
)

// A page collects lines for a terminal, none wider than its width. What is put
// on it has been cleaned.
type page struct {
	width int
	color bool
	cells runewidth.Condition
	out   strings.Builder
	// marked has names in sentences marked: see phrases.
	marked bool
}

func newPage(o TextOptions) *page {
	p := &page{width: o.Width, color: o.Color}
	if p.width <= 0 {
		p.width = 80
	}
	// Of its own, not the package's: that one depends on the environment.
	p.cells.StrictEmojiNeutral = true
	return p
}

// A style is what an ANSI sequence selects; the zero value is none.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "31"
	yellow style = "33"
	cyan   style = "36"
	alarm  style = "1;31"
)

// A span is text of one style.
type span struct {
	text  string
	style style
}

// line adds a line, cut at the page's width.
func (p *page) line(spans ...span) {
	full := ""
	for _, s := range spans {
		full += s.text
	}
	end := len(strings.TrimRight(full, " "))
	room := p.width
	if p.cells.StringWidth(full[:end]) > p.width {
		room-- // for the ellipsis
	}
	for _, s := range spans {
		text := s.text[:min(len(s.text), end)]
		end -= len(text)
		w := p.cells.StringWidth(text)
		if w > room {
			p.paint(p.cells.Truncate(text, room, "")+"…", s.style)
			break
		}
		p.paint(text, s.style)
		room -= w
	}
	p.out.WriteByte('\n')
}

func (p *page) paint(text string, s style) {
	if !p.color || s == plain || strings.TrimSpace(text) == "" {
		p.out.WriteString(text)
		return
	}
	p.out.WriteString("\x1b[" + string(s) + "m" + text + "\x1b[0m")
}

func (p *page) blank() { p.out.WriteByte('\n') }

// heading adds a section's title after a blank line.
func (p *page) heading(text string) {
	p.blank()
	p.prose(0, 2, text, bold)
}

// glue is a space at which prose is only broken when a line can't hold what it
// keeps together.
const glue = "\u00a0"

// prose adds text, broken at spaces. The first line is indented by first columns
// and the others by hang.
func (p *page) prose(first, hang int, text string, s style) {
	indent, at, line := first, 0, ""
	flush := func() {
		p.line(span{strings.Repeat(" ", min(indent, p.width/2)), plain}, span{strings.ReplaceAll(line, glue, " "), s})
		indent, at, line = hang, 0, ""
	}
	words := strings.Split(strings.ReplaceAll(text, " %", glue+"%"), " ")
	for len(words) > 0 {
		word := words[0]
		w := p.cells.StringWidth(word)
		if line != "" && at+1+w <= p.room(indent) {
			line, at = line+" "+word, at+1+w
			words = words[1:]
			continue
		}
		if line != "" {
			flush()
		}
		if w <= p.room(indent) {
			line, at = word, w
			words = words[1:]
			continue
		}
		if strings.Contains(word, glue) {
			words = append(strings.Split(word, glue), words[1:]...)
			continue
		}
		head := p.cells.Truncate(word, p.room(indent), "")
		if head == "" { // a character wider than the line, which will be cut
			head = word
		}
		line = head
		flush()
		words[0] = word[len(head):]
	}
	if line != "" {
		flush()
	}
}

// room returns the columns that an indented line has.
func (p *page) room(indent int) int { return max(1, p.width-min(indent, p.width/2)) }

// short cleans a name and cuts it to at most n columns.
func (p *page) short(name string, n int) string {
	short := p.cells.Truncate(Clean(name), n, "…")
	if p.marked {
		return nameBegins + short + nameEnds
	}
	return short
}
