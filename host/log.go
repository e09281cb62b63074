package host

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/agentblame/agentblame/outside"
)

// log passes on what a process writes to standard error, line by line with the
// host's name in front. What a process writes while it starts is held back for a
// moment: if it ends, the error has it.
type log struct {
	name string
	out  func(line string) // nil: nobody reads it

	mu    sync.Mutex
	line  []byte // the beginning of one
	last  string // the last line that was not blank
	threw string // the last line that looks like a thrown error
	held  []string
	since time.Time // when holding back began; zero: nothing is held back
}

const (
	longestLine = 8 << 10 // longer ones are cut into several
	holdBack    = 2 * time.Second
	mostHeld    = 200 // lines
)

// Write implements io.Writer.
func (l *log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	for len(p) > 0 {
		line, rest, ended := bytes.Cut(p, []byte("\n"))
		if room := longestLine - len(l.line); len(line) > room {
			line, rest, ended = p[:room], p[room:], true
		}
		l.line = append(l.line, line...)
		if p = rest; ended {
			l.add(string(l.line))
			l.line = l.line[:0]
		}
	}
	return n, nil
}

// add takes a line. The caller holds the lock.
func (l *log) add(line string) {
	line = outside.Escape(strings.TrimRight(strings.ReplaceAll(line, "\t", "    "), "\r "))
	switch {
	case strings.TrimSpace(line) == "":
	case nodeVersion.MatchString(line):
		// Node ends with its version, below the error and where that came from.
		if l.threw != "" {
			l.last = l.threw
		}
	default:
		l.last = line
		if thrown.MatchString(line) {
			l.threw = line
		}
	}
	if !l.since.IsZero() {
		if time.Since(l.since) < holdBack && len(l.held) < mostHeld {
			l.held = append(l.held, line)
			return
		}
		l.release()
	}
	l.pass(line)
}

var (
	nodeVersion = regexp.MustCompile(`^Node\.js v\d`)
	thrown      = regexp.MustCompile(`^\[?[\pL\d_$.]*(Error|Exception|Rejection)\b.*: `)
)

func (l *log) pass(line string) {
	if l.out != nil {
		l.out(l.name + ": " + line)
	}
}

// release passes on what was held back. The caller holds the lock.
func (l *log) release() {
	for _, line := range l.held {
		l.pass(line)
	}
	l.held, l.since = nil, time.Time{}
}

// started says that the process has started well: nothing is held back any more.
func (l *log) started() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.release()
}

// flush takes a last line without an end.
func (l *log) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.line) > 0 {
		l.add(string(l.line))
		l.line = l.line[:0]
	}
}

// startFailure is the end of a message about a process that didn't start: all
// that it wrote, or the last line if the rest was passed on, and what to do.
func (l *log) startFailure() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	wrote := l.lastWords()
	if held := l.held; len(held) > 0 {
		l.held = nil
		wrote = ":\n  " + strings.Join(held, "\n  ")
	}
	return wrote + advice(wrote)
}

// after is the end of a message about a process that ended: its last line.
func (l *log) after() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastWords()
}

func (l *log) lastWords() string {
	if l.last == "" {
		return ""
	}
	return ": " + outside.Excerpt(l.last, 300)
}

// Lines returns a function for [Options].Log that writes each line to w.
func Lines(w io.Writer) func(line string) {
	var mu sync.Mutex
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(w, line)
	}
}
