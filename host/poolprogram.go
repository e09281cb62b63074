package host

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// attempt is a program's run on one process.
type attempt struct {
	run    *programRun
	book   pipeline.CallBook
	active atomic.Int32 // calls that are not answered
	sign   atomic.Int64 // when the program was last heard of or answered
}

func (a *attempt) touch() { a.sign.Store(time.Now().UnixNano()) }

// program implements link. If the process ends, the run begins again on another
// one: once, unless steps that may have ended the process were running on it.
func (p *pool) program(ctx context.Context, r *programRun) (jsontext.Value, error) {
	for died, blamed := 0, 0; ; {
		w, err := p.acquire(ctx, false, true)
		if err != nil {
			return nil, err
		}
		result, err := w.program(ctx, p.host, r)
		p.release(w, true)
		if errors.Is(err, errNotAsked) {
			continue
		}
		if done, err := p.settled(ctx, err); done {
			return result, err
		}
		p.mu.Lock()
		suspects, closed := w.last, p.closed
		p.mu.Unlock()
		if closed {
			return nil, p.gone()
		}
		if died++; suspects == 0 {
			blamed++
		}
		if blamed > 1 || died > mostDeaths {
			return nil, fmt.Errorf("the process of %s %s while it ran the program", p.host.who, w.how(err))
		}
		p.host.stats.retried("program")
	}
}

// mostDeaths is how many processes may end under a run of a program.
const mostDeaths = 20

// program runs the program on the worker.
func (w *worker) program(ctx context.Context, h *Host, r *programRun) (jsontext.Value, error) {
	at := &attempt{run: r, book: pipeline.CallBook{Steps: r.steps, Naming: "at"}}
	at.touch()
	w.mu.Lock()
	w.lastRun++
	name := strconv.FormatUint(w.lastRun, 10)
	w.open[name] = at
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.open, name)
		w.mu.Unlock()
	}()
	body := append(append(append([]byte(`"method":"run/start","params":{"run":"`), name...), `","inputs":`...), r.inputs...)
	limit := idleLimit
	if h.options.HangTimeout > 0 {
		limit = h.options.HangTimeout
	}
	id, open, err := w.conn.ask(appendDeadline(body, limit))
	if err != nil {
		if errors.Is(err, errEnd) {
			return nil, errNotAsked
		}
		return nil, h.breakdown(err)
	}
	idle := time.NewTicker(max(limit/4, time.Millisecond))
	defer idle.Stop()
	for {
		select {
		case a := <-open.done:
			result, err := h.answered(a)
			if err != nil {
				return nil, err
			}
			if open := at.book.InProgress(); open != "" && r.ending() == nil {
				return nil, r.fault("the program of %s ended while a call of step %s was in progress: it must wait for the calls that it makes", h.who, open)
			}
			out, err := member(result, "output")
			if err != nil {
				return nil, h.breakdown(fmt.Errorf("%s gave a wrong result of run/start: %w", h.who, err))
			}
			return out, nil
		case <-r.over:
			w.abandon(h, id)
			return nil, r.ending()
		case <-ctx.Done():
			w.abandon(h, id)
			return nil, r.end(context.Cause(ctx))
		case now := <-idle.C:
			if at.active.Load() == 0 && now.Sub(time.Unix(0, max(at.sign.Load(), open.sign.Load()))) > limit {
				w.abandon(h, id)
				return nil, r.fault("the program of %s has neither called a step nor ended for %v", h.who, limit)
			}
		}
	}
}

// idleLimit is how long a program may take between calls.
const idleLimit = time.Minute

// asked answers a request of the host: a call of a step.
func (w *worker) asked(m message) error {
	id := m.id.Clone()
	if m.method != "step/call" {
		w.conn.send(appendError(nil, id, codeNoMethod, "there is no method "+m.method))
		return nil
	}
	a, err := parseCall(m.params)
	if err != nil {
		return w.conn.violation("made a call that can't be read (%s): %s", wordJSON(err), outside.Excerpt(string(m.params), 100))
	}
	w.mu.Lock()
	at := w.open[a.run]
	last := w.lastRun
	w.mu.Unlock()
	if at == nil {
		if n, err := strconv.ParseUint(a.run, 10, 64); err != nil || n == 0 || n > last {
			return w.conn.violation("made a call in the run %q, which was never started", outside.Excerpt(a.run, 40))
		}
		w.conn.send(appendError(nil, id, codeCancelled, "the run is over"))
		return nil
	}
	at.touch()
	made, p, err := at.run.make(&at.book, a)
	if err != nil {
		w.refuse(id, err)
		return nil
	}
	at.active.Add(1)
	go func() {
		<-p.done
		at.book.Leave(made.step, a.name)
		at.touch()
		at.active.Add(-1)
		if p.err != nil {
			w.refuse(id, p.err)
			return
		}
		b := append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), ',')
		if err := p.out.Err(); err != nil {
			b = append(appendStepError(append(b, `"error":`...), err), "}\n"...)
		} else {
			b = append(append(append(b, `"result":{"output":`...), p.out.JSON()...), "}}\n"...)
		}
		w.conn.send(b)
	}()
	return nil
}

// refuse answers a call of a run that is over.
func (w *worker) refuse(id jsontext.Value, why error) {
	var fault *pipeline.FaultError
	if errors.As(why, &fault) {
		w.conn.send(appendError(nil, id, codeMisuse, fault.Error()))
		return
	}
	w.conn.send(appendError(nil, id, codeCancelled, "the run is over"))
}

// appendError appends an answer that is an error, as a line.
func appendError(b []byte, id jsontext.Value, code int, text string) []byte {
	b = append(append(append(b, `{"jsonrpc":"2.0","id":`...), id...), `,"error":{"code":`...)
	b = strconv.AppendInt(b, int64(code), 10)
	return append(quote(append(b, `,"message":`...), text), "}}\n"...)
}
