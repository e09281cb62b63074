package host

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/agentblame/agentblame/outside"
	"github.com/go-json-experiment/json/jsontext"
)

// message is one JSON-RPC message from a host. Its values share the memory of
// the line that it was read from.
type message struct {
	id     jsontext.Value // as it was written; nil: none
	method string
	params jsontext.Value
	result jsontext.Value
	err    jsontext.Value
}

// A lineReader reads messages from lines. The zero value works.
type lineReader struct {
	dec jsontext.Decoder
	buf bytes.Buffer
}

// parse reads a message.
func (r *lineReader) parse(line []byte) (m message, err error) {
	r.buf = *bytes.NewBuffer(line)
	r.dec.Reset(&r.buf)
	version := false
	err = members(&r.dec, func(name string, v jsontext.Value) error {
		switch name {
		case "jsonrpc":
			if string(v) != `"2.0"` {
				return fmt.Errorf(`"jsonrpc" must be "2.0", not %s`, outside.Excerpt(string(v), 40))
			}
			version = true
		case "id":
			if k := v.Kind(); k != '0' && k != '"' && k != 'n' {
				return fmt.Errorf(`"id" must be a number or a string, not %s`, outside.Excerpt(string(v), 40))
			}
			m.id = v
		case "method":
			if v.Kind() != '"' {
				return fmt.Errorf(`"method" must be a string, not %s`, outside.Excerpt(string(v), 40))
			}
			m.method = unquote(v)
		case "params":
			m.params = v
		case "result":
			m.result = v
		case "error":
			m.err = v
		}
		return nil
	})
	if err != nil {
		return m, err
	}
	if rest := line[r.dec.InputOffset():]; len(bytes.TrimSpace(rest)) > 0 {
		return m, errors.New("there is something after the message")
	}
	switch {
	case !version:
		return m, errors.New(`there is no "jsonrpc":"2.0" in it`)
	case m.method != "" && (m.result != nil || m.err != nil):
		return m, errors.New("it is a request and a reply at once")
	case m.method == "" && m.id == nil:
		return m, errors.New(`there is neither "method" nor "id" in it`)
	case m.method == "" && (m.result == nil) == (m.err == nil):
		return m, errors.New(`a reply has either "result" or "error"`)
	}
	return m, nil
}

// members calls each for the members of the object that dec reads next. Values
// share the memory of what dec reads.
func members(dec *jsontext.Decoder, each func(name string, v jsontext.Value) error) error {
	if kind := dec.PeekKind(); kind != '{' {
		if _, err := dec.ReadValue(); err != nil {
			return err
		}
		return errors.New("it must be an object")
	}
	dec.ReadToken()
	for dec.PeekKind() != '}' {
		name, err := dec.ReadValue()
		if err != nil {
			return err
		}
		key := unquote(name)
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if err := each(key, v); err != nil {
			return err
		}
	}
	_, err := dec.ReadToken()
	return err
}

// object calls each for the members of a JSON text that must be an object.
func object(text jsontext.Value, each func(name string, v jsontext.Value) error) error {
	return members(jsontext.NewDecoder(bytes.NewBuffer(text)), each)
}

// unquote returns what a JSON string says. Most have no escapes.
func unquote(v jsontext.Value) string {
	if len(v) >= 2 && bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	out, _ := jsontext.AppendUnquote(nil, v) // the decoder has checked it
	return string(out)
}

func quote(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // invalid UTF-8 comes out replaced
	return b
}

// requestID returns the id of a reply to a request of ours.
func (m *message) requestID() (uint64, bool) {
	id, err := strconv.ParseUint(string(m.id), 10, 64)
	return id, err == nil
}

// idInPrefix finds the id in the beginning of a line that is too long to be kept.
// Replies have it before their result.
func idInPrefix(begin []byte) (id uint64, ok bool) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(begin))
	if dec.PeekKind() != '{' {
		return 0, false
	}
	dec.ReadToken()
	for dec.PeekKind() == '"' {
		name, err := dec.ReadValue()
		if err != nil {
			return 0, false
		}
		if key := unquote(name); key == "method" {
			return 0, false // a request of the host's own
		} else if key != "id" {
			if dec.SkipValue() != nil {
				return 0, false
			}
			continue
		}
		v, err := dec.ReadValue()
		if err != nil {
			return 0, false
		}
		id, err := strconv.ParseUint(string(v), 10, 64)
		return id, err == nil
	}
	return 0, false
}

// elements calls each for the elements of a JSON array.
func elements(text jsontext.Value, each func(v jsontext.Value) error) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	if _, err := dec.ReadToken(); err != nil {
		return err
	}
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			return err
		}
		if err := each(v); err != nil {
			return err
		}
	}
	return nil
}
