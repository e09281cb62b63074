//go:build unix

package host

import (
	"sync"
	"testing"

	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// BenchmarkStepRun is a step run in another process that is written in Go too,
// 64 at once.
func BenchmarkStepRun(b *testing.B) {
	h, _ := open(b, "ok")
	impl, err := h.Impl("a", "", Impl{})
	if err != nil {
		b.Fatal(err)
	}
	var values pipeline.Values
	in, err := values.Intern("how long may I return it?")
	if err != nil {
		b.Fatal(err)
	}
	args := pipeline.NewArgs(&pipeline.Case{ID: "c"}, []string{"q"}, []*pipeline.Value{in})
	b.ReportAllocs()
	b.ResetTimer()
	var callers sync.WaitGroup
	for i := range 64 {
		callers.Go(func() {
			for range b.N/64 + min(1, max(0, b.N%64-i)) {
				if _, err := impl.Run(noise.With(b.Context(), noise.World{Seed: 7}.Source("a", "1")), args); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	callers.Wait()
}

func BenchmarkParse(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","id":7,"result":{"output":{"id":"refunds-2026"},"draws":[],"cost":0.002}}` + "\n")
	b.ReportAllocs()
	var r lineReader
	for b.Loop() {
		if _, err := r.parse(line); err != nil {
			b.Fatal(err)
		}
	}
}
