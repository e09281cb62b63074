//go:build unix

package host

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

// FuzzParse: a line is a message or an error, whatever it holds.
func FuzzParse(f *testing.F) {
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":7,"result":{"output":{"id":"x"},"draws":[]}}`,
		`{"jsonrpc":"2.0","id":"a","method":"step/call","params":{"run":"1","step":"s","inputs":{},"aside":true}}`,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`,
		`{"jsonrpc":"2.0","method":"$/log","params":{"level":"info","message":"\u001b[31m"}}`,
		`{"jsonrpc":"2.0","id":1,"id":2,"result":null}`,
		`{"jsonrpc":"2.0","id":1e400,"result":NaN}`, "[]", "null", "{", `{"a":`, "\xff", `{"\ud800":1}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		var r lineReader
		m, err := r.parse(line)
		if err != nil {
			return
		}
		if (m.method == "") == (m.result == nil && m.err == nil) {
			t.Errorf("neither a request nor a reply: %q", line)
		}
		if m.err != nil {
			var e *Error
			if !errors.As(parseError(m.err), &e) || e.Message == "" {
				t.Errorf("an error without a message: %q", line)
			}
		}
		if m.params != nil {
			parseCall(m.params)
		}
		if id, ok := m.requestID(); ok && m.method == "" {
			if found, ok := idInPrefix(line); ok && found != id {
				t.Errorf("the id of %q is %d, and in the prefix %d", line, id, found)
			}
		}
		// The reader can be used again after whatever it has read.
		if _, err := r.parse([]byte(`{"jsonrpc":"2.0","id":1,"result":0}`)); err != nil {
			t.Errorf("after %q: %v", line, err)
		}
	})
}

// pipeEnd is a stream of which only reading matters.
type pipeEnd struct{ io.Reader }

func (pipeEnd) Write(p []byte) (int, error) { return len(p), nil }
func (pipeEnd) Close() error                { return nil }

// FuzzStream: whatever a host writes, its connection comes to an end with a
// reason, and every request has one answer.
func FuzzStream(f *testing.F) {
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":{"output":1}}`+"\n"), 64)
	f.Add([]byte(`{"jsonrpc":"2.0","id":2,"result":"`+strings.Repeat("x", 200)+`"}`+"\n\n"), 64)
	f.Add([]byte(`{"jsonrpc":"2.0","id":1,"result":1}`+"\n"+`{"jsonrpc":"2.0","id":1,"result":1}`+"\n"), 64)
	f.Add(bytes.Repeat([]byte("x"), 70_000), 64)
	f.Fuzz(func(t *testing.T, stream []byte, limit int) {
		c := newConn("the host", pipeEnd{bytes.NewReader(stream)}, max(1, limit%1000))
		c.asked = func(message) error { return nil }
		c.leaving = func(error) {}
		ended := make(chan error, 1)
		c.gone = func(why error) { ended <- why }
		var open []*waiting
		for range 3 {
			_, w, err := c.ask([]byte("\"method\":\"m\"}\n"))
			if err != nil {
				t.Fatal(err)
			}
			open = append(open, w)
		}
		go c.run()
		select {
		case why := <-ended:
			if why == nil {
				t.Error("it ended without a reason")
			}
		case <-time.After(10 * time.Second):
			t.Fatal("it doesn't end")
		}
		for i, w := range open {
			if len(w.done) != 1 {
				t.Errorf("request %d has %d answers", i+1, len(w.done))
			}
		}
	})
}

// FuzzManifest: a manifest is read, or the error says something.
func FuzzManifest(f *testing.F) {
	f.Add([]byte(strings.NewReplacer("TIMEOUT", "100", "RETRIES", "0").Replace(fakeManifest)))
	f.Add([]byte(`{"protocol":1,"kind":"program","inputs":[{"name":"q","variants":[{"name":"v"}]}],"steps":[{"name":"a"}],"score":{}}`))
	f.Add([]byte(`{"protocol":1.5}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := parseManifest(text)
		if err != nil {
			if err.Error() == "" {
				t.Error("an error that says nothing")
			}
			return
		}
		h := &Host{who: "the host", manifest: m}
		if p, err := h.Pipeline(); err == nil {
			p.Check()
		}
	})
}
