package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/agentblame/agentblame/outside"
	"github.com/go-json-experiment/json/jsontext"
)

// start starts a process and learns its manifest.
func (p *pool) start(ctx context.Context) (*worker, error) {
	h := p.host
	w := &worker{open: map[string]*attempt{}}
	var stream io.ReadWriteCloser
	var l *log
	if p.dial != nil {
		socket, err := p.dial()
		if err != nil {
			return nil, err
		}
		stream = socket
	} else {
		name := h.options.Name
		if name == "" {
			name = "host"
		}
		l = &log{name: name, out: h.options.Log, since: time.Now()}
		process, err := startProcess(&h.options, l)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", h.who, err)
		}
		w.process, stream = process, process
	}
	w.conn = newConn(h.who, stream, h.options.MaxOutput)
	w.conn.asked = func(m message) error { return w.asked(m) }
	w.conn.told = func(level, text string) {
		if h.options.Log != nil && level != "debug" {
			h.log("%s", outside.Escape(text))
		}
	}
	ours := false // it was one of those at work
	w.conn.leaving = func(why error) { ours = p.remove(w, why) }
	w.conn.gone = func(why error) { p.lost(w, why, ours) }
	p.running.Go(w.conn.run)
	manifest, err := p.handshake(ctx, w, l)
	if err == nil {
		err = h.learn(manifest)
	}
	if err != nil {
		w.stop()
		return nil, err
	}
	if l != nil {
		l.started()
	}
	return w, nil
}

// handshake makes the first request.
func (p *pool) handshake(ctx context.Context, w *worker, l *log) (jsontext.Value, error) {
	h := p.host
	_, open, err := w.conn.ask(h.initialize())
	if err == nil {
		limit := time.NewTimer(h.options.StartTimeout)
		defer limit.Stop()
		select {
		case r := <-open.done:
			if r.err == nil {
				return r.result, nil
			}
			err = r.err
		case <-limit.C:
			why := ""
			if l != nil {
				why = l.startFailure()
			}
			return nil, fmt.Errorf("%s didn't say within %v what steps it has (start_timeout)%s", h.who, h.options.StartTimeout, why)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if !errors.Is(err, errEnd) {
		return nil, h.initError(err)
	}
	if w.process == nil {
		return nil, fmt.Errorf("%s closed the connection before it said what steps it has", h.who)
	}
	how := w.process.ending()
	why := l.startFailure()
	if why == "" && w.process.endedWell() {
		why = "\n  To mend that, end the program with serve(…); in Python, python -m agentblame module:pipeline does without"
	}
	return nil, fmt.Errorf("%s %s before it said what steps it has%s", h.who, how, why)
}

// stop ends a worker whose connection isn't needed any more.
func (w *worker) stop() {
	if w.process != nil {
		w.process.Close() // the reader sees the end then
		return
	}
	w.conn.stream.Close()
}
