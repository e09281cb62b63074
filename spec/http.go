package spec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// endpoint is a service that is asked by POST.
type endpoint struct {
	client  *http.Client
	url     template
	headers []header
	limit   int // of an answer, in bytes
	timeout time.Duration
	where   string
}

type header struct {
	name  string
	value template
}

func (e *endpoint) ask(ctx context.Context, question []byte) (jsontext.Value, error) {
	known := secrets{}
	request, err := e.request(ctx, question, known)
	if err != nil {
		return nil, &pipeline.FaultError{Err: fmt.Errorf("%s: %w", e.where, err)}
	}
	name := "POST " + e.url.written
	response, err := e.client.Do(request)
	if err != nil {
		return nil, e.broken(ctx, name, err, known)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, int64(e.limit)+1))
	if code := response.StatusCode; code < 200 || code > 299 {
		return nil, refused(ctx, name, response, known.hide(excerptStart(answer)))
	}
	if err != nil {
		return nil, e.broken(ctx, name, err, known)
	}
	if len(answer) > e.limit {
		return nil, fmt.Errorf("%s answered more than %d bytes (max_output)", name, e.limit)
	}
	v, err := readJSON(answer)
	if err != nil {
		var fault *notJSON
		if errors.As(err, &fault) && fault.nothing {
			return nil, fmt.Errorf("%s answered nothing", name)
		}
		return nil, fmt.Errorf("%s answered what isn't JSON (%s): %s", name, known.hide(err.Error()), outside.Excerpt(known.hide(strings.TrimSpace(string(answer))), 80))
	}
	return v, nil
}

func (e *endpoint) request(ctx context.Context, question []byte, known secrets) (*http.Request, error) {
	address, err := e.url.expand(known)
	if err != nil {
		return nil, err
	}
	if fault := outside.AddressFault(address); fault != "" {
		return nil, fmt.Errorf("http: %q %s", e.url.written, fault)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(question))
	if err != nil {
		return nil, fmt.Errorf("http: %q isn't an address", e.url.written)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "agentblame")
	for _, h := range e.headers {
		value, err := h.value.expand(known)
		if err != nil {
			return nil, fmt.Errorf("header %s: %w", h.name, err)
		}
		if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return nil, fmt.Errorf("header %s: its value has control characters in it", h.name)
		}
		if strings.EqualFold(h.name, "Host") {
			request.Host = value
		}
		request.Header.Set(h.name, value)
	}
	return request, nil
}

// broken words a request that came to no answer. All such errors may pass: a
// service that isn't there says nothing about the pipeline.
func (e *endpoint) broken(ctx context.Context, name string, err error, known secrets) error {
	if ctx.Err() != nil {
		return stopped(ctx, name, e.timeout)
	}
	var at *url.Error // quotes the address, variables filled in
	if errors.As(err, &at) {
		err = at.Err
	}
	return pipeline.Transient(fmt.Errorf("%s: %s", name, outside.Escape(known.hide(err.Error()))))
}

// refused words an answer that isn't a success.
func refused(ctx context.Context, name string, response *http.Response, begin string) error {
	code := response.StatusCode
	text := strings.TrimSpace(fmt.Sprintf("%s answered %d %s", name, code, http.StatusText(code)))
	if code >= 300 && code <= 399 {
		text += " (redirects aren't followed)"
	}
	if begin != "" {
		text += ": " + outside.Excerpt(begin, 200)
	}
	return outside.Busy(ctx, response, errors.New(text))
}

// excerptStart is the part of an answer that a message may show.
func excerptStart(answer []byte) string {
	return strings.TrimSpace(string(answer[:min(len(answer), 4<<10)]))
}
