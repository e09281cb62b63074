package host

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// call implements link. A request whose process ends is made once more, on a
// process that has nothing else to do: if that one ends too, it was this request
// that did it.
func (p *pool) call(ctx context.Context, r *request) (jsontext.Value, error) {
	for again := false; ; {
		w, err := p.acquire(ctx, again, false)
		if err != nil {
			return nil, err
		}
		result, err := w.call(ctx, p.host, r)
		p.release(w, false)
		if errors.Is(err, errNotAsked) {
			continue
		}
		if done, err := p.settled(ctx, err); done {
			return result, err
		}
		if again {
			return nil, fmt.Errorf("the process of %s %s, twice", p.host.who, w.how(err))
		}
		p.mu.Lock()
		closed := p.closed
		p.mu.Unlock()
		if closed {
			return nil, p.gone()
		}
		again = true
		p.host.stats.retried(r.step)
	}
}

// settled says whether a request is over with its error, rather than to be made
// again since its process ended. An end that has a reason of its own is that error.
func (p *pool) settled(ctx context.Context, err error) (bool, error) {
	switch {
	case !errors.Is(err, errEnd):
		return true, err
	case p.host.Err() != nil:
		return true, p.host.Err()
	case ctx.Err() != nil:
		return true, context.Cause(ctx)
	}
	return false, err
}

// errNotAsked says that a connection had ended before a request was made.
var errNotAsked = errors.New("not asked")

// call makes a request of the worker and waits for the answer.
func (w *worker) call(ctx context.Context, h *Host, r *request) (jsontext.Value, error) {
	id, open, err := w.conn.ask(r.body)
	if err != nil {
		if errors.Is(err, errEnd) {
			return nil, errNotAsked
		}
		return nil, h.breakdown(err)
	}
	wait := r.timeout
	if hang := h.options.HangTimeout; hang > 0 && (wait <= 0 || hang < wait) {
		wait = hang
	}
	if wait <= 0 {
		select {
		case a := <-open.done:
			return h.answered(a)
		case <-ctx.Done():
			w.abandon(h, id)
			return nil, context.Cause(ctx)
		}
	}
	begun := time.Now()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case a := <-open.done:
			return h.answered(a)
		case <-ctx.Done():
			w.abandon(h, id)
			return nil, context.Cause(ctx)
		case now := <-timer.C:
			if why := h.overdue(r, begun, time.Unix(0, open.sign.Load()), now); why != nil {
				w.abandon(h, id)
				return nil, why
			}
			timer.Reset(h.next(r, begun, time.Unix(0, open.sign.Load()), now))
		}
	}
}

// overdue says why a run that has begun and given a last sign of life then is not
// waited for any more, or nil.
func (h *Host) overdue(r *request, begun, sign, now time.Time) error {
	if r.timeout > 0 && now.Sub(begun) >= r.timeout {
		return pipeline.Transient(fmt.Errorf("%s timed out after %v", h.who, r.timeout))
	}
	if sign.Before(begun) {
		sign = begun
	}
	if hang := h.options.HangTimeout; hang > 0 && now.Sub(sign) >= hang {
		return pipeline.Transient(fmt.Errorf("%s gave no sign of life for %v (hang_timeout)", h.who, hang))
	}
	return nil
}

// next returns how long to wait before a run may be overdue.
func (h *Host) next(r *request, begun, sign, now time.Time) time.Duration {
	if sign.Before(begun) {
		sign = begun
	}
	wait := time.Hour
	if r.timeout > 0 {
		wait = min(wait, begun.Add(r.timeout).Sub(now))
	}
	if hang := h.options.HangTimeout; hang > 0 {
		wait = min(wait, sign.Add(hang).Sub(now))
	}
	return max(wait, time.Millisecond)
}

// answered takes an answer.
func (h *Host) answered(a reply) (jsontext.Value, error) {
	var breach violation
	if errors.As(a.err, &breach) {
		return nil, h.breakdown(breach)
	}
	return a.result, a.err
}

// abandon gives a request up. A process that doesn't answer it soon all the same
// is taken to hang, and ended: others may wait for its place.
func (w *worker) abandon(h *Host, id uint64) {
	if !w.conn.abandon(id) {
		return
	}
	time.AfterFunc(h.patience, func() {
		if w.conn.unanswered(id) {
			w.kill(fmt.Sprintf("was ended: it had not answered a run for %v after it was cancelled", h.patience))
		}
	})
}

// cancelGrace is how long a host may take to answer a request that was cancelled.
const cancelGrace = 5 * time.Second

// kill ends a worker that hangs.
func (w *worker) kill(why string) {
	w.mu.Lock()
	w.hangs = why
	w.mu.Unlock()
	if w.process != nil {
		w.process.kill()
	} else {
		w.conn.stream.Close()
	}
}
