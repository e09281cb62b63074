package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/agentblame/agentblame/pipeline"
)

// pool is the processes of a host, or the one socket to it. Requests go to the
// process that has the fewest; when all have some, another one is started.
type pool struct {
	host *Host
	// dial, if not nil, makes the one connection that there is, in place of a process.
	dial func() (io.ReadWriteCloser, error)

	ctx      context.Context // of starts
	cancel   context.CancelFunc
	mu       sync.Mutex
	workers  []*worker
	starting int
	failed   int // starts that failed one after another
	waiters  []*waiter
	closed   bool
	running  sync.WaitGroup // workers and starts
}

// worker is one process.
type worker struct {
	conn    *conn
	process *process // nil: a socket
	load    int      // requests that it has, runs of programs not counted
	alone   bool     // it has one that nothing may run beside
	runs    int      // runs of programs
	last    int      // the load when its connection ended

	mu      sync.Mutex
	open    map[string]*attempt // by number
	lastRun uint64
	hangs   string // why it was killed by us
}

// waiter waits for a worker.
type waiter struct {
	alone, run bool
	got        chan *worker // nil: the pool has ended
}

func newPool(h *Host) *pool {
	p := &pool{host: h}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	if fd := h.options.FD; fd > 0 {
		p.dial = func() (io.ReadWriteCloser, error) { return inherited(fd) }
	}
	return p
}

// open starts the first process.
func (p *pool) open(ctx context.Context) error {
	w, err := p.start(ctx)
	if err != nil {
		p.close()
		return err
	}
	p.host.link = p
	p.add(w)
	return nil
}

// add puts a worker to work.
func (p *pool) add(w *worker) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed || w.conn.over() {
		go w.stop()
		return
	}
	p.failed = 0
	p.workers = append(p.workers, w)
	p.serve()
}

// over says whether the connection has come to its end.
func (c *conn) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended != nil
}

// remove takes away a worker whose connection comes to its end. It is false when
// the worker wasn't at work.
func (p *pool) remove(w *worker, why error) bool {
	var breach violation
	if errors.As(why, &breach) && p.host.known() {
		p.host.breakdown(breach)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	at := slices.Index(p.workers, w)
	if at < 0 {
		return false
	}
	p.workers = slices.Delete(p.workers, at, at+1)
	w.last = w.load
	return !p.closed
}

// lost tells of a worker whose connection has ended.
func (p *pool) lost(w *worker, why error, ours bool) {
	h := p.host
	if ours {
		h.stats.restarted()
		how := w.how(why)
		switch {
		case p.dial != nil:
			h.breakdown(fmt.Errorf("%s %s", h.who, how))
		case errors.Is(why, errEnd):
			h.log("a process %s; what it had in flight is asked again", how)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.serve()
}

// how says how the worker came to its end.
func (w *worker) how(why error) string {
	w.mu.Lock()
	hangs := w.hangs
	w.mu.Unlock()
	switch {
	case hangs != "":
		return hangs
	case w.process == nil:
		return "closed the connection"
	}
	return w.process.ending() + w.process.log.after()
}

// full is how many requests a worker takes at once.
func (p *pool) full() int { return p.host.manifest.InFlight }

// pick returns the worker for a request, or nil. The caller holds the lock.
func (p *pool) pick(at *waiter) *worker {
	var best *worker
	for _, w := range p.workers {
		switch {
		case at.run:
			if best == nil || w.runs < best.runs {
				best = w
			}
		case w.alone || at.alone && w.load > 0 || w.load >= p.full():
		case best == nil || w.load < best.load:
			best = w
		}
	}
	if best == nil {
		return nil
	}
	if at.run {
		best.runs++
		return best
	}
	best.load++
	best.alone = at.alone
	return best
}

// serve gives workers to those that wait, in their order, and starts processes
// when there are too few. The caller holds the lock.
func (p *pool) serve() {
	if p.closed || p.host.Err() != nil {
		for _, at := range p.waiters {
			close(at.got)
		}
		p.waiters = nil
		return
	}
	for len(p.waiters) > 0 {
		w := p.pick(p.waiters[0])
		if w == nil {
			p.more()
			return
		}
		p.waiters[0].got <- w
		p.waiters = p.waiters[1:]
	}
}

// more starts another process, if there may be one. The caller holds the lock.
func (p *pool) more() {
	have := len(p.workers) + p.starting
	if p.dial != nil || p.closed || have >= p.host.options.Workers || have > 0 && p.failed >= mostFailed {
		return
	}
	p.starting++
	p.running.Go(func() {
		w, err := p.start(p.ctx)
		p.mu.Lock()
		p.starting--
		if err != nil {
			p.failed++
		}
		hopeless := err != nil && len(p.workers) == 0 && p.starting == 0 && p.failed >= mostFailed
		closed := p.closed
		p.mu.Unlock()
		switch {
		case err == nil:
			p.add(w)
			return
		case closed:
		case hopeless:
			p.host.breakdown(err)
		default:
			p.host.log("another process couldn't be started: %v", err)
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.serve()
	})
}

// mostFailed is how many starts may fail one after another before no more are
// tried.
const mostFailed = 2

// acquire waits for a worker.
func (p *pool) acquire(ctx context.Context, alone, run bool) (*worker, error) {
	p.mu.Lock()
	if err := p.host.Err(); err != nil || p.closed {
		p.mu.Unlock()
		return nil, p.gone()
	}
	at := &waiter{alone: alone, run: run}
	if len(p.waiters) == 0 {
		if w := p.pick(at); w != nil {
			if w.load > 1 && len(p.workers)+p.starting < p.host.options.Workers {
				p.more()
			}
			p.mu.Unlock()
			return w, nil
		}
	}
	at.got = make(chan *worker, 1)
	p.waiters = append(p.waiters, at)
	p.more()
	p.mu.Unlock()
	select {
	case w, ok := <-at.got:
		if !ok {
			return nil, p.gone()
		}
		return w, nil
	case <-ctx.Done():
	}
	p.mu.Lock()
	for i, have := range p.waiters {
		if have == at {
			p.waiters = append(p.waiters[:i], p.waiters[i+1:]...)
			p.serve() // it may have kept others from their turn
			p.mu.Unlock()
			return nil, context.Cause(ctx)
		}
	}
	p.mu.Unlock()
	if w, ok := <-at.got; ok {
		p.release(w, run)
	}
	return nil, context.Cause(ctx)
}

// gone says why there are no workers any more.
func (p *pool) gone() error {
	if err := p.host.Err(); err != nil {
		return err
	}
	return &pipeline.FaultError{Err: fmt.Errorf("%s was closed", p.host.who)}
}

// release gives a worker back.
func (p *pool) release(w *worker, run bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if run {
		w.runs--
		return
	}
	w.load--
	if w.load == 0 {
		w.alone = false
	}
	if len(p.waiters) > 0 {
		p.serve()
	}
}

// close ends all processes.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	p.cancel()
	workers := slices.Clone(p.workers)
	p.serve()
	p.mu.Unlock()
	var stopping sync.WaitGroup
	for _, w := range workers {
		stopping.Go(w.stop)
	}
	stopping.Wait()
	p.running.Wait()
}
