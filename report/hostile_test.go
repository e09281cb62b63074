package report_test

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/agentblame/agentblame/report"
	"github.com/agentblame/agentblame/report/hostile"
)

// Whatever names, ids and messages are: a terminal sees no control character and
// no line that is too wide, a spreadsheet no formula, GitHub no markup.
func TestHostileTextsInEveryForm(t *testing.T) {
	texts := hostile.Texts()
	if len(texts) < 60 {
		t.Fatalf("there are %d texts", len(texts))
	}
	formula := regexp.MustCompile(`^[=+\-@\t\r]`)
	number := regexp.MustCompile(`^[+-]?[0-9.]+$`)
	for _, s := range texts {
		r := hostilePage(t, s)
		for _, o := range []report.TextOptions{{}, {Verbose: true, Width: 120}, {Color: true, Width: 40}} {
			out := regexp.MustCompile(`\x1b\[[0-9;]*m`).ReplaceAllString(text(t, r, o), "")
			if i := strings.IndexFunc(out, func(r rune) bool { return r != '\n' && !unicode.IsGraphic(r) && r != '\u200c' && r != '\u200d' }); i >= 0 {
				t.Errorf("%.40q: the terminal gets %q", s, out[i:min(len(out), i+8)])
			}
			if !o.Color && strings.Contains(text(t, r, o), "\x1b") {
				t.Errorf("%.40q: an escape reaches the terminal", s)
			}
		}
		var b bytes.Buffer
		if err := report.CSV(&b, r); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatalf("%.40q: %v", s, err)
		}
		for _, row := range rows {
			for _, cell := range row {
				if formula.MatchString(cell) && !number.MatchString(cell) {
					t.Errorf("%.40q: a cell is %.40q", s, cell)
				}
			}
		}
		plainMarkdown(t, markdownOf(t, r))
		wellFormed(t, junitOf(t, r))
	}
}
