package spec

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/txtar"
)

// checkFaults checks that an error is a list of faults, one line each.
func checkFaults(t *testing.T, err error) {
	t.Helper()
	var faults *FaultsError
	if !errors.As(err, &faults) || len(faults.Faults) == 0 {
		t.Fatalf("the error is a %T: %v", err, err)
	}
	for _, f := range faults.Faults {
		if f.Text == "" || strings.ContainsAny(f.Text, "\n\r\x1b") || f.Line < 0 {
			t.Fatalf("the fault %#v", f)
		}
	}
}

func FuzzLoad(f *testing.F) {
	archives, _ := filepath.Glob("testdata/faults/*.txtar")
	for _, path := range archives {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if file.Name == "agentblame.yaml" {
				f.Add(file.Data)
			}
		}
	}
	examples, _ := filepath.Glob("testdata/*.yaml")
	for _, path := range append(examples, "../examples/python-exec/agentblame.yaml") {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := load("x.yaml", text)
		if err != nil {
			checkFaults(t, err)
			return
		}
		if err := file.Pipeline.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzCases(f *testing.F) {
	f.Add(uint8(0), []byte(`{"id": "a", "inputs": {"q": 1}, "expected": {"x": 1}, "seed": 1, "gold": {"a": 1}, "recording": {"a#2": {"inputs": {"q": 1}, "output": 2}}, "tags": {"a": "b"}}`))
	f.Add(uint8(0), []byte("\ufeff{}\r\n\n{\"id\": 3}"))
	f.Add(uint8(1), []byte(`[{"inputs": {"q": 1}, "expected": 1}, {"inputs": {"q": NaN}}]`))
	f.Add(uint8(2), []byte("- &a {inputs: {q: 1}, expected: x}\n- <<: *a\n  id: b\n- *a\n"))
	f.Add(uint8(3), []byte("id,q,expected:json,seed,gold.a,tags.x\na,\"b\"\"\nc\",{},3,x,y\n"))
	check := Check{Inputs: []string{"q"}, Steps: map[string][]string{"a": {"q"}}, Expected: []string{"x"}}
	f.Fuzz(func(t *testing.T, kind uint8, text []byte) {
		name := "c." + []string{"jsonl", "json", "yaml", "csv"}[kind%4]
		for _, check := range []Check{{}, check} {
			b := newBatch(check)
			b.readFrom(name, bytes.NewReader(text))
			cases, err := b.done()
			if err != nil {
				checkFaults(t, err)
				continue
			}
			checkCases(t, cases)
		}
	})
}

// checkCases checks that cases can be used.
func checkCases(t *testing.T, cases []pipeline.Case) {
	t.Helper()
	if len(cases) == 0 {
		t.Fatal("there are no cases, and no fault")
	}
	ids := map[string]bool{}
	for _, c := range cases {
		if c.ID == "" || ids[c.ID] {
			t.Fatalf("the id %q", c.ID)
		}
		ids[c.ID] = true
		values := []any{c.Expected}
		for _, v := range c.Inputs {
			values = append(values, v)
		}
		for _, v := range c.Gold {
			values = append(values, v)
		}
		for _, r := range c.Recording {
			values = append(values, r.Output)
		}
		var table pipeline.Values
		for _, v := range values {
			if v == nil {
				continue
			}
			if v, ok := v.(jsontext.Value); !ok || !v.IsValid() {
				t.Fatalf("case %s holds %#v", c.ID, v)
			}
			if _, err := table.Intern(v); err != nil {
				t.Fatalf("case %s holds %s: %v", c.ID, v, err)
			}
		}
	}
}

func FuzzExpression(f *testing.F) {
	for _, text := range []string{"planner.days + 1", `$env["fact-check"]`, "let x = case.expected; x == planner", "filter(planner, # > 1) | map(.x)", "case.gold.planner?.x ?? 3", "keys($env)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, mistakes := compile(text, []string{"planner", "fact-check"}, []string{"question"}, []string{"planner"})
		if (e == nil) != (len(mistakes) > 0) {
			t.Fatalf("%d mistakes, and an expression: %v", len(mistakes), e != nil)
		}
		for _, m := range mistakes {
			if m.text == "" || m.line < 0 || m.line > strings.Count(text, "\n") {
				t.Fatalf("the mistake %#v", m)
			}
		}
	})
}

func FuzzPath(f *testing.F) {
	f.Add("$.a[0][\"b\"].c", `{"a": [{"b": {"c": 1}}]}`)
	f.Fuzz(func(t *testing.T, path, value string) {
		p, err := parsePath(path)
		v := jsontext.Value(value)
		if err != nil || !v.IsValid() {
			return
		}
		if part, ok := p.find(v); ok && !part.IsValid() {
			t.Fatalf("found %q", part)
		}
	})
}
