//go:build unix

package host

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/outside"
	"github.com/google/go-cmp/cmp"
)

// serveHTTP answers POST with what a fake host answers, but for requests that
// before has dealt with.
func serveHTTP(t *testing.T, before func(http.ResponseWriter, rpc) bool) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m rpc
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if before != nil && before(w, m) {
			return
		}
		var out bytes.Buffer
		f := &fake{mode: "ok", out: &out}
		f.handle(m)
		w.Write(out.Bytes())
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func webHost(t *testing.T, before func(http.ResponseWriter, rpc) bool) *Host {
	t.Helper()
	h, err := Open(t.Context(), Options{Name: "web", URL: serveHTTP(t, before)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	return h
}

func TestHTTP(t *testing.T) {
	pipes, _ := open(t, "ok")
	want := text(t, analyse(t, pipes, failing(10), blame.Options{}))
	var busy atomic.Int32
	h := webHost(t, func(w http.ResponseWriter, m rpc) bool {
		if m.Method == "step/run" && busy.Add(1) == 7 {
			w.WriteHeader(http.StatusServiceUnavailable) // tried again
			return true
		}
		return false
	})
	p, err := h.Pipeline()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range p.Steps {
		for i := range s.Impls {
			s.Impls[i].Cost = 0 // each attempt counts
		}
	}
	r, err := blame.Batch(t.Context(), p, failing(10), blame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var a, b blame.Result
	if err := json.Unmarshal([]byte(want), &a); err != nil {
		t.Fatal(err)
	}
	b = *r
	for i := range a.Cases {
		if diff := cmp.Diff(fmt.Sprint(a.Cases[i].Shapley), fmt.Sprint(b.Cases[i].Shapley)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestHTTPFaults(t *testing.T) {
	for _, test := range []struct {
		name, kind, want string
		answer           func(w http.ResponseWriter)
	}{
		{"not JSON", "fault", "host web answered what isn't a message (invalid character '<' at start of value): <html>", func(w http.ResponseWriter) { io.WriteString(w, "<html>") }},
		{"nothing", "fault", "host web answered what isn't a message (it ends in the middle of a value): ", func(http.ResponseWriter) {}},
		{"another id", "fault", "host web answered another request than it was asked (id 2)", func(w http.ResponseWriter) { io.WriteString(w, `{"jsonrpc":"2.0","id":2,"result":{"output":1}}`) }},
		{"an error", "failure", "host web answered 500 Internal Server Error: oh no", func(w http.ResponseWriter) { http.Error(w, "oh no", 500) }},
		{"busy", "transient", "host web answered 429 Too Many Requests", func(w http.ResponseWriter) { w.Header().Set("Retry-After", "0"); w.WriteHeader(429) }},
		{"too long", "failure", "host web answered more than 16777216 bytes (max_output)", func(w http.ResponseWriter) { w.Write(bytes.Repeat([]byte(" "), 17<<20)) }},
		{"a failure", "failure", "no", func(w http.ResponseWriter) {
			io.WriteString(w, `{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"no"}}`)
		}},
		{"a redirect", "failure", "host web answered 302 Found", func(w http.ResponseWriter) { w.Header().Set("Location", "http://127.0.0.1/"); w.WriteHeader(302) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := webHost(t, func(w http.ResponseWriter, m rpc) bool {
				if m.Method != "step/run" {
					return false
				}
				test.answer(w)
				return true
			})
			_, err := runStep(t, h, "a", "x")
			if err == nil || kindOf(err) != test.kind || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s: %s", err, test.kind, test.want)
			}
		})
	}
	if _, err := Open(t.Context(), Options{URL: "ftp://x"}); err == nil || err.Error() != `the host: "ftp://x" must be an address that begins with http:// or https://` {
		t.Error(err)
	}
	gone := serveHTTP(t, nil)
	_, err := Open(t.Context(), Options{URL: gone + "0"}) // a port that there isn't
	if err == nil {
		t.Error("a service that isn't there answers")
	}
}

// TestHTTPProgram: over HTTP a program is run on the answers known so far, and
// the numbers are those of the program over pipes.
func TestHTTPProgram(t *testing.T) {
	want, err := blame.Batch(t.Context(), agent(), agentCases(6), blame.Options{Calls: true, NoStories: true})
	if err != nil {
		t.Fatal(err)
	}
	address := webAgent(t)
	h, err := Open(t.Context(), Options{Name: "web", URL: address})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	got := analyse(t, h, agentCases(6), blame.Options{Calls: true, NoStories: true})
	if diff := cmp.Diff(text(t, want), text(t, got)); diff != "" {
		t.Errorf("another result (-Go +HTTP):\n%s", diff)
	}
}

// webAgent serves testdata/program.py over HTTP.
func webAgent(t *testing.T) string {
	t.Helper()
	python(t, 1, "program.py") // skips without an interpreter
	cmd := exec.Command("python3", "-u", "program.py", "http")
	cmd.Dir = "testdata"
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	outside.Contain(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		outside.KillGroup(cmd)
		cmd.Wait()
	})
	line := make([]byte, 100)
	n, err := out.Read(line)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(line[:n]))
}

// A socket is a host that can't be started again.
func TestSocket(t *testing.T) {
	ours, theirs := net.Pipe()
	h := &Host{options: Options{MaxOutput: 1 << 20, StartTimeout: 10 * time.Second}, who: "the host", patience: time.Second, gone: make(chan struct{})}
	go func() {
		f := &fake{mode: "ok", out: theirs}
		dec := json.NewDecoder(theirs)
		for range 3 {
			var m rpc
			if dec.Decode(&m) == nil {
				f.handle(m)
			}
		}
		theirs.Close()
	}()
	p := newPool(h)
	p.dial = func() (io.ReadWriteCloser, error) { return ours, nil }
	if err := p.open(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.options.Workers = 1
	defer h.Close()
	for _, q := range []string{"x", "y"} {
		if out, err := runStep(t, h, "a", q); err != nil || out != `"a:`+q+`"` {
			t.Errorf("%s, %v", out, err)
		}
	}
	<-h.Gone()
	if _, err := runStep(t, h, "a", "z"); err == nil || err.Error() != "the host closed the connection" {
		t.Error(err)
	}
}

// Closing fails what is open, soon.
func TestCloseWhileRunning(t *testing.T) {
	h, _ := open(t, "deaf")
	var running sync.WaitGroup
	running.Go(func() {
		if out, err := runStep(t, h, "a", "x"); err == nil {
			t.Errorf("a step gave %s", out)
		}
	})
	time.Sleep(20 * time.Millisecond)
	h.Close()
	running.Wait()
	if _, err := runStep(t, h, "b", "x"); err == nil || err.Error() != "host py was closed" {
		t.Error(err)
	}
}
