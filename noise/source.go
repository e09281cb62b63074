package noise

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"unicode/utf8"
)

// inline is how many keys a source remembers without a map.
const inline = 6

// A Source is the noise of one run of a step. Its methods draw: each key names
// one draw, and may be used once. The zero Source is the noise of world {0, 0},
// step "", call "".
//
// A Source may be used by several goroutines of its step run at once, except
// for Reset, OnDraw and Record, which belong before the first draw. It must not
// be copied after first use.
type Source struct {
	world      World
	step, call string
	known      map[string]*evidence // observations of this step run, by key
	onDraw     func()
	recording  bool

	mu    sync.Mutex
	n     int                 // number of keys used
	first [inline]string      // the first of them
	more  map[string]struct{} // the others
	draws []Draw
}

// Reset makes s the noise of one run of a step and forgets everything else:
// keys, records and the OnDraw function. It allocates nothing.
func (s *Source) Reset(w World, step, call string) {
	s.world, s.step, s.call = w, step, call
	s.known = w.posterior.of(step, call)
	s.onDraw, s.recording = nil, false
	s.n, s.first, s.more, s.draws = 0, [inline]string{}, nil, nil
}

// Address returns the world, the step and the call whose noise s is: with
// [Source.Observed], what a step in another process needs to make the same
// draws. Reading it draws nothing.
func (s *Source) Address() (w World, step, call string) { return s.world, s.step, s.call }

// Observed returns the draws of this step run that its world is given, sorted
// by key; none in a world without a [Posterior].
func (s *Source) Observed() []Draw {
	var draws []Draw
	for _, e := range s.known {
		draws = append(draws, e.draw.clone())
	}
	sortByKey(draws)
	return draws
}

// OnDraw sets a function that is called once, by the goroutine making the
// first draw. A run that never calls it has seen no noise: its result is the
// same in all worlds.
func (s *Source) OnDraw(f func()) { s.onDraw = f }

// Drew reports whether anything has been drawn.
func (s *Source) Drew() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n > 0
}

// Record makes s keep what is drawn, for [Source.Draws].
func (s *Source) Record() { s.recording = true }

// Draws returns what was drawn since Record, sorted by key: the order of draws
// has no meaning, and with several goroutines it isn't reproducible.
func (s *Source) Draws() []Draw {
	s.mu.Lock()
	defer s.mu.Unlock()
	draws := slices.Clone(s.draws)
	sortByKey(draws)
	return draws
}

// Take takes draws that were made elsewhere with the noise of this address, in
// another process: they count as drawn and are recorded as if s had made them. A
// key used twice, here or there, and a draw that can't have been made are errors.
func (s *Source) Take(draws []Draw) (err error) {
	defer func() {
		if p := recover(); p != nil {
			wrong, ok := p.(*Error)
			if !ok {
				panic(p)
			}
			err = wrong
		}
	}()
	for _, d := range draws {
		if err := d.validate(); err != nil {
			return err
		}
		s.claim(d.Key)
		if s.recording {
			s.record(d.clone())
		}
	}
	return nil
}

func sortByKey(draws []Draw) {
	slices.SortFunc(draws, func(a, b Draw) int { return cmp.Compare(a.Key, b.Key) })
}

func (s *Source) record(d Draw) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.draws = append(s.draws, d)
}

// claim marks key as used and panics if it already was. Every draw starts here.
func (s *Source) claim(key string) {
	s.mu.Lock()
	n := s.n
	fresh := s.add(key)
	s.mu.Unlock()
	if !fresh {
		s.fail(key, "used twice in one step run: both draws would be the same noise")
	}
	if !utf8.ValidString(key) {
		s.fail(key, "not valid UTF-8")
	}
	if n > 0 {
		return
	}
	if !utf8.ValidString(s.step) || !utf8.ValidString(s.call) {
		s.fail(key, "step or call name is not valid UTF-8")
	}
	if s.onDraw != nil {
		s.onDraw()
	}
}

// add reports whether key is new, and remembers it.
func (s *Source) add(key string) bool {
	for _, k := range s.first[:min(s.n, inline)] {
		if k == key {
			return false
		}
	}
	if s.n < inline {
		s.first[s.n] = key
		s.n++
		return true
	}
	if _, used := s.more[key]; used {
		return false
	}
	if s.more == nil {
		s.more = make(map[string]struct{})
	}
	s.more[key] = struct{}{}
	s.n++
	return true
}

func (s *Source) fail(key, format string, args ...any) {
	panic(&Error{Step: s.step, Call: s.call, Key: key, Msg: fmt.Sprintf(format, args...)})
}
