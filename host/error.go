package host

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// Codes of the protocol's errors.
const (
	codeFailed    = 1
	codeEncoding  = 2
	codeNoGold    = 3
	codeMisuse    = 4
	codeCancelled = -32800
	codeNoMethod  = -32601
	codeNoStep    = -32602
)

// An Error is an error that a host has answered with.
type Error struct {
	Code    int
	Message string
	// Data is what the host tells beside the message, as JSON: the error's type,
	// a traceback, whether it is transient. It may be nil.
	Data jsontext.Value

	transient  bool
	retryAfter time.Duration
	traceback  string
	module     string
	name       string // of its type
}

func (e *Error) Error() string { return e.Message }

// Kind returns the name of the error's type, by which a program may handle it.
func (e *Error) Kind() string { return pipeline.ErrorKind(e.module, e.name) }

// Details returns the data.
func (e *Error) Details() jsontext.Value { return e.Data }

// Traceback returns where the error comes from, as the host's language words it:
// the end of it, if it is long. Of paths the end is left, so that it is the same
// wherever the code lies.
func (e *Error) Traceback() string {
	text := absolutePath.ReplaceAllStringFunc(e.traceback, func(path string) string {
		start := strings.Index(path, "/")
		if strings.HasPrefix(path[start:], "///") { // of file:///
			start += 2
		}
		elements := strings.Split(path[start:], "/")
		if len(elements) <= 4 {
			return path
		}
		return path[:start] + "…/" + strings.Join(elements[len(elements)-3:], "/")
	})
	if len(text) <= longestTraceback {
		return text
	}
	end := text[len(text)-longestTraceback:]
	if _, lines, ok := strings.Cut(end, "\n"); ok {
		return "…\n" + lines
	}
	return "…" + strings.ToValidUTF8(end, "")
}

// absolutePath finds the paths in a traceback, with what stands before them.
var absolutePath = regexp.MustCompile(`(?m)(^|[\s"'(]|file://)/[^\s"'():]+`)

// longestTraceback bounds what is kept of a traceback, in bytes.
const longestTraceback = 4 << 10

// parseError reads an error object.
func parseError(text jsontext.Value) error {
	e := &Error{}
	hasCode := false
	err := object(text, func(name string, v jsontext.Value) (err error) {
		switch name {
		case "code":
			e.Code, err = strconv.Atoi(string(v))
			hasCode = err == nil
		case "message":
			if v.Kind() != '"' {
				return errors.New(`"message" must be a string`)
			}
			e.Message = unquote(v)
		case "data":
			e.Data = v.Clone()
		}
		return err
	})
	if err != nil || !hasCode {
		return &Error{Code: codeMisuse, Message: "an error that can't be read: " + outside.Excerpt(string(text), 100)}
	}
	if e.Message == "" {
		e.Message = "an error without a message"
	}
	if e.Data.Kind() == '{' {
		e.readData()
	}
	return e
}

// readData reads what the protocol knows of an error's data.
func (e *Error) readData() {
	object(e.Data, func(name string, v jsontext.Value) error {
		switch name {
		case "traceback":
			if v.Kind() == '"' {
				e.traceback = strings.TrimRight(unquote(v), "\r\n\t ")
			}
		case "type":
			if v.Kind() == '"' {
				e.name = unquote(v)
			}
		case "module":
			if v.Kind() == '"' {
				e.module = unquote(v)
			}
		case "transient":
			e.transient = v.Kind() == 't'
		case "retry_after_ms":
			if ms, err := strconv.ParseFloat(string(v), 64); err == nil && ms > 0 {
				e.retryAfter = min(time.Duration(min(ms, 1e9))*time.Millisecond, longestWait)
			}
		}
		return nil
	})
}

// longestWait bounds what a host can make a run wait before it is tried again.
const longestWait = 30 * time.Second

// stepError turns the error of a request into what the engine makes of it. What
// is no failure of a step ends the use of the host.
func (h *Host) stepError(c *pipeline.Case, step string, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	switch e.Code {
	case codeFailed, codeEncoding:
		if e.transient {
			return pipeline.Transient(e)
		}
		return e
	case codeNoGold:
		id := ""
		if c != nil {
			id = c.ID
		}
		return &pipeline.NoGoldError{Case: id, Step: step}
	case codeMisuse:
		return h.breakdown(fmt.Errorf("%s: %s", h.who, e.Message))
	case codeCancelled:
		return pipeline.Transient(fmt.Errorf("%s cancelled the run, which nobody asked it to: %s", h.who, e.Message))
	case codeNoMethod, codeNoStep:
		return h.breakdown(fmt.Errorf("%s doesn't do what its manifest says: %s", h.who, e.Message))
	}
	return h.breakdown(fmt.Errorf("%s answered with error %d: %s", h.who, e.Code, e.Message))
}

// wordJSON words a decoder's error as users see it.
func wordJSON(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "it ends in the middle of a value"
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		err = syntax.Err
		if errors.Is(err, jsontext.ErrDuplicateName) {
			err = fmt.Errorf("the name %q is given twice in one object", syntax.JSONPointer.LastToken())
		}
	}
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "json: "), "jsontext: ")
}
