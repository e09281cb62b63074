package blame_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/demo"
)

// TestTwoRunsLong: where steps are slow and may all run at once, an analysis takes
// as long as two runs of the pipeline, the factual one and one pass over all
// coalitions. The time is synctest's, in which nothing else takes any.
func TestTwoRunsLong(t *testing.T) {
	const each = time.Second
	for _, test := range []struct {
		concurrency int
		want        time.Duration
	}{
		{8, 2 * 4 * each},
		{1, (4 + 14) * each}, // the factual run, and 14 others that differ
	} {
		synctest.Test(t, func(t *testing.T) {
			p := before(blocking(demo.Refund("A")), func() { time.Sleep(each) })
			start := time.Now()
			one(t, p, demo.RefundCase(), blame.Options{Concurrency: test.concurrency})
			if took := time.Since(start); took != test.want {
				t.Errorf("with concurrency %d it took %v, not %v", test.concurrency, took, test.want)
			}
		})
	}
}
