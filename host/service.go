package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// service is a host that is up and answers to POST.
type service struct {
	host   *Host
	client *http.Client
	places chan struct{} // requests at once
	begin  []byte        // of a request
}

func (h *Host) openService(ctx context.Context) error {
	if outside.AddressFault(h.options.URL) != "" {
		return fmt.Errorf("%s: %q must be an address that begins with http:// or https://", h.who, h.options.URL)
	}
	s := &service{host: h, begin: []byte(`{"jsonrpc":"2.0","id":1,`), places: make(chan struct{}, 1), client: outside.NewClient(256)}
	h.link = s
	manifest, err := s.call(ctx, &request{body: h.initialize(), timeout: h.options.StartTimeout})
	if err != nil {
		return h.initError(err)
	}
	if err := h.learn(manifest); err != nil {
		return err
	}
	s.places = make(chan struct{}, h.manifest.InFlight*h.options.Workers)
	return nil
}

func (s *service) close() { s.client.CloseIdleConnections() }

// call implements link.
func (s *service) call(ctx context.Context, r *request) (jsontext.Value, error) {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	limited := ctx
	if r.timeout > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, r.timeout)
		defer cancel()
	}
	result, err := s.post(limited, r.body)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case limited.Err() != nil:
		return nil, pipeline.Transient(fmt.Errorf("%s timed out after %v", s.host.who, r.timeout))
	}
	return result, err
}

// post makes one request.
func (s *service) post(ctx context.Context, body []byte) (jsontext.Value, error) {
	h := s.host
	text := append(s.begin[:len(s.begin):len(s.begin)], body...)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.options.URL, bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %q isn't an address", h.who, h.options.URL)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "agentblame")
	if h.options.Header != nil {
		extra, err := h.options.Header()
		if err != nil {
			return nil, &pipeline.FaultError{Err: fmt.Errorf("%s: %w", h.who, err)}
		}
		for name, value := range extra {
			request.Header.Set(name, value)
		}
	}
	response, err := s.client.Do(request)
	if err != nil {
		return nil, s.broken(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, int64(h.options.MaxOutput)+1))
	if code := response.StatusCode; code < 200 || code > 299 {
		return nil, s.refused(ctx, response, answer)
	}
	if err != nil {
		return nil, s.broken(err)
	}
	if len(answer) > h.options.MaxOutput {
		return nil, &tooLongError{h.who, h.options.MaxOutput}
	}
	return s.read(answer)
}

// read reads an answer.
func (s *service) read(answer []byte) (jsontext.Value, error) {
	h := s.host
	var reader lineReader
	m, err := reader.parse(answer)
	if err != nil {
		return nil, h.breakdown(fmt.Errorf("%s answered what isn't a message (%s): %s", h.who, wordJSON(err), outside.Excerpt(strings.TrimSpace(string(answer)), 100)))
	}
	if id, ok := m.requestID(); !ok || id != 1 || m.method != "" {
		if m.err == nil || string(m.id) != "null" {
			return nil, h.breakdown(fmt.Errorf("%s answered another request than it was asked (id %s)", h.who, outside.Excerpt(string(m.id), 40)))
		}
	}
	if m.err != nil {
		return nil, parseError(m.err)
	}
	return m.result, nil
}

// broken words a request that came to no answer. All such errors may pass: a
// service that isn't there says nothing about the pipeline.
func (s *service) broken(err error) error {
	var at *url.Error // quotes the address
	if errors.As(err, &at) {
		err = at.Err
	}
	return pipeline.Transient(fmt.Errorf("%s: %s", s.host.who, outside.Escape(err.Error())))
}

// refused words an answer that isn't a success.
func (s *service) refused(ctx context.Context, response *http.Response, answer []byte) error {
	code := response.StatusCode
	text := strings.TrimSpace(fmt.Sprintf("%s answered %d %s", s.host.who, code, http.StatusText(code)))
	if begin := strings.TrimSpace(string(answer[:min(len(answer), 4<<10)])); begin != "" {
		text += ": " + outside.Excerpt(begin, 200)
	}
	return outside.Busy(ctx, response, errors.New(text))
}
