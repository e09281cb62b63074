package report_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

// The example in docs/formats.md is what the analysis of the refund demo gives,
// without what it says it leaves out.
func TestFormatsExampleIsReal(t *testing.T) {
	text, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```json\n(.*?)```").FindSubmatch(text)
	if block == nil {
		t.Fatal("there is no example")
	}
	r, err := report.ReadJSON(strings.NewReader(string(block[1])))
	if err != nil {
		t.Fatal(err)
	}
	want := refund(t, blame.Options{})
	want.Interactions, want.Cases[0].Interactions, want.Cases[0].Effects, want.Cases[0].Responsibility = nil, nil, nil, nil
	want.Cases[0].Story, want.Values, want.Summary.Stories = nil, nil, 0
	for i := range want.Steps {
		want.Steps[i].Necessity, want.Steps[i].Responsibility = nil, nil
	}
	if diff := cmp.Diff(want, r, exported); diff != "" {
		t.Errorf("the example is not what the demo gives (-demo +example):\n%s", diff)
	}
}

// Every field of a result is explained in docs/formats.md.
func TestFormatsNamesEveryField(t *testing.T) {
	text, err := os.ReadFile("../docs/formats.md")
	if err != nil {
		t.Fatal(err)
	}
	explained := map[string]bool{}
	for _, m := range regexp.MustCompile("`(?:[a-z_]+(?:\\[\\])?\\.)?([a-z_]+)`").FindAllStringSubmatch(string(text), -1) {
		explained[m[1]] = true
	}
	seen := map[reflect.Type]bool{}
	var walk func(typ reflect.Type)
	walk = func(typ reflect.Type) {
		switch typ.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			if strings.HasPrefix(typ.Name(), "ByPlayer[") {
				value, _ := typ.Elem().FieldByName("Value")
				walk(value.Type)
				return
			}
			walk(typ.Elem())
		case reflect.Struct:
			if seen[typ] {
				return
			}
			seen[typ] = true
			for _, f := range reflect.VisibleFields(typ) {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if !f.IsExported() || name == "" {
					continue
				}
				if !explained[name] {
					t.Errorf("%v: field %s isn't explained", typ, name)
				}
				walk(f.Type)
			}
		}
	}
	walk(reflect.TypeFor[blame.Result]())
}
