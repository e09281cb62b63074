//go:build unix

package host

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
)

// lines collects what a host's log says.
type lines struct {
	mu   sync.Mutex
	text []string
}

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, line)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.text, "\n")
}

// start opens a fake host.
func start(t testing.TB, mode string, change ...func(*Options)) (*Host, *lines, error) {
	t.Helper()
	t.Setenv("HOST_TEST_MODE", mode)
	log := &lines{}
	o := Options{Name: "py", Command: []string{os.Args[0]}, StartTimeout: 20 * time.Second, Log: log.add}
	for _, c := range change {
		c(&o)
	}
	h, err := Open(t.Context(), o)
	if err == nil {
		t.Cleanup(h.Close)
	}
	return h, log, err
}

func open(t testing.TB, mode string, change ...func(*Options)) (*Host, *lines) {
	t.Helper()
	h, log, err := start(t, mode, change...)
	if err != nil {
		t.Fatal(err)
	}
	return h, log
}

// runStep runs a step of a host by itself.
func runStep(t testing.TB, h *Host, step, q string) (string, error) {
	t.Helper()
	impl, err := h.Impl(step, "", Impl{})
	if err != nil {
		t.Fatal(err)
	}
	var values pipeline.Values
	in, err := values.Intern(q)
	if err != nil {
		t.Fatal(err)
	}
	name := map[string]string{"a": "q", "b": "a"}[step]
	out, err := impl.Run(t.Context(), pipeline.NewArgs(&pipeline.Case{ID: "c"}, []string{name}, []*pipeline.Value{in}))
	if err != nil {
		return "", err
	}
	v, err := values.Intern(out)
	if err != nil {
		return "", err
	}
	return v.JSON(), nil
}

