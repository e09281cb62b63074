package report_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

// spoil returns a copy of a result in which every text is s. Unless words is
// true, those that choose between sentences stay: settings, and why it stopped.
func spoil(t testing.TB, r *blame.Result, s string, words bool) *blame.Result {
	t.Helper()
	out, err := report.ReadJSON(strings.NewReader(asJSON(t, r)))
	if err != nil {
		t.Fatal(err)
	}
	settings, stopped := out.Settings, out.Summary.Stopped
	fill(reflect.ValueOf(out), s)
	if !words {
		estimand := out.Settings.Estimand
		out.Settings, out.Summary.Stopped = settings, stopped
		out.Settings.Estimand = estimand
	}
	return out
}

// fill sets all strings in v that can be set.
func fill(v reflect.Value, s string) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString(s)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			fill(v.Elem(), s)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), s)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), s)
		}
	}
}
