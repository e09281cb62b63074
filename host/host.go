package host

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// Version is the version of the protocol that this package speaks.
const Version = 1

// Options say what a host is and how it is run. One of Command, URL and FD says
// where it is.
type Options struct {
	// Name names the host in messages; it may be empty.
	Name string
	// Command is a program with its arguments, which is started and speaks over
	// its standard input and output. It runs in Dir, "" being the current folder,
	// with the variables that Env names, nil being all.
	Command []string
	Dir     string
	Env     []string
	// URL is the address of a service that is up.
	URL string
	// Header are headers for the service.
	Header func() (map[string]string, error)
	// FD is an inherited socket that the host speaks over; 0 is none.
	FD int
	// Workers is how many processes of the command there may be; 0 is 1. They are
	// started as they are needed. Of a service it multiplies how many requests are
	// made at once.
	Workers int
	// StartTimeout is how long a process may take to say what steps it has; 0 is a
	// minute.
	StartTimeout time.Duration
	// HangTimeout is how long a run may go on without a sign of life; 0 is for as
	// long as it may take.
	HangTimeout time.Duration
	// MaxOutput is how long a message may be, in bytes; 0 is 16 MiB.
	MaxOutput int
	// Client is the version of agentblame that the host is told.
	Client string
	// Log is called with each line that the host writes to its log, its name in
	// front, and with what happens to its processes. It may be nil.
	Log func(line string)
}

// A Host is a program elsewhere whose steps can be run. It is safe for use by
// several goroutines.
type Host struct {
	options  Options
	who      string // for messages: "host py", or "the host"
	manifest *Manifest
	link     link
	patience time.Duration // how long a cancelled request may go unanswered
	stats    stats

	mu     sync.Mutex
	broken error
	gone   chan struct{} // closed when broken is set
}

// link is the way to a host: processes or a service.
type link interface {
	// call makes a request, whatever process answers it.
	call(ctx context.Context, r *request) (jsontext.Value, error)
	// program runs the host's program once.
	program(ctx context.Context, r *programRun) (jsontext.Value, error)
	close()
}

// request is one request that any process of the host may answer.
type request struct {
	step    string // whose run it is, for messages and counts
	body    []byte // from "method" on, with the line's end
	timeout time.Duration
}

// Open connects to a host, or starts its first process, and asks it what it has.
func Open(ctx context.Context, o Options) (*Host, error) {
	if o.Workers <= 0 {
		o.Workers = 1
	}
	if o.StartTimeout <= 0 {
		o.StartTimeout = time.Minute
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = 16 << 20
	}
	h := &Host{options: o, who: "the host", patience: cancelGrace, gone: make(chan struct{})}
	if o.Name != "" {
		h.who = "host " + o.Name
	}
	var err error
	if o.URL != "" {
		err = h.openService(ctx)
	} else {
		err = newPool(h).open(ctx)
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Manifest returns what the host has said about itself.
func (h *Host) Manifest() *Manifest { return h.manifest }

// known says whether the host has given its manifest.
func (h *Host) known() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.manifest != nil
}

// Close ends the host's processes and waits for their end. Requests that are open
// fail.
func (h *Host) Close() { h.link.close() }

// Gone returns a channel that is closed when the host can't be used any more
// because it doesn't keep to the protocol or can't be started again; Err then
// says why.
func (h *Host) Gone() <-chan struct{} { return h.gone }

// Err returns why the host can't be used any more, or nil.
func (h *Host) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.broken
}

// breakdown notes that the host can't be used any more. It returns the first
// reason as an error that ends analyses.
func (h *Host) breakdown(why error) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.broken == nil {
		h.broken = &pipeline.FaultError{Err: why}
		close(h.gone)
	}
	return h.broken
}

// log tells the user what happens to the host.
func (h *Host) log(format string, args ...any) {
	if h.options.Log != nil {
		h.options.Log(h.who + ": " + fmt.Sprintf(format, args...))
	}
}

// initialize is the first request.
func (h *Host) initialize() []byte {
	b := fmt.Appendf(nil, `"method":"initialize","params":{"protocol":%d,"client":{"name":"agentblame","version":`, Version)
	return append(quote(b, h.options.Client), "}}}\n"...)
}

// learn takes the manifest that a process or service gave: the first is the
// host's, all others must be equal to it.
func (h *Host) learn(text jsontext.Value) error {
	m, err := parseManifest(text)
	if err != nil {
		return fmt.Errorf("%s: %w", h.who, err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.manifest == nil {
		h.manifest = m
		return nil
	}
	if m.text != h.manifest.text {
		return fmt.Errorf("a process of %s gave another manifest than the first: what a host has must not depend on the process", h.who)
	}
	return nil
}

// callError words what is wrong with an answer to a call of initialize.
func (h *Host) initError(err error) error {
	var e *Error
	if errors.As(err, &e) {
		return fmt.Errorf("%s couldn't say what steps it has: %s", h.who, outside.Escape(e.Message)+e.indented())
	}
	return err
}

// indented returns an error's traceback as the end of a message.
func (e *Error) indented() string {
	if e.traceback == "" {
		return ""
	}
	var lines strings.Builder
	for line := range strings.Lines(e.Traceback()) {
		lines.WriteString("\n  " + outside.Escape(strings.TrimRight(line, "\r\n")))
	}
	return ":" + lines.String()
}
