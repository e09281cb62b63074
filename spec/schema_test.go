package spec

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	fileSchema  = "../docs/agentblame.schema.json"
	casesSchema = "../docs/cases.schema.json"
)

func schema(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// instance reads a YAML text for validation.
func instance(t *testing.T, text []byte) any {
	t.Helper()
	r := &reader{faults: faults{file: "x.yaml"}}
	doc := r.document(text)
	if doc == nil {
		t.Fatal(r.err())
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(r.json(doc, "the file")))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// What the loader accepts, the schema accepts.
func TestSchemaAcceptsFiles(t *testing.T) {
	s := schema(t, fileSchema)
	var paths []string
	for _, pattern := range []string{"testdata/*.yaml", "testdata/hosts/*.yaml", "../examples/*/agentblame.yaml", "../demo/*/agentblame.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if len(paths) < 3 {
		t.Fatalf("there are only %v", paths)
	}
	for _, path := range paths {
		t.Run(path, func(t *testing.T) {
			if _, err := Load(path); err != nil {
				t.Error(err)
			}
			if err := s.Validate(instance(t, read(t, path))); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSchemaAcceptsCases(t *testing.T) {
	s := schema(t, casesSchema)
	for _, line := range []string{
		`{"inputs": {"q": 1}}`,
		`[{"inputs": {"q": 1}, "expected": null}]`,
		`{"id": 3, "inputs": {}, "expected": [1], "seed": 0, "gold": {"a": null}, "recording": {"a": {"output": null}, "b#2": {"error": "x", "inputs": {}}}, "tags": {"a": 1, "b": true, "c": "d"}}`,
	} {
		if err := s.Validate(instance(t, []byte(line))); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	for _, line := range []string{
		`[]`, `3`, `{"input": {}}`, `{"seed": -1}`, `{"seed": 9007199254740992}`, `{"id": []}`, `{"inputs": []}`,
		`{"recording": {"a": {}}}`, `{"recording": {"a": {"output": 1, "error": "x"}}}`, `{"recording": {"a": 3}}`, `{"tags": {"a": []}}`,
	} {
		if s.Validate(instance(t, []byte(line))) == nil {
			t.Errorf("%s is accepted", line)
		}
	}
}

// What the schema rejects here, the loader rejects too.
func TestSchemaRejects(t *testing.T) {
	s := schema(t, fileSchema)
	const steps, score = "steps: {a: {run: {value: 1}}}\n", "score: {equals: expected}\n"
	for _, text := range []string{
		steps, score, steps + "score: {}\n", steps + "score: {equals: expected, contains: expected}\n", steps + score + "nam: x\n",
		"steps: {}\n" + score, "steps: {a: {}}\n" + score, "steps: {a: {run: {}}}\n" + score, "steps: {a: {run: {exec: [x], value: 1}}}\n" + score,
		"steps: {a: {run: {gold: false}}}\n" + score, "steps: {a: {run: {exec: []}}}\n" + score, "steps: {case: {run: {value: 1}}}\n" + score,
		"steps: {a: {run: {http: localhost}}}\n" + score, "steps: {a: {run: {http: {headers: {}}}}}\n" + score, "steps: {a: {run: {value: 1}, cost: -1}}\n" + score,
		"steps: {a: {run: {value: 1}, timeout: soon}}\n" + score, "steps: {a: {run: {value: 1}, variants: {x: {}}}}\n" + score,
		steps + "score: {equals: {values: 1}}\n", steps + score + "blame: {mode: x}\n", steps + score + "pass: 0\n", steps + score + "inputs: [{q: {x: 1}}]\n",
		steps + score + "cases: [{input: {}}]\n", steps + score + "hosts: {py: {}}\n", steps + score + "hosts: {py: {command: x, url: \"http://y\"}}\n",
		steps + score + "hosts: {py: {command: x, workers: 0}}\n", "steps: {a: {run: {value: 1, function: x}}}\n" + score,
	} {
		if s.Validate(instance(t, []byte(text))) == nil {
			t.Errorf("the schema accepts\n%s", text)
		}
		if _, err := load("x.yaml", []byte(text)); err == nil {
			t.Errorf("the loader accepts\n%s", text)
		}
	}
}

// properties returns the properties of a schema's definition.
func properties(t *testing.T, file, definition string) map[string]any {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(read(t, file), &doc); err != nil {
		t.Fatal(err)
	}
	if definition != "" {
		doc = doc["$defs"].(map[string]any)[definition].(map[string]any)
	}
	if p, ok := doc["properties"].(map[string]any); ok {
		return p
	}
	for _, form := range doc["oneOf"].([]any) { // the form that is an object
		if p, ok := form.(map[string]any)["properties"].(map[string]any); ok {
			return p
		}
	}
	t.Fatalf("%s has no properties", definition)
	return nil
}

// The loader and the schemas know the same keys.
func TestSchemaKeys(t *testing.T) {
	for definition, where := range map[string]place{
		"": inFile, "input": inInput, "step": inStep, "run": inRun, "variant": inVariant, "request": inHTTP, "host": inHost,
		"score": inScore, "literal": inLiteral, "blame": inBlame, "case": inCase, "recorded": inRecording,
	} {
		want := slices.Sorted(slices.Values(where.keys()))
		got := slices.Sorted(maps.Keys(properties(t, fileSchema, definition)))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-loader +schema)\n%s", definition, diff)
		}
	}
	for _, definition := range []string{"case", "recorded"} {
		if diff := cmp.Diff(properties(t, fileSchema, definition), properties(t, casesSchema, definition)); diff != "" {
			t.Errorf("%s in the two schemas (-declaration +cases)\n%s", definition, diff)
		}
	}
}

// testdata/full.yaml has every key that there is, but for those of which there
// can be only one.
func TestFullHasEveryKey(t *testing.T) {
	text := string(read(t, "testdata/full.yaml")) + string(read(t, "testdata/hosts/agentblame.yaml"))
	for where := inFile; where <= inRecording; where++ {
		for _, key := range where.keys() {
			if where == inScore && slices.Contains(append(metrics(), "ignore_case", "trim", "needs"), key) || where == inLiteral {
				continue
			}
			if !strings.Contains(text, key+": ") && !strings.Contains(text, key+":\n") {
				t.Errorf("it has no %s", key)
			}
		}
	}
}

// The loader and the schema know the same words.
func TestSchemaWords(t *testing.T) {
	for key, p := range properties(t, fileSchema, "blame") {
		words, ok := p.(map[string]any)["enum"].([]any)
		if !ok {
			continue
		}
		_, err := load("x.yaml", []byte("steps: {a: {run: {value: 1}}}\nscore: {equals: expected}\nblame: {"+key+": bogus}\n"))
		if err == nil {
			t.Errorf("any %s is accepted", key)
			continue
		}
		_, list, _ := strings.Cut(err.Error(), "(there are: ")
		var want []any
		for word := range strings.SplitSeq(strings.TrimSuffix(list, ")"), ", ") {
			want = append(want, word)
		}
		if diff := cmp.Diff(want, words); diff != "" {
			t.Errorf("%s (-loader +schema)\n%s", key, diff)
		}
	}
}
