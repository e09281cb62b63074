package report

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// CSV writes the cases of a result as a table, one row a case, with the columns
//
//	id, passed, score, score_fixed, undefined, last_touch, cost,
//	shapley.<player> for each player, minimal_repairs
//
// A cell is empty where the case has no such value. minimal_repairs reads
// "{planner}, {writer, reviewer}", or "none" when nothing repairs the case.
// Texts are cleaned (see [Clean]). One that a spreadsheet would take for a formula
// gets an apostrophe in front, unless it is just a number; so does what comes after
// a semicolon, which separates cells where a comma is the decimal point.
func CSV(w io.Writer, r *blame.Result) error {
	players := playersOf(r)
	head := []string{"id", "passed", "score", "score_fixed", "undefined", "last_touch", "cost"}
	for _, p := range players {
		head = append(head, cell("shapley."+p))
	}
	out := csv.NewWriter(w)
	out.Write(append(head, "minimal_repairs")) // Error says below if it failed
	for i := range r.Cases {
		row, err := csvRow(&r.Cases[i], players)
		if err != nil {
			return fmt.Errorf("encoding case %s: %w", r.Cases[i].ID, err)
		}
		out.Write(row)
	}
	out.Flush()
	return out.Error()
}

func csvRow(c *blame.CaseResult, players []string) ([]string, error) {
	row := []string{cell(c.ID), "", "", "", cell(c.Undefined), cell(c.LastTouch)}
	if c.Score != nil {
		row[1] = strconv.FormatBool(c.Passed)
	}
	numbers := []*float64{c.Score, c.ScoreFixed, &c.Cost}
	values := map[string]*float64{}
	for i := range c.Shapley {
		values[c.Shapley[i].Player] = &c.Shapley[i].Value
	}
	for _, p := range players {
		numbers = append(numbers, values[p])
	}
	var texts []string
	for _, x := range numbers {
		s, err := number(x)
		if err != nil {
			return nil, err
		}
		texts = append(texts, s)
	}
	row[2], row[3] = texts[0], texts[1]
	return append(append(row, texts[2:]...), cell(repairSets(c))), nil
}

// number formats a number in full, as JSON does; nil is an empty cell.
func number(x *float64) (string, error) {
	if x == nil {
		return "", nil
	}
	text, err := json.Marshal(*x)
	return string(text), err
}

// repairSets lists all minimal repairs that the result has of a case.
func repairSets(c *blame.CaseResult) string {
	if c.MinimalRepairs == nil {
		return ""
	}
	if len(c.MinimalRepairs) == 0 {
		return "none"
	}
	var sets []string
	for _, r := range c.MinimalRepairs {
		sets = append(sets, "{"+strings.Join(r, ", ")+"}")
	}
	switch {
	case c.MinimalRepairsCut && c.MinimalRepairsCount == "":
		sets = append(sets, "…")
	case c.MinimalRepairsCut:
		sets = append(sets, "… ("+c.MinimalRepairsCount+" in all)")
	}
	return strings.Join(sets, ", ")
}

// playersOf returns all players of all cases: by step in the pipeline's order,
// and of one step the numbered calls before the named ones.
func playersOf(r *blame.Result) []string {
	order := map[string]int{}
	for i, s := range r.Pipeline.Steps {
		order[s.Name] = i
	}
	seen := map[string]bool{}
	var players []string
	for _, c := range r.Cases {
		for _, v := range c.Shapley {
			if !seen[v.Player] {
				seen[v.Player] = true
				players = append(players, v.Player)
			}
		}
	}
	slices.SortStableFunc(players, func(a, b string) int {
		stepA, callA, _ := strings.Cut(a, "#")
		stepB, callB, _ := strings.Cut(b, "#")
		if c := cmp.Compare(order[stepA], order[stepB]); c != 0 {
			return c
		}
		return compareCalls(callA, callB)
	})
	return players
}

func compareCalls(a, b string) int {
	x, errX := strconv.Atoi(a)
	y, errY := strconv.Atoi(b)
	switch {
	case errX == nil && errY == nil:
		return cmp.Compare(x, y)
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return cmp.Compare(a, b)
}

var (
	// formula matches up to what a spreadsheet may take for a formula, at the start
	// of a cell (OWASP, CSV Injection). Some skip spaces, or quotes, before it, and
	// some take the wide and small forms of the signs too. Tabs and line breaks,
	// the other dangerous starts, have become escapes.
	formula = regexp.MustCompile(`(^|;)([\pZ"']*[=+\-@|%＝＋－＠﹦﹢﹣﹫−])`)
	// plainNumber matches what is harmless although it begins with a sign.
	plainNumber = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)
)

// cell makes a text safe for a spreadsheet.
func cell(s string) string {
	s = Clean(s)
	if plainNumber.MatchString(s) {
		return s
	}
	return formula.ReplaceAllString(s, "$1'$2")
}
