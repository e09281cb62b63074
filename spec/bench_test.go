package spec

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/agentblame/agentblame/pipeline"
)

func BenchmarkReadLines(b *testing.B) {
	var text bytes.Buffer
	for i := range 10_000 {
		fmt.Fprintf(&text, `{"id": "q%d", "inputs": {"question": "How long may I return it?"}, "expected": {"days": 30}, "seed": %d, "gold": {"a": [1, 2, 3]}}`+"\n", i, i)
	}
	check := Check{Inputs: []string{"question"}, Steps: map[string][]string{"a": {"question"}}, Expected: []string{"days"}}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		r := newBatch(check)
		r.readFrom("c.jsonl", bytes.NewReader(text.Bytes()))
		if cases, err := r.done(); err != nil || len(cases) != 10_000 {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		if _, err := Load("testdata/full.yaml"); err != nil {
			b.Fatal(err)
		}
	}
}

// benchmarkStep runs a step again and again.
func benchmarkStep(b *testing.B, run string) {
	f := declare(b, "inputs: [q]\nsteps:\n  a: {needs: [q], run: "+run+"}\nscore: {equals: expected}\n")
	var values pipeline.Values
	q, err := values.InternJSON([]byte(`{"documents": [{"id": "d1", "score": 0.5}, {"id": "d2", "score": 0.7}]}`))
	if err != nil {
		b.Fatal(err)
	}
	c := newCase(`{}`, "")
	args := pipeline.NewArgs(&c, []string{"q"}, []*pipeline.Value{q})
	impl := f.Pipeline.Steps[0].Impls[0]
	for b.Loop() {
		if _, err := impl.Run(b.Context(), args); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkExpression(b *testing.B) {
	benchmarkStep(b, `{expr: "filter(q.documents, .score > 0.6) | map(.id)"}`)
}

func BenchmarkProcess(b *testing.B) { benchmarkStep(b, `{exec: [cat]}`) }

func BenchmarkHTTP(b *testing.B) {
	benchmarkStep(b, `{http: "`+service(b).URL+`/echo"}`)
}

func BenchmarkEquals(b *testing.B) {
	f := declare(b, "steps:\n  a: {run: {value: 1}}\nscore: {equals: expected.days, json: answer.days}\n")
	var values pipeline.Values
	out, err := values.InternJSON([]byte(`{"answer": {"days": 30, "text": "You can return it within 30 days."}}`))
	if err != nil {
		b.Fatal(err)
	}
	c := newCase(`{}`, `{"days": 30}`)
	args := pipeline.NewArgs(&c, []string{"a"}, []*pipeline.Value{out})
	for b.Loop() {
		if got, err := f.Pipeline.Score.Run(b.Context(), args); err != nil || got != 1.0 {
			b.Fatal(got, err)
		}
	}
}
