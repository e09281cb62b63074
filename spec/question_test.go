package spec

import (
	"testing"

	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/google/go-cmp/cmp"
)

// In a posterior world a question tells what is known of the noise.
func TestQuestionInAPosteriorWorld(t *testing.T) {
	known, err := noise.NewPosterior(noise.Observed{Step: "a", Call: "1", Draw: noise.Draw{Key: "doc", Kind: noise.Int, N: 3, Value: 2}})
	if err != nil {
		t.Fatal(err)
	}
	ctx := noise.With(t.Context(), noise.World{Seed: 7, Index: 2}.Given(known).Source("a", "1"))
	got, err := question(ctx, pipeline.NewArgs(&pipeline.Case{}, nil, nil), false, true)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"inputs":{},"noise":{"seed":7,"world":2,"step":"a","iteration":"1","observed":[{"key":"doc","kind":"int","n":3,"value":2}]}}` + "\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A key says what of an output matters.
func TestKeys(t *testing.T) {
	f := declare(t, `
steps:
  search: {run: {value: 1}, key: "map(output.documents, .id)"}
score: {equals: expected}
`)
	var values pipeline.Values
	a, err := values.InternJSON([]byte(`{"documents": [{"id": "d1", "score": 1}, {"id": "d2", "score": 2}]}`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.Pipeline.Steps[0].Key(a)
	if diff := cmp.Diff([]any{"d1", "d2"}, got); diff != "" || err != nil {
		t.Errorf("error %v (-want +got)\n%s", err, diff)
	}
	b, err := values.InternJSON([]byte(`3`))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := f.Pipeline.Steps[0].Key(b); err == nil {
		t.Errorf("the key of 3 is %v", got)
	}
}

func TestCheckOf(t *testing.T) {
	f := declare(t, `
inputs: [q: {variants: {x: {gold: true}}}, user]
steps:
  a: {needs: [q], run: {value: 1}}
  b: {needs: [a, user], run: {value: 1}}
score: {equals: expected}
`)
	want := Check{Inputs: []string{"q", "user"}, Steps: map[string][]string{"q": {"q"}, "a": {"q"}, "b": {"a", "user"}}}
	if diff := cmp.Diff(want, CheckOf(f.Pipeline)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	want.Expected = []string{""}
	if diff := cmp.Diff(want, f.Check); diff != "" {
		t.Errorf("of the file (-want +got)\n%s", diff)
	}
}
