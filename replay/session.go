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
	worlds []noise.World
	record bool // keep draws, for traces

	mu      sync.Mutex
	entries map[key]*entry
	names   map[string]uint32 // labels that are no numbers
	pins    map[pin]pinned
	players []Player
	byCall  map[Player]int // with calls as players
	cost    float64        // of analysis runs
	factual float64        // of factual runs

	// What the factual replay called, which a further run must call again.
	factualCalls    []made
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
	s := &Session{engine: e, entries: map[key]*entry{}}
	s.input = pipeline.Session{Case: c, Values: &pipeline.Values{}}
	s.worlds = []noise.World{{Seed: c.WorldSeed(seed)}}
	if !e.options.Calls {
		for i := range e.pipeline.Steps {
			if e.fixes[i] > 0 {
				s.players = append(s.players, Player{Step: i})
			}
		}
	} else {
		s.byCall = map[Player]int{}
	}
	if err := s.pinRecording(); err != nil {
		return nil, fmt.Errorf("recording of case %s: %w", c.ID, err)
	}
	return s, nil
}

// AddWorld adds a world and returns its number.
func (s *Session) AddWorld(w noise.World) int {
	s.worlds = append(s.worlds, w)
	return len(s.worlds) - 1
}

// Cost returns what the case's analysis has cost so far: the runs that were
// new, without those of the factual replay.
func (s *Session) Cost() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cost
}

// FactualCost returns what the factual replay has cost.
func (s *Session) FactualCost() float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.factual
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
	if s.engine.fixes[step] == 0 {
		return -1
	}
	if s.byCall == nil {
		for i, p := range s.players {
			if p.Step == step {
				return i
			}
		}
		return -1
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