// analyse runs cases on a host's pipeline.
func analyse(t testing.TB, h *Host, cases []pipeline.Case, o blame.Options) *blame.Result {
	t.Helper()
	p, err := h.Pipeline()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := blame.Batch(ctx, p, cases, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestStartFailures(t *testing.T) {
	for _, test := range []struct{ mode, want string }{
		{"noStart", "host py ended with exit status 1 before it said what steps it has:\n  Traceback (most recent call last):\n    File \"app.py\", line 1\n  \\x1b[31mModuleNotFoundError\\x1b[0m: No module named 'x'"},
		{"early", "host py ended with exit status 0 before it said what steps it has\n  To mend that, end the program with serve(…); in Python, python -m agentblame module:pipeline does without"},
		{"hello", "host py wrote a line that isn't a message (invalid character 'H' at start of value): Hello, loading … (logs belong on standard error)"},
		{"mute", "host py didn't say within 300ms what steps it has (start_timeout)"},
		{"protocol2", "host py: it speaks version 2 of the step protocol, and this agentblame version 1: upgrade agentblame"},
		{"protocol0", "host py: it speaks version 0 of the step protocol, and this agentblame version 1: upgrade the host's SDK"},
		{"protocolNone", `host py: its manifest has no "protocol": is it a host of the step protocol?`},
		{"kind", `host py: its manifest is wrong: the kind is "tree"; it is graph, program or steps`},
		{"types", `host py: its manifest can't be read: at "/steps/0/needs": there is string where there must be a list`},
		{"initError", "host py couldn't say what steps it has: two steps are named a:\n  File app.py\n    line 3"},
	} {
		t.Run(test.mode, func(t *testing.T) {
			_, _, err := start(t, test.mode, func(o *Options) {
				if test.mode == "mute" {
					o.StartTimeout = 300 * time.Millisecond
				}
			})
			if err == nil || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
	if _, err := Open(t.Context(), Options{Name: "py", Command: []string{"no-such-program-here"}}); err == nil || err.Error() != `host py: the program "no-such-program-here" is not in PATH` {
		t.Error(err)
	}
	if _, err := Open(t.Context(), Options{FD: 77}); err == nil || err.Error() != "the file descriptor 77 isn't a socket that this program was started with" {
		t.Error(err)
	}
}

// What a host does wrong is a clear error, and never a number.
func TestHostileHosts(t *testing.T) {
	const fault, failure, transient = "fault", "failure", "transient"
	for _, test := range []struct{ mode, kind, want string }{
		{"garbage", fault, `host py wrote a line that isn't a message (invalid character '\x1b' at start of value): \x1b[31mloading weights\x1b[0m (logs belong on standard error)`},
		{"half", failure, `the process of host py ended with exit status 0, twice`},
		{"notUTF8", fault, `host py wrote a line that isn't a message (invalid UTF-8): {"jsonrpc":"2.0","id":1,"result":{"output":"\xff"}} (logs belong on standard error)`},
		{"nameTwice", fault, `host py wrote a line that isn't a message (the name "id" is given twice in one object): {"jsonrpc":"2.0","id":1,"id":2,"result":null} (logs belong on standard error)`},
		{"noVersion", fault, `host py wrote a line that isn't a message (there is no "jsonrpc":"2.0" in it): {"id":1,"result":null} (logs belong on standard error)`},
		{"array", fault, `host py wrote a line that isn't a message (it must be an object): [1,2] (logs belong on standard error)`},
		{"both", fault, `host py wrote a line that isn't a message (a reply has either "result" or "error"): {"jsonrpc":"2.0","id":2,"result":1,"error":{}} (logs belong on standard error)`},
		{"neither", fault, `host py wrote a line that isn't a message (a reply has either "result" or "error"): {"jsonrpc":"2.0","id":2} (logs belong on standard error)`},
		{"more", fault, `host py wrote a line that isn't a message (there is something after the message): {"jsonrpc":"2.0","id":2,"result":{"output":1}} {"a":1} (logs belong on standard error)`},
		{"deep", fault, `host py wrote a line that isn't a message (exceeded max depth): {"jsonrpc":"2.0","id":2,"result":{"output":` + strings.Repeat("[", 57) + `… (logs belong on standard error)`},
		{"long", failure, "host py answered more than 16777216 bytes (max_output)"},
		{"longNoID", fault, "host py wrote a line of more than 16777216 bytes (max_output): " + strings.Repeat("x", 100) + "…"},
		{"wrongID", fault, "host py answered the request 999999, which was never asked"},
		{"textID", fault, `host py answered the request "2", which was never asked`},
		{"never", transient, "host py timed out after 100ms"},
		{"closing", failure, "the process of host py closed its standard output, twice"},
		{"dying", failure, "the process of host py ended with exit status 3: out of luck, twice"},
		{"badCost", fault, "host py gave a wrong result of step a: the cost is -1"},
		{"badDraws", fault, `host py gave a wrong result of step a: draw "k": impossible: true with probability of true 0`},
		{"keyTwice", failure, `noise: key "k": used twice in one step run: both draws would be the same noise`},
		{"noOutput", fault, `host py gave a wrong result of step a: there is no "output" in it`},
		{"code", fault, "host py answered with error 77: beyond the pale"},
		{"noCode", fault, `host py: an error that can't be read: "oh no"`},
		{"nothing", fault, "host py gave a wrong result of step a: it must be an object"},
		{"gold", "gold", "case c has no gold for a"},
		{"misuse", fault, "host py: step b was called from inside step a"},
		{"failing", failure, "no policy\x1b[31m matches"},
		{"transient", transient, "slow down"},
		{"badCall", fault, `host py made a call in the run "7", which was never started`},
		{"otherCall", "ok", ""},
	} {
		t.Run(test.mode, func(t *testing.T) {
			t.Parallel()
			h, _, err := startParallel(t, test.mode)
			if err != nil {
				t.Fatal(err)
			}
			out, err := runStep(t, h, "a", "x")
			kind, got := "ok", ""
			if err != nil {
				kind, got = kindOf(err), err.Error()
			}
			if kind != test.kind || got != test.want {
				t.Errorf("got  %s %s %s\nwant %s %s", kind, got, out, test.kind, test.want)
			}
			if (h.Err() != nil) != (kind == fault) {
				t.Errorf("after a %s the host's error is %v", kind, h.Err())
			}
			if again, err := runStep(t, h, "b", "x"); kind == fault && err == nil {
				t.Errorf("the host goes on with %s", again)
			}
		})
	}
}
