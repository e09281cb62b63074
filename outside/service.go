package outside

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/agentblame/agentblame/pipeline"
)

// NewClient returns a client for services that are asked often: it keeps so many
// idle connections to each, and follows no redirect.
func NewClient(idle int) *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = idle
	return &http.Client{
		Transport: transport,
		// A redirect would carry keys in headers to another place.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// AddressFault says what is wrong with a service's address, or "".
func AddressFault(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return "isn't an address"
	case u.Scheme != "http" && u.Scheme != "https":
		return "must begin with http:// or https://"
	case u.Host == "":
		return "names no host"
	}
	return ""
}

// Busy marks err, which words an answer, as transient where the answer's status
// says to try again later; it first waits for as long as the service asks, half a
// minute at most.
func Busy(ctx context.Context, response *http.Response, err error) error {
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		wait(ctx, retryAfter(response.Header.Get("Retry-After"), time.Now()))
		return pipeline.Transient(err)
	}
	return err
}

// longestWait bounds what a Retry-After header can make a run wait.
const longestWait = 30 * time.Second

// retryAfter returns how long a Retry-After header asks to wait: a number of
// seconds, or a time.
func retryAfter(value string, now time.Time) time.Duration {
	var d time.Duration
	if seconds, err := strconv.Atoi(value); err == nil {
		d = time.Duration(min(seconds, 1000)) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		d = at.Sub(now)
	}
	return min(max(d, 0), longestWait)
}

// wait waits, unless the context would end first.
func wait(ctx context.Context, d time.Duration) {
	if end, limited := ctx.Deadline(); d <= 0 || limited && time.Until(end) <= d {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
