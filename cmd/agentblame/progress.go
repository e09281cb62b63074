package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/agentblame/agentblame/blame"
	"golang.org/x/term"
)

// isTerminal says whether w is a terminal.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width returns the width of the terminal that w is, or 80.
func width(w io.Writer) int {
	if f, ok := w.(*os.File); ok {
		if columns, _, err := term.GetSize(int(f.Fd())); err == nil && columns > 0 {
			return columns
		}
	}
	return 80
}

// showProgress tells where an analysis stands until the returned function is
// called: on a terminal as one line that renews itself, elsewhere as a line now
// and then, so that the log of a long run is not silent.
func showProgress(w io.Writer, m *blame.Monitor) (stop func()) {
	terminal := isTerminal(w)
	every := 30 * time.Second
	if terminal {
		every = 200 * time.Millisecond
	}
	start, quit, done := time.Now(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				line := progressLine(m.Progress(), time.Since(start))
				if terminal {
					fmt.Fprintf(w, "\r\x1b[K%s", truncate(line, width(w)-1))
				} else {
					fmt.Fprintln(w, line)
				}
			case <-quit:
				if terminal {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			}
		}
	}()
	return func() {
		close(quit)
		<-done
	}
}

func progressLine(p blame.Progress, passed time.Duration) string {
	parts := []string{
		fmt.Sprintf("%d/%d cases", p.Done, p.Cases),
		fmt.Sprintf("%d failures", p.Failures),
		fmt.Sprintf("%d step runs", p.StepRuns),
	}
	if p.InFlight > 0 {
		parts = append(parts, fmt.Sprintf("%d in flight", p.InFlight))
	}
	if p.Retried > 0 {
		parts = append(parts, fmt.Sprintf("%d retried", p.Retried))
	}
	parts = append(parts, fmt.Sprintf("cost %.6g", p.Cost))
	if p.Done > 0 && p.Done < p.Cases {
		left := time.Duration(float64(passed) / float64(p.Done) * float64(p.Cases-p.Done))
		parts = append(parts, "about "+left.Round(time.Second).String()+" left")
	}
	return strings.Join(parts, " · ")
}

func truncate(s string, columns int) string {
	r := []rune(s)
	if len(r) <= columns {
		return s
	}
	return string(r[:max(0, columns-1)]) + "…"
}
