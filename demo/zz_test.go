package demo

import (
	"fmt"
	"sort"
	"testing"
	"time"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/replay"
	"github.com/agentblame/agentblame/noise"
)

func best(n int, f func()) (mn, q float64) {
	var ds []float64
	for range n {
		t0 := time.Now()
		f()
		ds = append(ds, float64(time.Since(t0).Nanoseconds())/1e3)
	}
	sort.Float64s(ds)
	return ds[0], ds[n/10]
}

func TestArms(b *testing.T) {
	cases := RagCases(8, ragSeed)
	for _, mode := range []blame.Mode{blame.Posterior, blame.Prior} {
		e, _ := replay.New(Rag(), replay.Options{Concurrency: 1})
		run := func(name string, f func(t *trial)) {
			mn, q := best(1000, func() {
				t, _ := newTrial(b.Context(), e, &cases[0], mode, 0)
				f(t)
				t.session.Close()
			})
			fmt.Printf("%s %s min %.0f q10 %.0f us\n", mode, name, mn, q)
		}
		run("new", func(t *trial) {})
		for _, ind := range []bool{false, true} {
			run(fmt.Sprint("avg ", ind), func(t *trial) { t.independent = ind; t.average(b.Context(), 4) })
			run(fmt.Sprint("perm ", ind), func(t *trial) { t.independent = ind; t.permutations(b.Context(), 4) })
		}
	}
	w := noise.World{Seed: 1}
	s := w.Source("retrieve", "1")
	mn, q := best(1000, func() { for i := range 100 { w.Index = uint64(i); s.Reset(w, "retrieve", "1"); s.Categorical("page", map[string]float64{"gold": 1, "stale": 0, "unrelated": -1}) } })
	fmt.Println("categorical ns", mn*10, q*10)
	mn, q = best(1000, func() { for i := range 100 { w.Index = uint64(i); s.Reset(w, "retrieve", "1"); s.Index("page", []float64{1, 0, -1}) } })
	fmt.Println("index ns", mn*10, q*10)
}
