package report_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mattn/go-runewidth"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

// names draws names that are plain, wide, long, or hostile.
func names() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.StringMatching(`[a-z]{1,8}`),
		rapid.StringMatching(`[a-z ]{1,60}`),
		rapid.StringOf(rapid.SampledFrom([]rune("検索ステップ가나다👩\u200d🔬❤\ufe0f🇺🇸é\u0301"))),
		rapid.StringOf(rapid.SampledFrom([]rune("\x1b[31m\n\r\t\a\b\u009b\u202e\u2066\u200f\u2028 ab%"))),
		rapid.String(),
	)
}

func byPlayer(t *rapid.T, players []string, value *rapid.Generator[float64]) blame.ByPlayer[float64] {
	var out blame.ByPlayer[float64]
	for _, p := range players {
		out = append(out, blame.PlayerValue[float64]{Player: p, Value: value.Draw(t, "value")})
	}
	return out
}

// results draws results of any content, sensible or not.
func results() *rapid.Generator[*blame.Result] {
	return rapid.Custom(func(t *rapid.T) *blame.Result {
		value := rapid.OneOf(rapid.SampledFrom([]float64{0, 1, -0.25, 5. / 12, 0.4166}), rapid.Float64Range(-1, 1))
		amount := rapid.OneOf(rapid.Float64Range(0, 1e20), rapid.Float64Range(0, 100))
		steps := rapid.SliceOfN(names(), 0, 6).Draw(t, "steps")
		r := &blame.Result{Schema: blame.Schema}
		r.Pipeline.Name = names().Draw(t, "pipeline")
		r.Settings = blame.Settings{
			Mode: "recorded", Method: "auto", Delta: 0.05, Claim: "traffic", Players: rapid.SampledFrom([]string{"steps", "calls"}).Draw(t, "players"),
			Pass: rapid.Float64Range(0.01, 1).Draw(t, "pass"), Budget: rapid.SampledFrom([]float64{0, 500}).Draw(t, "budget"),
		}
		n := rapid.IntRange(0, 3).Draw(t, "cases")
		r.Summary = blame.Summary{
			Cases: n, Failures: n, Analyzed: rapid.IntRange(0, n).Draw(t, "analyzed"), Repairable: rapid.IntRange(0, n).Draw(t, "repairable"),
			Cost: amount.Draw(t, "cost"), Stopped: names().Draw(t, "stopped"), Partial: rapid.Bool().Draw(t, "partial"),
		}
		if rapid.Bool().Draw(t, "intervals") {
			info := blame.IntervalInfo{Rule: names().Draw(t, "rule")}
			info.Label, info.Over, info.Text = names().Draw(t, "label"), names().Draw(t, "over"), names().Draw(t, "promise")
			r.Summary.Intervals = []blame.IntervalInfo{info}
			r.Summary.Separation = &blame.Separation{
				Rule: names().Draw(t, "rule"), Goal: names().Draw(t, "goal"), Reached: rapid.Bool().Draw(t, "reached"),
				Leaders: rapid.SliceOfN(names(), 0, 3).Draw(t, "leaders"), Promise: info.Promise,
			}
		}
		for _, s := range steps {
			r.Pipeline.Steps = append(r.Pipeline.Steps, blame.StepInfo{Name: s, Fix: names().Draw(t, "fix"), Input: rapid.Bool().Draw(t, "input"), UnseenNoise: rapid.Bool().Draw(t, "unseen"), Key: rapid.Bool().Draw(t, "key")})
			step := blame.StepResult{Name: s, FixAlone: value.Draw(t, "alone"), Resolves: rapid.Float64Range(0, 1).Draw(t, "resolves")}
			low := value.Draw(t, "low")
			step.Shapley = blame.Estimate{Mean: value.Draw(t, "mean"), Low: &low, High: &low}
			if share := value.Draw(t, "share"); share > 0 {
				step.Share = &share
			}
			if rapid.Bool().Draw(t, "measured") {
				step.Breaks = &blame.Rate{Rate: 0.25, High: 1, Count: rapid.IntRange(0, 1).Draw(t, "broken"), Of: 4}
				net := value.Draw(t, "net")
				step.Net = &net
				step.Variants = []blame.VariantResult{{Name: names().Draw(t, "variant"), Tried: true}, {Name: names().Draw(t, "variant"), Breaks: step.Breaks, Net: step.Net}}
			}
			r.Steps = append(r.Steps, step)
		}
		if rapid.Bool().Draw(t, "batch") {
			r.Harm = &blame.Harm{Cases: rapid.IntRange(0, 4).Draw(t, "tried"), Cut: rapid.Bool().Draw(t, "cut")}
			set := blame.PlanSet{Fixes: notNil(steps), Resolves: 0.5, Gap: 0.1, Cost: amount.Draw(t, "plan cost")}
			r.Plan = &blame.FixPlan{Exact: rapid.Bool().Draw(t, "exact"), Sets: []blame.PlanSet{set, set}}
			if len(steps) > 1 {
				pair := blame.Interaction{Players: [2]string{steps[0], steps[1]}, Kind: "synergy", SII: 0.5, Synergies: 1}
				r.Interactions = []blame.Interaction{pair, pair}
			}
			r.Groups = []blame.GroupResult{{Name: names().Draw(t, "group"), Members: notNil(steps), Shapley: 0.5}}
			r.RepairGroups = []blame.RepairGroup{{Count: 2, Cases: []string{names().Draw(t, "case")}, MinimalRepairs: [][]string{notNil(steps)}, Cut: true}}
		}
		for range n {
			score := rapid.Float64Range(0, 1).Draw(t, "score")
			c := blame.CaseResult{
				ID: names().Draw(t, "id"), Method: "exact", Coalitions: 16, Score: &score, ScoreFixed: &score,
				Shapley: byPlayer(t, steps, value), Cost: amount.Draw(t, "case cost"),
				MinimalRepairs: rapid.SliceOfN(rapid.SliceOfN(names(), 0, 3), 0, 12).Draw(t, "repairs"),
				LastTouch:      names().Draw(t, "last touch"),
				CallsShift:     rapid.SliceOfN(names(), 0, 2).Draw(t, "shift"),
			}
			if rapid.IntRange(0, 3).Draw(t, "kind") == 0 {
				c.Undefined = names().Draw(t, "undefined")
			}
			if rapid.Bool().Draw(t, "errors") {
				c.Errors = []blame.CaseError{{
					Step: names().Draw(t, "step"), Variant: names().Draw(t, "variant"),
					Coalition: rapid.SliceOfN(names(), 0, 2).Draw(t, "coalition"), Message: names().Draw(t, "message"),
				}}
			}
			r.Cases = append(r.Cases, c)
		}
		return r
	})
}

