package blame_test

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/demo"
	"github.com/agentblame/agentblame/pipeline"
)

// stream makes cases as they are asked for.
type stream struct {
	n     int
	given *atomic.Int64
}

func (s stream) Len() int { return s.n }

func (s stream) At(i int) pipeline.Case {
	s.given.Add(1)
	c := demo.RefundCase()
	c.ID = fmt.Sprint("c", i)
	if i%3 == 0 {
		c.Expected = 90 // passes
	}
	return c
}

// TestMemory streams many cases and asks for the heap on the way: it doesn't grow
// with their number.
func TestMemory(t *testing.T) {
	const warm = 1000
	n := 2 * warm
	if !raceDetector {
		n *= 2
	}
	var m runtime.MemStats
	heap := func() uint64 {
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	done, early, late := 0, uint64(0), uint64(0)
	cases := stream{n, &atomic.Int64{}}
	r, err := blame.BatchOf(t.Context(), demo.Refund("A"), cases, blame.Options{
		KeepCases: 20, Stop: "", Harm: 20, Each: func(blame.CaseResult) {
			switch done++; done {
			case warm:
				early = heap()
			case n:
				late = heap()
			}
		},
	})
	if err != nil || r.Summary.Cases != n || len(r.Cases) != 20 {
		t.Fatalf("%+v, %v", r.Summary, err)
	}
	if cases.given.Load() != int64(n) {
		t.Errorf("%d cases were asked for", cases.given.Load())
	}
	// Hedged intervals keep the values of up to 20,000 cases: 10 sequences of 16
	// bytes a case, twice that while a slice grows.
	const perCase = 2 * 16 * (4 + 6)
	if grown := int64(late) - int64(early); grown > int64(n-warm)*perCase+1<<20 {
		t.Errorf("the heap grew by %d bytes in %d cases, %d a case", grown, n-warm, grown/int64(n-warm))
	}
}
