package demo

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A printer prints until there is an error, which it keeps.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// table prints rows, of which the first is the heading, whose cells may have two
// lines. The first columns are aligned to the left, the others, the numbers, to
// the right.
func (p *printer) table(numbers int, rows [][]string) {
	top, under := make([]string, len(rows[0])), make([]string, len(rows[0]))
	for i, head := range rows[0] {
		var two bool
		if top[i], under[i], two = strings.Cut(head, "\n"); !two {
			top[i], under[i] = "", head
		}
	}
	rows = append([][]string{top, under}, rows[1:]...)
	widths := make([]int, len(top))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < numbers {
				line.WriteString("  " + cell + pad)
			} else {
				line.WriteString("  " + pad + cell)
			}
		}
		if text := strings.TrimRight(line.String(), " "); text != "" {
			p.printf("%s\n", text)
		}
	}
}

// signed formats a difference of scores.
func signed(x float64) string {
	if s := fmt.Sprintf("%+.3f", x); s != "-0.000" {
		return s
	}
	return "+0.000"
}

// withFraction formats a value that is known exactly.
func withFraction(x float64, exact string) string {
	if exact == "0" {
		return "0"
	}
	return signed(x) + " (= " + exact + ")"
}

func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

func signedPercent(x float64) string { return fmt.Sprintf("%+.1f %%", 100*x) }
