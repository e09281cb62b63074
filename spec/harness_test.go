package spec

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// write puts files into a new folder and returns the folder.
func write(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// declare loads a declaration that must be right.
func declare(t testing.TB, text string) *File {
	t.Helper()
	f, err := Load(filepath.Join(write(t, map[string]string{"agentblame.yaml": text}), "agentblame.yaml"))
	if err != nil {
		t.Fatalf("loading:\n%v", err)
	}
	return f
}

// direct answers a program's calls by running as-run implementations, or the
// variants that it names.
type direct struct {
	p      *pipeline.Pipeline
	in     pipeline.Session
	fixes  map[string]string
	world  noise.World
	called []string
}

func (d *direct) Call(ctx context.Context, call pipeline.Call) (*pipeline.Value, error) {
	s := d.p.Steps[call.Step]
	impl := 0
	if name, fixed := d.fixes[s.Name]; fixed {
		impl = s.Fix(name)
	}
	d.called = append(d.called, s.Name)
	ctx = noise.With(ctx, d.world.Source(s.Name, call.Label))
	out, err := s.Impls[impl].Run(ctx, pipeline.NewArgs(d.in.Case, s.Needs, call.Args))
	if err != nil {
		return nil, err
	}
	return d.in.Values.Intern(out)
}

// replay runs a pipeline on a case with fixes and returns its score.
func replay(t testing.TB, p *pipeline.Pipeline, c pipeline.Case, fixes map[string]string) (any, error) {
	t.Helper()
	in, err := p.Program.Prepare(&c, &pipeline.Values{})
	if err != nil {
		return nil, err
	}
	d := &direct{p: p, in: in, fixes: fixes, world: noise.World{Seed: 7, Index: 2}}
	out, err := p.Program.Run(t.Context(), in, nil, d)
	if err != nil {
		return nil, err
	}
	ctx := noise.With(t.Context(), d.world.Source("score", "1"))
	return p.Score.Run(ctx, pipeline.NewArgs(&c, p.Score.Needs, out))
}

// runStep runs one step's implementation on inputs and returns its output as
// JSON.
func runStep(t testing.TB, ctx context.Context, f *File, step, variant string, c pipeline.Case, inputs map[string]any) (string, error) {
	t.Helper()
	var values pipeline.Values
	for _, s := range f.Pipeline.Steps {
		if s.Name != step {
			continue
		}
		args := make([]*pipeline.Value, len(s.Needs))
		for i, need := range s.Needs {
			v, err := values.Intern(inputs[need])
			if err != nil {
				t.Fatal(err)
			}
			args[i] = v
		}
		impl := s.Impls[0]
		if variant != "" {
			impl = s.Impls[s.Fix(variant)]
		}
		ctx = noise.With(ctx, noise.World{Seed: 7, Index: 2}.Source(step, "1"))
		out, err := impl.Run(ctx, pipeline.NewArgs(&c, s.Needs, args))
		if err != nil {
			return "", err
		}
		v, err := values.Intern(out)
		if err != nil {
			return "", err
		}
		return v.JSON(), nil
	}
	t.Fatalf("no step %s", step)
	return "", nil
}

// newCase makes a case of JSON texts.
func newCase(inputs, expected string) pipeline.Case {
	c := pipeline.Case{ID: "q1", Inputs: map[string]any{}}
	for _, p := range splitObject(jsontext.Value(inputs), 1) {
		c.Inputs[p.key] = p.value
	}
	if expected != "" {
		c.Expected = jsontext.Value(expected)
	}
	return c
}

// kindOf says what the engine makes of an error.
func kindOf(err error) string {
	var fault *pipeline.FaultError
	var transient interface{ Transient() bool }
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &fault):
		return "fault"
	case errors.As(err, &transient):
		return "transient"
	}
	return "error"
}
