package host

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentblame/agentblame/outside"
	"github.com/go-json-experiment/json/jsontext"
)

// reply is what a request came to: a result, an error of the host's, or the end
// of the connection.
type reply struct {
	result jsontext.Value
	err    error
}

// waiting is a request that has no answer yet.
type waiting struct {
	done      chan reply
	abandoned bool         // nobody waits for the answer any more
	sign      atomic.Int64 // when the last sign of life came, in Unix ns
}

// conn speaks JSON-RPC over a stream: any number of requests at once, answers in
// any order.
type conn struct {
	who    string // the host, for messages
	limit  int    // of a line, in bytes
	stream io.ReadWriteCloser
	// asked is called with each request of the host, in their order; it must not
	// block. told is called with each $/log.
	asked func(m message) error
	told  func(level, text string)
	// leaving is called when the connection comes to its end, before those who wait
	// for answers are told, and gone when all is done.
	leaving, gone func(why error)

	mu     sync.Mutex
	last   uint64 // the id given last
	open   map[uint64]*waiting
	ended  error // why there will be no more answers
	buffer []byte
	write  sync.Cond
}

func newConn(who string, stream io.ReadWriteCloser, limit int) *conn {
	c := &conn{who: who, stream: stream, limit: limit, open: map[uint64]*waiting{}}
	c.write.L = &c.mu
	return c
}

// run reads until the end of the stream.
func (c *conn) run() {
	var writing sync.WaitGroup
	writing.Go(c.writeAll)
	why := c.readAll()
	c.leaving(why)
	c.end(why)
	c.stream.Close()
	writing.Wait()
	c.gone(why)
}

// end tells who waits for an answer that there won't be one.
func (c *conn) end(why error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return
	}
	c.ended = why
	for id, w := range c.open {
		w.done <- reply{err: why}
		delete(c.open, id)
	}
	c.write.Signal()
}

