package replay

import (
	"cmp"
	"fmt"
	"strconv"
	"sync"

	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

// A Session is one case under replay: its values, its step cache, its worlds
// and its players. World 0 is the factual one.
type Session struct {
	engine *Engine
	input  pipeline.Session
	values *pipeline.Values

	mu     sync.Mutex
	worlds []noise.World
	own    map[key]*entry    // runs of one world and call
	shared map[key]*entry    // runs that serve all of them, or may
	names  map[string]uint32 // labels that are no numbers
	pins   map[pin]pinned
	keyed  map[keyed]*pipeline.Value // the first output of a step with a key
	scores map[replayed]float64      // of replays that were asked for, by Value
	blank  []entry                   // for runs to come
	merged int                       // outputs that another stands for
	// pinWorlds says that pins hold in all worlds, not in the factual one alone.
	pinWorlds bool
	players   []Player
	byCall    map[Player]int // with calls as players
	// leftBehind says that a run which overran its time may still go on.
	leftBehind bool
	cost       tally // of analysis runs
	factual    tally // of factual runs

	// What the factual replay called, which a further run must call again.
	factualCalls    []answer
	factualOverlaps bool
}

// A Player is a step, or one call of a step.
type Player struct {
	// Step is the index in the pipeline's steps.
	Step int
	// Label is the call's, with calls as players; "" otherwise.
	Label string
}

// Case begins the replay of a case. The seed is the analysis': a case without
// one of its own derives its world from it.
func (e *Engine) Case(c *pipeline.Case, seed uint64) (*Session, error) {
	s, _ := e.sessions.Get().(*Session)
	if s == nil {
		s = &Session{engine: e, values: &pipeline.Values{}, own: map[key]*entry{}, shared: map[key]*entry{}}
	}
	input, err := e.pipeline.Program.Prepare(c, s.values)
	if err != nil {
		return nil, err
	}
	s.input = input
	s.worlds = append(s.worlds, noise.World{Seed: c.WorldSeed(seed)})
	s.players = e.stepPlayers
	if e.options.Calls {
		s.byCall = map[Player]int{}
	}
	if err := s.pinRecording(); err != nil {
		return nil, fmt.Errorf("recording of case %s: %w", c.ID, err)
	}
	return s, nil
}

// Close gives the session's memory to the next case. Neither the session nor its
// values may be used after, but for those that a Trace holds. A session that
// isn't closed is collected like anything else.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.leftBehind || len(s.own)+len(s.shared)+len(s.scores) > mostKept {
		return // something may still write to it, or it is too large to clear for every small case
	}
	s.values.Reset()
	clear(s.own)
	clear(s.shared)
	clear(s.scores)
	fresh := &Session{
		engine: s.engine, values: s.values, own: s.own, shared: s.shared, scores: s.scores, blank: s.blank,
		worlds: s.worlds[:0], cost: tally{s.cost.costs[:0]}, factual: tally{s.factual.costs[:0]},
	}
	// What a step has left running finds nothing here any more.
	s.own, s.shared, s.scores, s.blank, s.worlds = nil, nil, nil, nil, nil
	s.engine.sessions.Put(fresh)
}

// mostKept is how many step runs and scores a session may hold whose memory is kept.
const mostKept = 1000

// AddWorld adds a world and returns its number.
func (s *Session) AddWorld(w noise.World) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.worlds = append(s.worlds, w)
	return len(s.worlds) - 1
}

// World returns a world by its number.
func (s *Session) World(i int) noise.World {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.worlds[i]
}

// Cost returns what the case's analysis has cost so far: the runs that were
// new, without those of the factual replay.
func (s *Session) Cost() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cost.sum()
}

// FactualCost returns what the factual replay has cost.
func (s *Session) FactualCost() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.factual.sum()
}

// Players returns the players that have been met so far, in the order in which
// coalitions number them. With steps as players that is all of them, in the
// pipeline's order; with calls it is the order in which they were discovered.
func (s *Session) Players() []Player {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.players
}

// Name returns a player's name in results: "step", or "step#iteration".
func (e *Engine) Name(p Player) string {
	name := e.specs[p.Step].Name
	if p.Label != "" {
		name += "#" + p.Label
	}
	return name
}

// ComparePlayers orders players as reports do: by step, numbered calls before
// named ones.
func ComparePlayers(a, b Player) int {
	if c := cmp.Compare(a.Step, b.Step); c != 0 {
		return c
	}
	x, errX := strconv.Atoi(a.Label)
	y, errY := strconv.Atoi(b.Label)
	switch {
	case errX == nil && errY == nil:
		return cmp.Compare(x, y)
	case errX == nil:
		return -1
	case errY == nil:
		return 1
	}
	return cmp.Compare(a.Label, b.Label)
}

// player returns the number of the player that a call belongs to, or −1 when
// its step has no fix.
func (s *Session) player(step int, label string) int {
	if s.byCall == nil || s.engine.fixes[step] == 0 {
		return s.engine.Player(step)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	p := Player{step, label}
	i, known := s.byCall[p]
	if !known {
		i = len(s.players)
		s.players = append(s.players, p)
		s.byCall[p] = i
	}
	return i
}

// labelID returns a number for a call's label: the iteration itself, or a
// number apart from those for a name.
func (s *Session) labelID(label string) uint32 {
	if n, err := strconv.ParseUint(label, 10, 31); err == nil {
		return uint32(n)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	id, ok := s.names[label]
	if !ok {
		if s.names == nil {
			s.names = map[string]uint32{}
		}
		id = 1<<31 | uint32(len(s.names))
		s.names[label] = id
	}
	return id
}

// labelName returns the label that a number stands for.
func (s *Session) labelName(id uint32) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, have := range s.names {
		if have == id {
			return name
		}
	}
	return strconv.FormatUint(uint64(id), 10)
}

// Player returns the number of the player that a step is, or −1 when it has no
// fix. With calls as players there are none before a replay has met them.
func (e *Engine) Player(step int) int {
	if e.options.Calls {
		return -1
	}
	return e.playerOf[step]
}
