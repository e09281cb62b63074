package report_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/report"
)

const schemaFile = "../docs/result.schema.json"

func TestSchemaHoldsForRealResults(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range realResults(t) {
		if err := schema.Validate(decoded(t, r)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := results().Draw(t, "result")
		for i := range r.Cases {
			for k := range r.Cases[i].Errors {
				r.Cases[i].Errors[k].Coalition = append([]string{}, r.Cases[i].Errors[k].Coalition...)
			}
		}
		r.Steps, r.Pipeline.Steps, r.Cases = notNil(r.Steps), notNil(r.Pipeline.Steps), notNil(r.Cases)
		if err := schema.Validate(decoded(t, r)); err != nil {
			t.Fatal(err)
		}
	})
}

func notNil[T any](s []T) []T { return append([]T{}, s...) }

func realResults(t *testing.T) map[string]*blame.Result {
	return map[string]*blame.Result{
		"refund":      refund(t, blame.Options{}),
		"calls":       batch(t, exam(usual), mixed(), blame.Options{Calls: true}),
		"mixed":       batch(t, exam(usual), mixed(), blame.Options{Pass: 0.5, Seed: 7}),
		"budget":      batch(t, exam(usual), mixed(), blame.Options{Budget: 40}),
		"interrupted": interrupted(t),
		"no cases":    batch(t, exam(usual), nil, blame.Options{}),
	}
}

func decoded(t interface{ Fatal(...any) }, r *blame.Result) any {
	var b bytes.Buffer
	if err := report.JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSchemaRejects(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		change func(r map[string]any)
	}{
		{"another version", func(r map[string]any) { r["schema"] = "agentblame.result/v2" }},
		{"a missing field", func(r map[string]any) { delete(r, "summary") }},
		{"a missing field deep down", func(r map[string]any) { delete(r["cases"].([]any)[0].(map[string]any), "id") }},
		{"a list of cases that is null", func(r map[string]any) { r["cases"] = nil }},
		{"a count that is none", func(r map[string]any) { r["summary"].(map[string]any)["cases"] = 1.5 }},
		{"a value that is no number", func(r map[string]any) {
			r["cases"].([]any)[0].(map[string]any)["shapley"].(map[string]any)["planner"] = "5/12"
		}},
		{"a score above 1", func(r map[string]any) { r["cases"].([]any)[0].(map[string]any)["score"] = 2 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := decoded(t, refund(t, blame.Options{})).(map[string]any)
			if err := schema.Validate(r); err != nil {
				t.Fatalf("before the change: %v", err)
			}
			tt.change(r)
			if schema.Validate(r) == nil {
				t.Error("the schema takes it")
			}
		})
	}
}

// The schema and the Go types have the same fields, of the same types, and the
// same of them may be absent.
func TestSchemaHasEveryField(t *testing.T) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	w := schemaWalk{t, root["$defs"].(map[string]any), map[string]bool{}}
	w.check("result", reflect.TypeFor[blame.Result](), root)
	for name := range w.defs {
		if !w.used[name] {
			t.Errorf("definition %s describes nothing in a result", name)
		}
	}
}

type schemaWalk struct {
	t    *testing.T
	defs map[string]any
	used map[string]bool
}

func (w *schemaWalk) check(path string, typ reflect.Type, node map[string]any) {
	if ref, ok := node["$ref"].(string); ok {
		name := strings.TrimPrefix(ref, "#/$defs/")
		def, found := w.defs[name].(map[string]any)
		if !found {
			w.t.Errorf("%s: there is no definition %s", path, name)
			return
		}
		w.used[name] = true
		node = def
	}
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	switch typ {
	case reflect.TypeFor[json.RawMessage](): // anything
		if node["type"] != nil {
			w.t.Errorf("%s: any JSON may stand there", path)
		}
		return
	case reflect.TypeFor[noise.Draw](): // docs/cases.schema.json describes draws
		if node["type"] != "object" {
			w.t.Errorf("%s: a draw is an object", path)
		}
		return
	}
	want := ""
	switch typ.Kind() {
	case reflect.Map:
		want = "object"
		w.inner(path+".*", typ.Elem(), node, "additionalProperties")
	case reflect.String:
		want = "string"
	case reflect.Bool:
		want = "boolean"
	case reflect.Float64:
		want = "number"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		want = "integer"
	case reflect.Struct:
		want = "object"
		w.fields(path, typ, node)
	case reflect.Slice, reflect.Array:
		want = "array"
		if strings.HasPrefix(typ.Name(), "ByPlayer[") {
			want = "object"
			value, _ := typ.Elem().FieldByName("Value")
			w.inner(path+".*", value.Type, node, "additionalProperties")
		} else {
			w.inner(path+"[]", typ.Elem(), node, "items")
		}
	default:
		w.t.Errorf("%s: this test doesn't know %v", path, typ)
	}
	if node["type"] != want {
		w.t.Errorf("%s: the type is %v, and %v wants %q", path, node["type"], typ, want)
	}
}

func (w *schemaWalk) inner(path string, typ reflect.Type, node map[string]any, key string) {
	items, ok := node[key].(map[string]any)
	if !ok {
		w.t.Errorf("%s: no %s", path, key)
		return
	}
	w.check(path, typ, items)
}

func (w *schemaWalk) fields(path string, typ reflect.Type, node map[string]any) {
	properties, _ := node["properties"].(map[string]any)
	var names, required []string
	for _, f := range reflect.VisibleFields(typ) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" || !f.IsExported() {
			continue // the fields of an embedded struct come by themselves
		}
		names = append(names, name)
		if !strings.Contains(options, "omit") {
			required = append(required, name)
		}
		if p, ok := properties[name].(map[string]any); ok {
			w.check(path+"."+name, f.Type, p)
		}
	}
	slices.Sort(names)
	if diff := cmp.Diff(names, slices.Sorted(maps.Keys(properties))); diff != "" {
		w.t.Errorf("%s: properties (-Go +schema):\n%s", path, diff)
	}
	var have []string
	list, _ := node["required"].([]any)
	for _, v := range list {
		have = append(have, v.(string))
	}
	slices.Sort(required)
	slices.Sort(have)
	if diff := cmp.Diff(required, have); diff != "" {
		w.t.Errorf("%s: required (-Go +schema):\n%s", path, diff)
	}
}
