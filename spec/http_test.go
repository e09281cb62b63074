package spec

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// service answers by path.
func service(t testing.TB) *httptest.Server {
	mux := http.NewServeMux()
	answer := func(path string, status int, body string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			io.WriteString(w, body)
		})
	}
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(http.StatusBadRequest)
		}
		io.Copy(w, r.Body)
	})
	mux.HandleFunc("/key", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer tops3cret" || r.URL.Query().Get("k") != "tops3cret" || r.Host != "elsewhere" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, "the key "+r.Header.Get("Authorization")+" is wrong\x1b[31m\n")
	})
	mux.HandleFunc("/hang", func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	mux.HandleFunc("/flood", func(w http.ResponseWriter, r *http.Request) {
		chunk := []byte(strings.Repeat("1", 1<<20))
		for {
			if _, err := w.Write(chunk); err != nil {
				return
			}
		}
	})
	mux.HandleFunc("/cut", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, `{"a": 1`)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/echo", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/slow-down", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "20")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	answer("/nothing", 204, "")
	answer("/blank", 200, " \n")
	answer("/html", 200, "<html>oh</html>")
	answer("/nan", 200, `{"a": NaN}`)
	answer("/error", 500, `{"error": "no such index"}`)
	answer("/many", 429, "")
	answer("/bad-gateway", 502, "")
	answer("/unavailable", 503, "later")
	answer("/gateway", 504, "")
	answer("/five", 200, "12345")
	answer("/six", 200, "123456")
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func TestHTTP(t *testing.T) {
	s := service(t)
	t.Setenv("SPEC_TEST_KEY", "tops3cret")
	t.Setenv("SPEC_TEST_URL", s.URL)
	tests := []struct{ name, run, options, want, err, kind string }{
		{name: "the question", run: `"URL/echo"`, want: `{"inputs":{"q":"hi"},"noise":{"iteration":"1","seed":7,"step":"a","world":2}}`},
		{name: "a mapping", run: `{url: "URL/echo"}`, options: "deterministic: true", want: `{"inputs":{"q":"hi"}}`},
		{name: "an address from the environment", run: `"${SPEC_TEST_URL}/five"`, want: "12345"},
		{name: "nothing", run: `"URL/nothing"`, err: "POST URL/nothing answered nothing", kind: "error"},
		{name: "blank", run: `"URL/blank"`, err: "POST URL/blank answered nothing", kind: "error"},
		{name: "HTML", run: `"URL/html"`, err: "POST URL/html answered what isn't JSON (invalid character '<' at start of value): <html>oh</html>", kind: "error"},
		{name: "NaN", run: `"URL/nan"`, err: `POST URL/nan answered what isn't JSON (JSON has no NaN): {"a": NaN}`, kind: "error"},
		{name: "500", run: `"URL/error"`, err: `POST URL/error answered 500 Internal Server Error: {"error": "no such index"}`, kind: "error"},
		{name: "404", run: `"URL/none"`, err: `POST URL/none answered 404 Not Found: 404 page not found`, kind: "error"},
		{name: "429", run: `"URL/many"`, err: `POST URL/many answered 429 Too Many Requests`, kind: "transient"},
		{name: "502", run: `"URL/bad-gateway"`, err: `POST URL/bad-gateway answered 502 Bad Gateway`, kind: "transient"},
		{name: "503", run: `"URL/unavailable"`, err: `POST URL/unavailable answered 503 Service Unavailable: later`, kind: "transient"},
		{name: "504", run: `"URL/gateway"`, err: `POST URL/gateway answered 504 Gateway Timeout`, kind: "transient"},
		{name: "a redirect", run: `"URL/moved"`, err: `POST URL/moved answered 307 Temporary Redirect (redirects aren't followed)`, kind: "error"},
		{name: "without end", run: `"URL/flood"`, err: `POST URL/flood answered more than 16777216 bytes (max_output)`, kind: "error"},
		{name: "the limit", run: `"URL/five"`, options: "max_output: 5", want: "12345"},
		{name: "above the limit", run: `"URL/six"`, options: "max_output: 5", err: `POST URL/six answered more than 5 bytes (max_output)`, kind: "error"},
		{name: "cut short", run: `"URL/cut"`, err: `POST URL/cut: unexpected EOF`, kind: "transient"},
		{name: "nobody there", run: `"http://127.0.0.1:1/"`, err: `POST http://127.0.0.1:1/: dial tcp 127.0.0.1:1: connect: connection refused`, kind: "transient"},
		{name: "keys", run: `{url: "${SPEC_TEST_URL}/key?k=${SPEC_TEST_KEY}", headers: {Authorization: "Bearer ${SPEC_TEST_KEY}", Host: elsewhere}}`,
			err: `POST ${SPEC_TEST_URL}/key?k=${SPEC_TEST_KEY} answered 401 Unauthorized: the key Bearer ${SPEC_TEST_KEY} is wrong\x1b[31m`, kind: "error"},
		{name: "no key", run: `{url: "URL/echo", headers: {Authorization: "Bearer ${SPEC_TEST_NO_KEY}"}}`,
			err: `line 5 of the pipeline's file: header Authorization: the environment variable SPEC_TEST_NO_KEY isn't set`, kind: "fault"},
		{name: "no address", run: `"${SPEC_TEST_KEY}/echo"`, err: `line 5 of the pipeline's file: http: "${SPEC_TEST_KEY}/echo" must begin with http:// or https://`, kind: "fault"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := declare(t, `inputs: [q]
steps:
  a:
    needs: [q]
    run: {http: `+strings.ReplaceAll(test.run, "URL/", s.URL+"/")+`}
    `+test.options+`
score: {equals: expected}`)
			got, err := runStep(t, t.Context(), f, "a", "", newCase(`{}`, ""), map[string]any{"q": "hi"})
			message := ""
			if err != nil {
				message = strings.NewReplacer(s.URL, "URL").Replace(err.Error())
			}
			if test.kind == "" {
				test.kind = "ok"
			}
			if diff := cmp.Diff([]string{test.want, test.err, test.kind}, []string{got, message, kindOf(err)}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestHTTPStops(t *testing.T) {
	s := service(t)
	for _, test := range []struct{ path, want string }{
		{"/hang", "POST URL/hang timed out after 1m0s"},
		// There is no time left to wait as long as the service asks for.
		{"/slow-down", "POST URL/slow-down answered 429 Too Many Requests"},
	} {
		t.Run(test.path, func(t *testing.T) {
			f := declare(t, "steps:\n  a: {run: {http: \""+s.URL+test.path+"\"}}\nscore: {equals: expected}\n")
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			_, err := runStep(t, ctx, f, "a", "", newCase(`{}`, ""), nil)
			if err == nil || strings.ReplaceAll(err.Error(), s.URL, "URL") != test.want || kindOf(err) != "transient" {
				t.Errorf("got the error %v (%s), want %s", err, kindOf(err), test.want)
			}
		})
	}
}

func TestSecretsAreHidden(t *testing.T) {
	s := secrets{"LONG": "abcdef-and-more", "SHORT": "abcdef", "TINY": "a"}
	if got, want := s.hide("x abcdef-and-more abcdef a"), "x ${LONG} ${SHORT} a"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
