package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// cmdServe starts a service for http steps and puts its address into $SERVER.
// It appends the path of each request to served.log. serve TOKEN: the token that
// /authorized expects.
func cmdServe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve token")
	}
	s := &service{token: args[0], log: ts.MkAbs("served.log")}
	server := httptest.NewServer(s)
	ts.Defer(server.Close)
	ts.Setenv("SERVER", server.URL)
}

// service answers http steps, well and badly.
type service struct {
	token, log string

	mu    sync.Mutex
	flaky int // requests for /flaky
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	first := s.note(r.URL.Path)
	token := r.Header.Get("Authorization")
	switch r.URL.Path {
	case "/inputs": // the question's inputs
		var q struct {
			Inputs json.RawMessage `json:"inputs"`
		}
		json.Unmarshal(body, &q)
		w.Write(q.Inputs)
	case "/authorized": // whether the token is right
		fmt.Fprint(w, token == "Bearer "+s.token)
	case "/flaky": // comes to its senses
		if first {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, `"ok"`)
	case "/hang":
		<-r.Context().Done()
	case "/refuse": // quotes the request
		http.Error(w, "wrong token "+token+" for "+r.URL.String(), http.StatusForbidden)
	case "/garbage":
		fmt.Fprint(w, "hello "+token+" {")
	case "/redirect":
		http.Redirect(w, r, "/inputs?token="+token, http.StatusFound)
	case "/cut": // the connection ends in the middle
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, token)
	default:
		http.NotFound(w, r)
	}
}

// note logs a request and says whether it is the first for /flaky.
func (s *service) note(path string) (first bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, err := os.OpenFile(s.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666); err == nil {
		fmt.Fprintln(f, path)
		f.Close()
	}
	if path == "/flaky" {
		s.flaky++
	}
	return s.flaky == 1
}
