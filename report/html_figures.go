package report

import (
	"fmt"
	"math"
	"strings"
)

// A scale turns values into places.
type scale struct{ low, high, from, to float64 }

func (s scale) at(x float64) float64 {
	if s.high == s.low {
		return s.from
	}
	return round1(s.from + (min(max(x, s.low), s.high)-s.low)/(s.high-s.low)*(s.to-s.from))
}

// ticks are round values within a scale.
func (s scale) ticks() []float64 {
	span := s.high - s.low
	step := math.Pow(10, math.Floor(math.Log10(span)))
	for _, f := range []float64{0.1, 0.2, 0.25, 0.5, 1} {
		if span/(step*f) <= 6 {
			step *= f
			break
		}
	}
	var out []float64
	for k := math.Ceil(s.low/step - 1e-9); k*step <= s.high+1e-9; k++ {
		out = append(out, k*step)
	}
	return out
}

func round1(x float64) float64 { return math.Round(10*x) / 10 }

type htmlTick struct {
	X, Y float64
	Text string
}

type htmlBars struct {
	Width, Height, Left, Right, Zero, Bottom, LabelY, Row, Bar float64
	Ticks                                                      []htmlTick
	Rows                                                       []htmlBar
}

type htmlBar struct {
	Name, Short, Title, Value, Class, Whisker, Breaks string
	Top, Mid, MidY, BarTop, X, W                      float64
	Alone                                             *float64
}

// bars are the steps' mean blame with whiskers, and what each fix does alone.
func (h htmlWriter) bars() *htmlBars {
	steps := h.sorted()
	b := &htmlBars{Width: 760, Left: 168, Right: 752, Row: 34, Bar: 14}
	low, high := 0.0, 0.0
	for _, s := range steps {
		low, high = min(low, s.Shapley.Mean), max(high, s.Shapley.Mean, s.Resolves)
		if s.Shapley.Low != nil && s.Shapley.High != nil {
			low, high = min(low, *s.Shapley.Low), max(high, *s.Shapley.High)
		}
	}
	if high-low < 0.05 {
		high = low + 0.05
	}
	sc := scale{low, high, 180, 684}
	b.Zero = sc.at(0)
	b.Bottom = float64(len(steps)) * b.Row
	b.LabelY, b.Height = b.Bottom+16, b.Bottom+22
	for _, t := range sc.ticks() {
		b.Ticks = append(b.Ticks, htmlTick{X: sc.at(t), Text: trimmed(t)})
	}
	for i, s := range steps {
		mid := (float64(i) + 0.5) * b.Row
		x0, x1 := sc.at(min(0, s.Shapley.Mean)), sc.at(max(0, s.Shapley.Mean))
		row := htmlBar{
			Name: s.Name, Short: h.clip(unmarked(h.stepName(s.Name)), 16), Value: signed(s.Shapley.Mean), Class: "bar good",
			Top: float64(i) * b.Row, Mid: mid, MidY: mid, BarTop: mid - b.Bar/2, X: x0, W: round1(max(x1-x0, 0.5)),
			Title: Clean(s.Name) + ": mean blame " + signed(s.Shapley.Mean),
		}
		if s.Shapley.Mean < 0 {
			row.Class = "bar minus"
		}
		if s.Shapley.Low != nil && s.Shapley.High != nil {
			l, r := sc.at(*s.Shapley.Low), sc.at(*s.Shapley.High)
			row.Whisker = fmt.Sprintf("M%g %gH%gM%g %gV%gM%g %gV%g", l, mid, r, l, mid-5, mid+5, r, mid-5, mid+5)
			row.Title += ", interval " + interval(s.Shapley.Low, s.Shapley.High)
		}
		if h.aloneKnown() && !h.calls() {
			alone := sc.at(s.Resolves)
			row.Alone = &alone
			row.Title += ", alone it resolves " + percent(s.Resolves)
		}
		if s.Breaks != nil {
			row.Title += ", breaks " + rateCell(s.Breaks).text
			if s.Breaks.Count > 0 {
				x := sc.at(s.Breaks.Rate)
				row.Breaks = fmt.Sprintf("M%g %gl8 8m0 -8l-8 8", x-4, mid-4)
			}
		}
		b.Rows = append(b.Rows, row)
	}
	return b
}

// trimmed is a tick's value without needless zeros.
func trimmed(x float64) string {
	s := fmt.Sprintf("%.2f", x)
	s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	return s
}

type htmlPlan struct {
	How   string
	Curve *htmlCurve
	Table *htmlTable
}

