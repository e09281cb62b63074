// Million analyses a million failing cases of the refund pipeline, which need
// not be in memory at once, and prints the rate and the memory that it took.
//
//	go run ./bench/million [-n CASES]
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/demo"
	"github.com/agentblame/agentblame/pipeline"
)

func main() {
	n := flag.Int("n", 1_000_000, "number of cases")
	flag.Parse()
	if err := run(*n); err != nil {
		fmt.Fprintln(os.Stderr, "million:", err)
		os.Exit(1)
	}
}

// manyRefunds are failing cases made when they are asked for.
type manyRefunds int

func (m manyRefunds) Len() int { return int(m) }

func (m manyRefunds) At(i int) pipeline.Case {
	c := demo.RefundCase()
	c.ID = fmt.Sprintf("refund-%07d", i)
	return c
}

func run(n int) error {
	var peak uint64
	analyzed := 0
	sample := func(blame.CaseResult) {
		if analyzed++; analyzed%(max(n/20, 1)) != 0 {
			return
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		peak = max(peak, m.HeapAlloc)
		fmt.Fprintf(os.Stderr, "%d cases, heap %d MB\n", analyzed, m.HeapAlloc>>20)
	}
	start := time.Now()
	r, err := blame.BatchOf(context.Background(), demo.Refund("A"), manyRefunds(n), blame.Options{
		KeepCases: -1, Harm: -1, Concurrency: runtime.GOMAXPROCS(0), Each: sample,
	})
	if err != nil {
		return err
	}
	took := time.Since(start)
	fmt.Printf("%d cases analysed in %.1f s: %.0f cases and %.0f step runs a second, heap at most %d MB\n",
		r.Summary.Analyzed, took.Seconds(), float64(n)/took.Seconds(),
		(r.Summary.Cost+r.Summary.CostFactual)/took.Seconds(), peak>>20)
	return nil
}
