package noise

import (
	"math"
	"strconv"
	"testing"
)

func BenchmarkFloat64(b *testing.B) {
	b.ReportAllocs()
	var s Source
	w := World{Seed: 7, Index: 3}
	for b.Loop() {
		s.Reset(w, "retriever", "1")
		s.Float64("threshold")
	}
}

func BenchmarkNorm(b *testing.B) {
	b.ReportAllocs()
	var s Source
	w := World{Seed: 7, Index: 3}
	for b.Loop() {
		s.Reset(w, "retriever", "1")
		s.Norm("jitter")
	}
}

func BenchmarkCategorical4(b *testing.B) {
	b.ReportAllocs()
	logits := map[string]float64{"gold": 1, "stale": 1.3, "other": 0.2, "none": -1}
	var s Source
	w := World{Seed: 7, Index: 3}
	for b.Loop() {
		s.Reset(w, "retriever", "1")
		s.Categorical("doc", logits)
	}
}

func BenchmarkCategorical4Posterior(b *testing.B) {
	b.ReportAllocs()
	logits := map[string]float64{"gold": 1, "stale": 1.3, "other": 0.2, "none": -1}
	p, err := NewPosterior(Observed{"retriever", "1", Draw{Key: "doc", Kind: Categorical, Logits: logits, Chosen: "gold"}})
	if err != nil {
		b.Fatal(err)
	}
	var s Source
	w := World{Seed: 7, Index: 3}.Given(p)
	for b.Loop() {
		s.Reset(w, "retriever", "1")
		s.Categorical("doc", logits)
	}
}

// vocabulary returns logits of 150,000 tokens in several shapes.
func vocabulary(shape string) []float64 {
	logits := make([]float64, 150_000)
	s := World{Seed: 1}.Source("vocabulary", shape)
	d := s.digest(prior, "logits")
	r := d.stream()
	for i := range logits {
		switch shape {
		case "flat":
		case "normal":
			logits[i] = 3 * normal(uniform(r.bits(uint64(i))))
		case "rising":
			logits[i] = float64(i) / 30_000
		case "falling":
			logits[i] = -float64(i) / 30_000
		case "masked":
			logits[i] = math.Inf(-1)
			if i%1000 == 7 {
				logits[i] = 1
			}
		}
	}
	return logits
}

func BenchmarkIndex150k(b *testing.B) {
	for _, shape := range []string{"normal", "flat", "rising", "falling", "masked"} {
		b.Run(shape, func(b *testing.B) {
			b.ReportAllocs()
			logits := vocabulary(shape)
			var s Source
			w := World{Seed: 7}
			for b.Loop() {
				w.Index++
				s.Reset(w, "writer", "1")
				s.Index("t17", logits)
			}
		})
	}
}

func BenchmarkIndex150kPosterior(b *testing.B) {
	b.ReportAllocs()
	logits := vocabulary("normal")
	p, err := NewPosterior(Observed{"writer", "1", Draw{Key: "t17", Kind: Index, IndexLogits: logits, Value: 12}})
	if err != nil {
		b.Fatal(err)
	}
	var s Source
	w := World{Seed: 7}.Given(p)
	for b.Loop() {
		w.Index++
		s.Reset(w, "writer", "1")
		s.Index("t17", logits)
	}
}

// BenchmarkRun is what noise adds to a step run that draws a handful of keys.
func BenchmarkRun(b *testing.B) {
	for _, n := range []int{0, 1, 6, 20} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			keys := make([]string, n)
			for i := range keys {
				keys[i] = "key" + strconv.Itoa(i)
			}
			var s Source
			for b.Loop() {
				s.Reset(World{Seed: 7}, "retriever", "1")
				for _, k := range keys {
					s.Float64(k)
				}
			}
		})
	}
}