type htmlCurve struct {
	Width, Height, Left, Right, LabelY float64
	Line                               string
	Ticks                              []htmlTick
	Points                             []htmlPoint
}

type htmlPoint struct {
	X, Y        float64
	Text, Label string
}

// plan is the fix plan as a curve and a table.
func (h htmlWriter) plan() *htmlPlan {
	p := h.r.Plan
	if p == nil || len(p.Sets) == 0 {
		return nil
	}
	out := &htmlPlan{How: "The best sets of 1, 2, … fixes: what they resolve, and what they break."}
	if !p.Exact {
		out.How = "One more fix at a time; not all sets were compared."
	}
	c := &htmlCurve{Width: 760, Height: 220, Left: 52, Right: 748, LabelY: 212}
	y := scale{0, 1, 190, 12}
	for _, t := range []float64{0, 0.25, 0.5, 0.75, 1} {
		c.Ticks = append(c.Ticks, htmlTick{X: 44, Y: y.at(t), Text: fmt.Sprintf("%.0f %%", 100*t)})
	}
	x := scale{0, float64(len(p.Sets)), c.Left, c.Right - 24}
	line := fmt.Sprintf("M%g %g", x.at(0), y.at(0))
	every := 1 + len(p.Sets)/16
	for i, s := range p.Sets {
		point := htmlPoint{X: x.at(float64(i + 1)), Y: y.at(s.Resolves), Text: h.fixNames(s.Fixes) + ": resolve " + percent(s.Resolves)}
		if (i+1)%every == 0 || i == 0 {
			point.Label = fmt.Sprint(i + 1)
		}
		line += fmt.Sprintf("L%g %g", point.X, point.Y)
		c.Points = append(c.Points, point)
	}
	c.Line = line
	out.Curve = c
	out.Table = &htmlTable{Caption: "Fix plan", Head: heads("fixes", "resolve", "break", "net", "cost a run")}
	for _, s := range p.Sets {
		out.Table.Rows = append(out.Table.Rows, htmlRow{Cells: cells(h.fixNames(s.Fixes), percent(s.Resolves), rateCell(s.Breaks).text, netCell(s.Net).text, amount(s.Cost))})
	}
	return out
}

type htmlStrips struct {
	Width, Height, Left, Bottom, LabelY float64
	Alt, More                           string
	Ticks                               []htmlTick
	Rows                                []htmlStrip
}

type htmlStrip struct {
	Short, Dots string
	Y           float64
}

// strips are the blame of each step in single cases.
func (h htmlWriter) strips() *htmlStrips {
	const most = 2000
	values := map[string][]float64{}
	low, high, listed, shown := 0.0, 0.0, 0, 0
	for _, c := range h.r.Cases {
		if len(c.Shapley) == 0 {
			continue
		}
		listed++
		if shown+len(c.Shapley) > most {
			continue
		}
		for _, v := range c.Shapley {
			step, _, _ := strings.Cut(v.Player, "#")
			values[step] = append(values[step], v.Value)
			low, high = min(low, v.Value), max(high, v.Value)
			shown++
		}
	}
	if listed < 2 {
		return nil
	}
	if high == low {
		high = low + 1
	}
	out := &htmlStrips{Width: 760, Left: 168}
	sc := scale{low, high, 184, 744}
	row := 26.0
	for _, s := range h.sorted() {
		y := (float64(len(out.Rows)) + 0.5) * row
		var d strings.Builder
		for i, v := range values[s.Name] {
			// Dots on one another are spread a little, the same each time.
			off := math.Mod(float64(i)*0.618, 1)*16 - 8
			fmt.Fprintf(&d, "M%g %gh0", sc.at(v), round1(y+off))
		}
		out.Rows = append(out.Rows, htmlStrip{h.clip(unmarked(h.stepName(s.Name)), 16), d.String(), y})
	}
	out.Bottom = float64(len(out.Rows)) * row
	out.LabelY, out.Height = out.Bottom+16, out.Bottom+22
	for _, t := range sc.ticks() {
		out.Ticks = append(out.Ticks, htmlTick{X: sc.at(t), Text: trimmed(t)})
	}
	out.Alt = "The numbers of all cases are in the table of cases."
	if shown < h.valuesListed() {
		out.More = fmt.Sprintf("The first %d values are shown.", shown)
	}
	return out
}

// valuesListed is how many values the listed cases have.
func (h htmlWriter) valuesListed() int {
	n := 0
	for _, c := range h.r.Cases {
		n += len(c.Shapley)
	}
	return n
}
