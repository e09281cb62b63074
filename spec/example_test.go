package spec_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/spec"
)

func ExampleLoad() {
	dir, err := os.MkdirTemp("", "spec")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "agentblame.yaml")
	os.WriteFile(path, []byte(`
name: refund
inputs: [question]
steps:
  retriever:
    needs: [question]
    run: {value: "policy of 2023: 90 days"}
    variants:
      current: {value: "policy of 2026: 30 days"}
  writer:
    needs: [retriever]
    run: {expr: 'split(retriever, ": ")[1]'}
score: {equals: expected}
cases:
  - {id: q1, inputs: {question: "How long may I return it?"}, expected: 30 days}
`), 0o600)

	f, err := spec.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	cases, err := f.Cases()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range f.Pipeline.Steps {
		fmt.Println(s.Name, "needs", s.Needs, "and has", len(s.Impls)-1, "variants")
	}
	fmt.Println(cases[0].ID, "expects", cases[0].Expected)
	// Output:
	// retriever needs [question] and has 1 variants
	// writer needs [retriever] and has 0 variants
	// q1 expects "30 days"
}

func ExampleFaultsError() {
	dir, err := os.MkdirTemp("", "spec")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "agentblame.yaml")
	os.WriteFile(path, []byte(`
inputs: [question]
steps:
  planner:
    needs: [question]
    run: {exec: [python3, steps.py, planner]}
  retriever:
    needs: [planer]
    run: {exec: [python3, steps.py, retriever]}
    timout: 5s
score: {equals: expected, of: writer}
`), 0o600)
	_, err = spec.Load(path)
	fmt.Println(strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), ""))
	// Output:
	// agentblame.yaml:8: step retriever needs "planer", which is neither a step nor an input; did you mean "planner"? (there are: planner, question)
	// agentblame.yaml:10: step retriever has no key "timout"; did you mean "timeout"? (there are: needs, run, variants, concurrency, key, cost, timeout, retries, deterministic, version, env, max_output)
	// agentblame.yaml:11: the score is of "writer", which is neither a step nor an input (there are: planner, retriever, question)
}

func ExampleReadCases() {
	file, err := os.CreateTemp("", "*.csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.Remove(file.Name())
	fmt.Fprint(file, "id,question,expected:json,tags.team\nq1,How long?,30,returns\n")
	file.Close()

	cases, err := spec.ReadCases(file.Name(), spec.Check{Inputs: []string{"question"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := cases[0]
	var question string
	var days int
	fmt.Println(c.DecodeInput("question", &question), question)
	fmt.Println(c.DecodeExpected(&days), days, c.Tags["team"])
	// Output:
	// <nil> How long?
	// <nil> 30 returns
}

// The implementations of a loaded pipeline are ordinary functions.
func Example_run() {
	dir, err := os.MkdirTemp("", "spec")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "agentblame.yaml")
	os.WriteFile(path, []byte(`
inputs: [n]
steps:
  double: {needs: [n], run: {expr: n * 2}}
score: {number: expected}
`), 0o600)
	f, err := spec.Load(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	var values pipeline.Values
	n, _ := values.Intern(21)
	step := f.Pipeline.Steps[0]
	out, err := step.Impls[0].Run(context.Background(), pipeline.NewArgs(&pipeline.Case{}, step.Needs, []*pipeline.Value{n}))
	fmt.Println(out, err)
	// Output: 42 <nil>
}
