package report_test

import (
	"io"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

// BenchmarkRender renders a batch of 1000 failing cases.
func BenchmarkRender(b *testing.B) {
	r := batch(b, exam(usual), many(1000), blame.Options{})
	renderers := []struct {
		name string
		to   func(io.Writer, *blame.Result) error
	}{
		{"text", func(w io.Writer, r *blame.Result) error { return report.Text(w, r, report.TextOptions{}) }},
		{"text of all cases", func(w io.Writer, r *blame.Result) error {
			return report.Text(w, r, report.TextOptions{Cases: -1})
		}},
		{"json", report.JSON},
		{"jsonl", report.JSONL},
		{"csv", report.CSV},
		{"html", report.HTML},
		{"markdown", report.Markdown},
		{"junit", report.JUnit},
	}
	for _, f := range renderers {
		b.Run(f.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f.to(io.Discard, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