// ask sends a request: all of it but for what comes before its method.
func (c *conn) ask(body []byte) (id uint64, w *waiting, err error) {
	w = &waiting{done: make(chan reply, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended != nil {
		return 0, nil, c.ended
	}
	c.last++
	c.open[c.last] = w
	c.buffer = append(c.buffer, `{"jsonrpc":"2.0","id":`...)
	c.buffer = strconv.AppendUint(c.buffer, c.last, 10)
	c.buffer = append(append(c.buffer, ','), body...)
	c.write.Signal()
	return c.last, w, nil
}

// send sends a message that is a whole line.
func (c *conn) send(line []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended == nil {
		c.buffer = append(c.buffer, line...)
		c.write.Signal()
	}
}

// abandon says that nobody waits for the answer to a request any more. It is
// false when the answer has come.
func (c *conn) abandon(id uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	w, open := c.open[id]
	if !open || c.ended != nil {
		return false
	}
	w.abandoned = true
	c.buffer = append(c.buffer, `{"jsonrpc":"2.0","method":"$/cancel","params":{"id":`...)
	c.buffer = append(strconv.AppendUint(c.buffer, id, 10), "}}\n"...)
	c.write.Signal()
	return true
}

// unanswered says whether a request still has no answer.
func (c *conn) unanswered(id uint64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, open := c.open[id]
	return open && c.ended == nil
}

// writeAll writes what is to be sent, all that there is at once.
func (c *conn) writeAll() {
	var out []byte
	for {
		c.mu.Lock()
		for len(c.buffer) == 0 && c.ended == nil {
			c.write.Wait()
		}
		if c.ended != nil {
			c.mu.Unlock()
			return
		}
		out, c.buffer = c.buffer, out[:0]
		c.mu.Unlock()
		if _, err := c.stream.Write(out); err != nil {
			// The reader says why the host is gone. It may still have something to read.
			c.mu.Lock()
			c.buffer = nil
			c.mu.Unlock()
		}
		if cap(out) > 1<<20 {
			out = nil
		}
	}
}

// A violation says that a host doesn't keep to the protocol.
type violation struct{ error }

func (c *conn) violation(format string, args ...any) error {
	return violation{fmt.Errorf(c.who+" "+format, args...)}
}

// errEnd says that a host has closed the connection.
var errEnd = errors.New("it closed the connection")

// readAll reads messages and hands them on.
func (c *conn) readAll() error {
	in := bufio.NewReaderSize(c.stream, 64<<10)
	var reader lineReader
	var long []byte
	for {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			var tooLong bool
			long, tooLong, err = c.readLong(in, append(long[:0], line...))
			if tooLong {
				if err := c.tooLong(long); err != nil {
					return err
				}
				continue
			}
			line = long
		}
		if err != nil {
			if text := bytes.TrimSpace(line); len(text) > 0 && errors.Is(err, io.EOF) {
				return fmt.Errorf("%w in the middle of a message", errEnd)
			}
			return errEnd
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		m, err := reader.parse(line)
		if err != nil {
			return c.violation("wrote a line that isn't a message (%s): %s (logs belong on standard error)", wordJSON(err), outside.Excerpt(string(bytes.TrimSpace(line)), 100))
		}
		if err := c.take(m); err != nil {
			return err
		}
		if cap(long) > 1<<20 {
			long = nil
		}
	}
}

// readLong reads the rest of a line. Of one that is too long it keeps the
// beginning only.
func (c *conn) readLong(in *bufio.Reader, line []byte) (all []byte, tooLong bool, err error) {
	for {
		more, err := in.ReadSlice('\n')
		switch {
		case tooLong:
		case len(line)+len(more) > c.limit+1:
			tooLong = true
			line = line[:min(len(line), 64<<10)]
		default:
			line = append(line, more...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, tooLong, err
		}
	}
}

// tooLong fails the request that a line beyond the limit answers.
func (c *conn) tooLong(begin []byte) error {
	id, ok := idInPrefix(begin)
	if !ok || !c.answer(id, reply{err: &tooLongError{c.who, c.limit}}) {
		return c.violation("wrote a line of more than %d bytes (max_output): %s", c.limit, outside.Excerpt(string(begin), 100))
	}
	return nil
}

// A tooLongError says that the answer to a request was longer than allowed.
type tooLongError struct {
	who   string
	limit int
}

func (e *tooLongError) Error() string {
	return fmt.Sprintf("%s answered more than %d bytes (max_output)", e.who, e.limit)
}

// take handles a message.
func (c *conn) take(m message) error {
	switch {
	case m.method != "" && m.id != nil:
		return c.asked(m)
	case m.method == "$/progress":
		c.progress(m.params)
		return nil
	case m.method == "$/log":
		c.log(m.params)
		return nil
	case m.method != "":
		return nil // a notification of a later version
	}
	id, ok := m.requestID()
	if !ok {
		if string(m.id) == "null" {
			return c.violation("couldn't read a request: %s", outside.Excerpt(string(m.err), 200))
		}
		return c.violation("answered the request %s, which was never asked", outside.Excerpt(string(m.id), 40))
	}
	r := reply{result: m.result.Clone()}
	if m.err != nil {
		r.err = parseError(m.err)
	}
	if c.answer(id, r) {
		return nil
	}
	c.mu.Lock()
	last := c.last
	c.mu.Unlock()
	if id >= 1 && id <= last {
		return c.violation("answered the request %d twice", id)
	}
	return c.violation("answered the request %d, which was never asked", id)
}

// answer gives a request its answer. It is false when there is no such request.
func (c *conn) answer(id uint64, r reply) bool {
	c.mu.Lock()
	w, open := c.open[id]
	delete(c.open, id)
	c.mu.Unlock()
	if open {
		w.done <- r // there is room: a request has one answer
	}
	return open
}

// progress notes a sign of life of a request.
func (c *conn) progress(params jsontext.Value) {
	var id uint64
	err := object(params, func(name string, v jsontext.Value) (err error) {
		if name == "id" {
			id, err = strconv.ParseUint(string(v), 10, 64)
		}
		return err
	})
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.open[id]; w != nil {
		w.sign.Store(time.Now().UnixNano())
	}
}

func (c *conn) log(params jsontext.Value) {
	level, text := "info", ""
	err := object(params, func(name string, v jsontext.Value) error {
		switch {
		case v.Kind() != '"':
		case name == "level":
			level = unquote(v)
		case name == "message":
			text = unquote(v)
		}
		return nil
	})
	if err == nil && c.told != nil {
		c.told(level, text)
	}
}
