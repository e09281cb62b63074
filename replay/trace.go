package replay

import (
	"container/heap"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// A Trace is what one replay did.
type Trace struct {
	// Score is the replay's score; it means nothing when Err is set.
	Score float64
	// Err says why the replay has no score: a step run came to nothing, the
	// score failed, the pipeline was used wrongly.
	Err error
	// Calls are the step calls in the order in which they were answered.
	Calls []TraceCall
	// AtOnce says that calls went on at once, so that their order means nothing.
	AtOnce bool
	// Failures are the step runs that failed.
	Failures []Failure

	mu sync.Mutex
}

// A TraceCall is one call of a step in a replay.
type TraceCall struct {
	Step     int
	Label    string
	Variant  int
	Args     []*pipeline.Value
	Output   *pipeline.Value // perhaps an error
	Draws    []noise.Draw
	Notes    map[string]jsontext.Value // what the run has noted: see pipeline.Note
	Cost     float64
	Duration time.Duration
	Cached   bool // the run was made for another replay
	Pinned   bool // the output is a recorded one
}

// A Failure is a step run that failed.
type Failure struct {
	// Step is the step's name, "score", or "" for the pipeline function.
	Step string
	// Variant is the variant's name; "" for the as-run implementation.
	Variant string
	// Coalition are the players that ran their fix.
	Coalition game.Coalition
	Message   string
	// Traceback is where it comes from, as the step's language words it, if that
	// is known.
	Traceback string
}

type failure struct {
	step    int // -1 for the pipeline function
	variant int
	message string
}

func (s *Session) failure(f failure, c game.Coalition) Failure {
	out := Failure{Coalition: c, Message: f.message, Traceback: s.values.Traceback(f.message)}
	if f.step >= 0 {
		out.Step = s.engine.specs[f.step].Name
		out.Variant = s.engine.specs[f.step].Impls[f.variant].Name
	}
	return out
}

// A Fixes says who runs their fix in a replay. The zero value is the run as it was.
type Fixes struct {
	Coalition game.Coalition
	// All means every player, those included that haven't been met yet.
	All bool
	// Variants names, by step, an implementation to run whatever the coalition
	// says; 0 is the as-run one.
	Variants map[int]int
}

// Run replays the case in a world under a coalition and tells what happened.
// The factual run is that of no fixes in world 0 with factual set: its cost is
// not the analysis'.
func (s *Session) Run(ctx context.Context, world int, fixes Fixes, factual bool) *Trace {
	t := &Trace{}
	var running sync.WaitGroup
	w := &walk{session: s, ctx: ctx, world: world, factual: factual, trace: t, fixed: fixes.Coalition, all: fixes.All, variants: fixes.Variants, running: &running}
	t.Score, t.Err = w.run()
	running.Wait()
	t.AtOnce = w.overlaps
	sortFailures(t.Failures)
	if factual {
		s.factualCalls, s.factualOverlaps = w.answered, w.overlaps
	}
	return t
}

// Known reports whether the case's score in a world under a coalition is known
// without running anything.
func (s *Session) Known(ctx context.Context, world int, c game.Coalition) bool {
	var running sync.WaitGroup
	w := &walk{session: s, ctx: ctx, world: world, fixed: c, running: &running, peek: true}
	_, err := w.run()
	return err == nil
}

// Value returns the score of the case in a world under a coalition.
func (s *Session) Value(ctx context.Context, world int, c game.Coalition) (float64, error) {
	at := replayed{world, c}
	s.mu.Lock()
	v, known := s.scores[at]
	s.mu.Unlock()
	if known {
		return v, nil
	}
	v, err := s.replay(ctx, world, c)
	if err == nil {
		s.mu.Lock()
		if s.scores == nil {
			s.scores = map[replayed]float64{}
		}
		s.scores[at] = v
		s.mu.Unlock()
	}
	return v, err
}

func (s *Session) replay(ctx context.Context, world int, c game.Coalition) (float64, error) {
	var running sync.WaitGroup
	defer running.Wait()
	w := &walk{session: s, ctx: ctx, world: world, fixed: c, running: &running}
	return w.run()
}

// replayed identifies a replay whose score Value has found.
type replayed struct {
	world     int
	coalition game.Coalition
}

func (t *Trace) add(s *Session, r request, out *outcome, cached bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.Calls == nil {
		t.Calls = make([]TraceCall, 0, len(s.engine.pipeline.Steps))
	}
	t.Calls = append(t.Calls, TraceCall{
		Step: r.step, Label: r.name, Variant: r.variant, Args: r.inputs, Output: out.value,
		Draws: out.draws, Notes: out.notes, Cost: out.cost, Duration: out.took, Cached: cached && !out.pinned, Pinned: out.pinned,
	})
}

func (t *Trace) fail(w *walk, f failure) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Failures = append(t.Failures, w.session.failure(f, w.fixed))
}

// failures returns what failed, each with the smallest coalition that leads to
// it: by size, then by the players in the order of reports. Those coalitions are
// first of players' places in that order, as their numbers may say nothing.
func (x *explorer) failures() []Failure {
	if !slices.ContainsFunc(x.slots, func(s slot) bool { return len(s.failures) > 0 }) {
		return nil
	}
	order := x.order()
	place := make([]int, len(order))
	for i, player := range order {
		place[player] = i
	}
	best := map[int32]game.Coalition{}
	queue := &reachQueue{{0, game.Coalition{}}}
	for queue.Len() > 0 {
		r := heap.Pop(queue).(reach)
		if _, seen := best[r.slot]; seen {
			continue
		}
		best[r.slot] = r.by
		switch s := &x.slots[r.slot]; s.end {
		case slotNext:
			heap.Push(queue, reach{s.lo, r.by})
		case slotNode:
			heap.Push(queue, reach{s.lo, r.by})
			heap.Push(queue, reach{s.hi, r.by.With(place[s.player])})
		}
	}
	smallest := map[failure]game.Coalition{}
	for at, by := range best {
		for _, f := range x.slots[at].failures {
			if have, ok := smallest[f]; !ok || game.Compare(by, have) < 0 {
				smallest[f] = by
			}
		}
	}
	var out []Failure
	for f, by := range smallest {
		out = append(out, x.session.failure(f, by))
	}
	sortFailures(out)
	for i := range out {
		var numbered game.Coalition
		for at := range out[i].Coalition.Players() {
			numbered = numbered.With(order[at])
		}
		out[i].Coalition = numbered
	}
	return out
}

// sortFailures sorts failures by coalition, step, variant and message.
func sortFailures(fs []Failure) {
	slices.SortFunc(fs, func(a, b Failure) int {
		if c := game.Compare(a.Coalition, b.Coalition); c != 0 {
			return c
		}
		return strings.Compare(a.Step+"\x00"+a.Variant+"\x00"+a.Message, b.Step+"\x00"+b.Variant+"\x00"+b.Message)
	})
}

// reach is a slot with a coalition that leads to it.
type reach struct {
	slot int32
	by   game.Coalition
}

type reachQueue []reach

func (q reachQueue) Len() int           { return len(q) }
func (q reachQueue) Less(i, j int) bool { return game.Compare(q[i].by, q[j].by) < 0 }
func (q reachQueue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *reachQueue) Push(x any)        { *q = append(*q, x.(reach)) }
func (q *reachQueue) Pop() any {
	old := *q
	x := old[len(old)-1]
	*q = old[:len(old)-1]
	return x
}
