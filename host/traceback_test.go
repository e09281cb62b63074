package host

import (
	"strconv"
	"strings"
	"testing"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/google/go-cmp/cmp"
)

func TestTraceback(t *testing.T) {
	long := strings.Repeat("  a line of it\n", 400)
	tests := []struct{ name, text, want string }{
		{"none", "", ""},
		{"short", "Traceback:\n  File \"app.py\", line 3\nE: no\n\n", "Traceback:\n  File \"app.py\", line 3\nE: no"},
		{"paths of a machine", `File "/home/ada/work/shop/src/app/steps.py", line 3, in a`, `File "…/src/app/steps.py", line 3, in a`},
		{"node", "at f (file:///home/ada/work/shop/dist/app.js:3:4)", "at f (file://…/shop/dist/app.js:3:4)"},
		{"no paths", "see https://example.com/a/b/c/d and a/b/c/d/e and 1/2", "see https://example.com/a/b/c/d and a/b/c/d/e and 1/2"},
		{"long", long + "E: no", "…\n" + long[len(long)-15*272:] + "E: no"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var e *Error
			text := strconv.Quote(test.text)
			if err := parseError([]byte(`{"code":1,"message":"no","data":{"traceback":` + text + `}}`)); err != nil {
				e = err.(*Error)
			}
			got := e.Traceback()
			if d := cmp.Diff(test.want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if len(got) > longestTraceback+len("…\n") {
				t.Errorf("it has %d bytes", len(got))
			}
		})
	}
}

// Equal errors are one value, whatever their tracebacks, and of those the same one
// is kept in whatever order they come.
func TestTracebackOfValues(t *testing.T) {
	for _, order := range [][]string{{"a", "b"}, {"b", "a"}} {
		var values pipeline.Values
		first := values.InternError(&Error{Message: "no", traceback: order[0]})
		second := values.InternError(pipeline.Transient(&Error{Message: "no", traceback: order[1]}))
		if first != second {
			t.Error("two values")
		}
		if got := values.Traceback("no"); got != "a" {
			t.Errorf("the traceback is %q", got)
		}
		values.Reset()
		if got := values.Traceback("no"); got != "" {
			t.Errorf("after Reset the traceback is %q", got)
		}
	}
}
