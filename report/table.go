package report

import "strings"

// A column is one column of a table.
type column struct {
	// head is the title, of two lines at most.
	head string
	// right aligns to the right.
	right bool
	// least, if positive, is how narrow the column may become before others are
	// left out. A column without is as wide as its widest cell.
	least int
	// drop is the turn at which the column is left out for want of room; 0 is never.
	drop int
}

// A table is rows of cells. After the last column a row may have a bar.
type table struct {
	columns []column
	rows    [][]span
	// bars are drawn where there is room, the longest for a size of 1.
	bars []float64
}

// Bars are narrow columns of leastBar to mostBar characters.
const leastBar, mostBar = 6, 20

// table adds a table, and returns the titles of the columns left out.
func (p *page) table(t table) (dropped []string) {
	natural := make([]int, len(t.columns))
	for i, c := range t.columns {
		top, under, _ := strings.Cut(c.head, "\n")
		natural[i] = max(p.cells.StringWidth(top), p.cells.StringWidth(under))
		for _, row := range t.rows {
			natural[i] = max(natural[i], p.cells.StringWidth(row[i].text))
		}
	}
	show := make([]bool, len(t.columns))
	for i := range show {
		show[i] = true
	}
	for !fits(t.columns, natural, show, p.width) {
		i := nextDrop(t.columns, show)
		if i < 0 {
			break
		}
		show[i] = false
		dropped = append(dropped, oneLine(t.columns[i].head))
	}
	widths := shareOut(t.columns, natural, show, p.width)
	bar := 0
	if t.bars != nil {
		bar = p.width - tableWidth(widths, show) - 2
		if bar < leastBar {
			bar = 0
		}
		bar = min(bar, mostBar)
	}
	p.tableHead(t.columns, widths, show)
	for r, row := range t.rows {
		var line []span
		for i, cell := range row {
			if show[i] {
				line = append(line, span{"  ", plain}, p.cell(cell, widths[i], t.columns[i].right))
			}
		}
		if bar > 0 {
			line = append(line, span{"  ", plain}, drawBar(t.bars[r], bar))
		}
		p.line(line...)
	}
	return dropped
}

// oneLine is a column's title for prose.
func oneLine(head string) string {
	return strings.ReplaceAll(strings.ReplaceAll(head, "-\n", "-"), "\n", " ")
}

func (p *page) tableHead(columns []column, widths []int, show []bool) {
	var lines [2][]span
	two := false
	for i, c := range columns {
		if !show[i] {
			continue
		}
		top, under, both := strings.Cut(c.head, "\n")
		if !both {
			top, under = "", top
		}
		two = two || both
		for k, text := range [2]string{top, under} {
			lines[k] = append(lines[k], span{"  ", plain}, p.cell(span{text, dim}, widths[i], c.right))
		}
	}
	if two {
		p.line(lines[0]...)
	}
	p.line(lines[1]...)
}

// cell fits a cell to a width.
func (p *page) cell(s span, width int, right bool) span {
	if p.cells.StringWidth(s.text) > width {
		s.text = p.cells.Truncate(s.text, width, "…")
	}
	pad := strings.Repeat(" ", max(0, width-p.cells.StringWidth(s.text)))
	if right {
		s.text = pad + s.text
	} else {
		s.text += pad
	}
	return s
}

// tableWidth is the width of the shown columns, each with its gap of two.
func tableWidth(widths []int, show []bool) int {
	sum := 0
	for i, w := range widths {
		if show[i] {
			sum += 2 + w
		}
	}
	return sum
}

// fits says whether the shown columns have room, the flexible ones at their
// narrowest.
func fits(columns []column, natural []int, show []bool, width int) bool {
	widths := make([]int, len(natural))
	for i, w := range natural {
		widths[i] = w
		if least := columns[i].least; least > 0 {
			widths[i] = min(w, least)
		}
	}
	return tableWidth(widths, show) <= width
}

func nextDrop(columns []column, show []bool) int {
	next := -1
	for i, c := range columns {
		if show[i] && c.drop > 0 && (next < 0 || c.drop < columns[next].drop) {
			next = i
		}
	}
	return next
}

// shareOut gives the flexible columns what the others leave: the same for each,
// where one doesn't need less.
func shareOut(columns []column, natural []int, show []bool, width int) []int {
	widths := make([]int, len(natural))
	room, open := width, []int{}
	for i, w := range natural {
		switch {
		case !show[i]:
		case columns[i].least > 0:
			open = append(open, i)
			room -= 2
		default:
			widths[i] = w
			room -= 2 + w
		}
	}
	for len(open) > 0 {
		// The one that needs least is served first.
		at := 0
		for k, i := range open {
			if natural[i] < natural[open[at]] {
				at = k
			}
		}
		i := open[at]
		widths[i] = max(1, min(natural[i], room/len(open)))
		room -= widths[i]
		open = append(open[:at], open[at+1:]...)
	}
	return widths
}

// drawBar draws a size from −1 to 1: a full bar, or for less than nothing a
// dotted one.
func drawBar(size float64, width int) span {
	if size < 0 {
		return span{strings.Repeat("░", int(-size*float64(width)+0.5)), red}
	}
	eighths := int(size*float64(width*8) + 0.5)
	bar := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		bar += string([]rune(" ▏▎▍▌▋▊▉")[part])
	}
	return span{bar, cyan}
}
