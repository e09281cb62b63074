package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/examples/taubench/retail"
)

// showLabels compares guesses at the message that broke each run with the one
// that people labelled as the root cause.
func showLabels(out io.Writer, path string, runs []retail.Run, r *blame.Result) error {
	labels, err := retail.LoadLabels(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	root := map[int]int{}
	for _, l := range labels {
		root[l.TaskID] = l.Root.Message
	}
	guesses := []struct {
		name  string
		guess func(i int) int
	}{
		{"most blamed call", func(i int) int { return blamedMessage(runs[i], &r.Cases[i]) }},
		{"first write", func(i int) int { return firstCall(runs[i], isWrite) }},
		{"first write that is not a gold action", func(i int) int { return firstCall(runs[i], notGold(runs[i])) }},
		{"first tool error", func(i int) int { return firstCall(runs[i], isError) }},
	}
	fmt.Fprintf(out, "\nguesses at the message that people labelled as the root cause\n")
	fmt.Fprintf(out, "  %-40s %8s %8s %8s\n", "", "exact", "within 1", "within 3")
	for _, g := range guesses {
		exact, one, three, n := 0, 0, 0, 0
		for i, run := range runs {
			labelled, ok := root[run.TaskID]
			if !ok {
				continue
			}
			n++
			switch d := max(g.guess(i)-labelled, labelled-g.guess(i)); {
			case d == 0:
				exact, one, three = exact+1, one+1, three+1
			case d == 1:
				one, three = one+1, three+1
			case d <= 3:
				three++
			}
		}
		share := func(k int) string { return fmt.Sprintf("%.1f %%", 100*float64(k)/float64(max(1, n))) }
		fmt.Fprintf(out, "  %-40s %8s %8s %8s\n", g.name, share(exact), share(one), share(three))
	}
	return nil
}

// blamedMessage is the message that made the most blamed call, the first of
// several. Where nothing is blamed, or what is blamed is a call that was never
// made, it is the first wrong write, or the last message.
func blamedMessage(run retail.Run, c *blame.CaseResult) int {
	best, message := 0.0, 0
	calls := map[string]int{}
	for _, slot := range retail.Slots(run) {
		if !slot.Player() {
			continue
		}
		calls[slot.Tool]++
		if v := c.Shapley.Get(fmt.Sprintf("%s#%d", slot.Tool, calls[slot.Tool])); v > best+1e-9 {
			best, message = v, slot.Message
		}
	}
	if message > 0 {
		return message
	}
	for _, slot := range retail.Slots(run) {
		if slot.Player() && slot.Message > 0 {
			return slot.Message
		}
	}
	return len(run.Messages)
}

// firstCall is the message of the first call of a kind that was answered, or the
// last message of the run.
func firstCall(run retail.Run, kind func(c retail.Executed) bool) int {
	for _, c := range run.Executed() {
		if kind(c) {
			return c.Message
		}
	}
	return len(run.Messages)
}

func isError(c retail.Executed) bool { return strings.HasPrefix(c.Answer, "Error") }

func isWrite(c retail.Executed) bool { return retail.IsWrite(c.Name) && !isError(c) }

func notGold(run retail.Run) func(c retail.Executed) bool {
	gold := map[string]bool{}
	for _, g := range run.Task.Gold {
		gold[g.Key()] = true
	}
	return func(c retail.Executed) bool { return isWrite(c) && !gold[c.Key()] }
}
