package report_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

func TestNumbersInACaseLine(t *testing.T) {
	tests := []struct {
		name string
		set  func(r *blame.Result, c *blame.CaseResult)
		want string
	}{
		{"whole costs are in full", func(_ *blame.Result, c *blame.CaseResult) { c.Cost = 1234567 }, "cost 1234567,"},
		{"others to six digits", func(_ *blame.Result, c *blame.CaseResult) { c.Cost = 1234.56789 }, "cost 1234.57,"},
		{"small ones too", func(_ *blame.Result, c *blame.CaseResult) { c.Cost = 0.00012 }, "cost 0.00012,"},
		{"very large ones have an exponent", func(_ *blame.Result, c *blame.CaseResult) { c.CostUncached = 3.7e21 }, "uncached 3.7e+21]"},
		{"few coalitions are in full", func(_ *blame.Result, c *blame.CaseResult) { c.Coalitions = 1 << 19 }, "524288 coalitions"},
		{"many are a power of two", func(_ *blame.Result, c *blame.CaseResult) { c.Coalitions = math.Ldexp(1, 64) }, "2^64 coalitions"},
		{"one is one", func(_ *blame.Result, c *blame.CaseResult) { c.Coalitions = 1 }, ", 1 coalition,"},
		{"scores have four digits", func(_ *blame.Result, c *blame.CaseResult) { *c.Score = 1. / 3 }, "score 0.3333 as run"},
		{"rounding makes no failure pass", func(_ *blame.Result, c *blame.CaseResult) { *c.Score = 0.99999 }, "score 0.99999 as run"},
		{"nor under another pass mark", func(r *blame.Result, c *blame.CaseResult) { r.Settings.Pass = 0.8; *c.Score = 0.79999 }, "score 0.79999 as run"},
		{"nothing is below nothing", func(_ *blame.Result, c *blame.CaseResult) { c.FixAlone[0].Value = -1e-9 }, "+0.000         +0.000"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := refund(t, blame.Options{})
			tt.set(r, &r.Cases[0])
			if got := text(t, r, report.TextOptions{Width: 200}); !strings.Contains(got, tt.want) {
				t.Errorf("no %q in\n%s", tt.want, got)
			}
		})
	}
}

func TestLongListsAreCut(t *testing.T) {
	r := &blame.Result{Schema: blame.Schema, Settings: blame.Settings{Pass: 1, Delta: 0.05}}
	r.Summary = blame.Summary{Cases: 60, Failures: 60, Analyzed: 30, Repairable: 30, Undefined: 30, Stopped: "all cases"}
	share, zero := 1./30, 0.0
	var all []string
	for i := range 30 {
		name := fmt.Sprintf("step%02d", i)
		all = append(all, name)
		r.Pipeline.Steps = append(r.Pipeline.Steps, blame.StepInfo{Name: name, Fix: "new"})
		r.Steps = append(r.Steps, blame.StepResult{Name: name, Share: &share})
		r.Cases = append(r.Cases,
			blame.CaseResult{ID: fmt.Sprintf("f%02d", i), Score: &zero, MinimalRepairs: [][]string{{name}}},
			blame.CaseResult{ID: fmt.Sprintf("u%02d", i), Undefined: "rate limit", Errors: []blame.CaseError{{Step: name, Message: "no"}}})
	}
	for range 15 {
		r.Cases[0].MinimalRepairs = append(r.Cases[0].MinimalRepairs, []string{"step00"})
	}
	r.Cases[2].MinimalRepairsCut, r.Cases[2].MinimalRepairsCount = true, "123456789012345678901"
	short := text(t, r, report.TextOptions{Width: 1000})
	for _, want := range []string{
		"step00, step01, step02 and 27 more carry 3.3 % of the blame each.",
		"analysed failures (20 of 30)", "  … 10 more\n",
		"u00, u01, u02, u03, u04 and 25 more: rate limit",
		"errors of step runs (10 of 30)", "  … 20 more\n",
		"step18 → new, step19 → new, … (10 more).",
		"{step00}, … (16 in all)", "{step01}, … (123456789012345678901 in all)",
	} {
		if !strings.Contains(short, want) {
			t.Errorf("no %q in\n%s", want, short)
		}
	}
	long := text(t, r, report.TextOptions{Width: 1000, Verbose: true, Cases: -1})
	for _, want := range append(all, "case f29: score 0", "u29: rate limit", "step29 (as run): no", "step29 → new.") {
		if !strings.Contains(long, want) {
			t.Errorf("verbose: no %q", want)
		}
	}
	for _, cut := range []string{"  … ", "more)", "and 25 more"} {
		if strings.Contains(long, cut) {
			t.Errorf("verbose: there is %q in\n%s", cut, long)
		}
	}
}

func TestTextFailsWhenItsWriterDoes(t *testing.T) {
	if err := report.Text(brokenWriter{}, refund(t, blame.Options{}), report.TextOptions{}); err != errBroken {
		t.Errorf("error %v, want the writer's", err)
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }
