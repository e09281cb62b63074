package blame_test

import (
	"fmt"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/demo"
	"github.com/agentblame/agentblame/pipeline"
)

// BenchmarkRefund is a whole case of the refund pipeline: 18 step runs, 16 leaves.
func BenchmarkRefund(b *testing.B) {
	p := demo.Refund("A")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := blame.Case(b.Context(), p, demo.RefundCase(), blame.Options{Concurrency: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRefundBatch is a batch of a thousand such cases.
func BenchmarkRefundBatch(b *testing.B) {
	p := demo.Refund("A")
	cases := make([]pipeline.Case, 1000)
	for i := range cases {
		cases[i] = demo.RefundCase()
		cases[i].ID += fmt.Sprint("-", i)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := blame.Batch(b.Context(), p, cases, blame.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/case")
}