var ours = regexp.MustCompile("\x1b\\[(0|1|2|31|33|36|1;31)m")

// Whatever a result holds, no line is wider than the page, nothing but our own
// colours steers the terminal, and colours change nothing else.
func TestTextKeepsToThePage(t *testing.T) {
	cells := runewidth.Condition{StrictEmojiNeutral: true}
	rapid.Check(t, func(rt *rapid.T) {
		r := results().Draw(rt, "result")
		o := report.TextOptions{
			Width:   rapid.OneOf(rapid.IntRange(1, 30), rapid.IntRange(20, 160)).Draw(rt, "width"),
			Verbose: rapid.Bool().Draw(rt, "verbose"), Cases: rapid.IntRange(-1, 3).Draw(rt, "limit"),
		}
		plain := text(t, r, o)
		for line := range strings.Lines(plain) {
			line, ended := strings.CutSuffix(line, "\n")
			if !ended {
				rt.Fatalf("the last line %q has no end", line)
			}
			if w := cells.StringWidth(line); w > o.Width {
				rt.Fatalf("a line is %d columns wide, the page %d: %q", w, o.Width, line)
			}
			if what := harmless(line); what != "" {
				rt.Fatalf("a line holds %s: %q", what, line)
			}
		}
		o.Color = true
		if got := ours.ReplaceAllString(text(t, r, o), ""); got != plain {
			rt.Fatalf("without its colours the text is\n%q, and was made without colours\n%q", got, plain)
		}
	})
}

// Columns stay columns: in every table row the cell of a right-aligned number
// ends where that of the row above does.
func TestTableColumnsAlign(t *testing.T) {
	cells := runewidth.Condition{StrictEmojiNeutral: true}
	p := exam([4]string{"検索", strings.Repeat("x", 70), "é́", "👩‍🔬🇺🇸 lab"})
	r := batch(t, p, papers("1: a|b", "2: b", "3: cd"), blame.Options{})
	number := regexp.MustCompile(`[+-]\d\.\d{3}`)
	for _, width := range []int{60, 80, 120} {
		ends := map[int]bool{}
		lines := 0
		for line := range strings.Lines(text(t, r, report.TextOptions{Width: width})) {
			if !strings.Contains(line, " %") || !number.MatchString(line) || !strings.HasPrefix(line, "  ") {
				continue
			}
			at := number.FindStringIndex(line)
			ends[cells.StringWidth(line[:at[1]])] = true
			lines++
		}
		if lines != 4 || len(ends) != 1 {
			t.Errorf("at %d columns, %d rows have their first number end at %v", width, lines, ends)
		}
	}
}
