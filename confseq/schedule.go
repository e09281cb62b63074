package confseq

import (
	"fmt"
	"math"
)

// Schedule is when a rule looks that may not look all the time.
//
// The k-th checkpoint is ⌈First·Growth^(k−1)⌉; it may spend the share δ/(n·k(k+1)) of the error on each of n players.
// The shares of all checkpoints and players sum to δ, so the intervals of all checkpoints hold at once with
// probability 1−δ, and stopping at any of them is safe.
type Schedule struct {
	First  int     // the first checkpoint; 0 means 8
	Growth float64 // 0 means 1.5
	// Once, if positive, replaces all that by one look at this count, which may spend all of δ.
	Once int
}

func (s Schedule) complete() (Schedule, error) {
	if s.First == 0 {
		s.First = 8
	}
	if s.Growth == 0 {
		s.Growth = 1.5
	}
	switch {
	case s.First < 2:
		return s, fmt.Errorf("first checkpoint is %d: want at least 2, a variance needs two values", s.First)
	case !(s.Growth > 1) || math.IsInf(s.Growth, 1):
		return s, fmt.Errorf("growth of the checkpoints is %v: want more than 1", s.Growth)
	case s.Once < 0 || s.Once == 1:
		return s, fmt.Errorf("the only checkpoint is %d: want at least 2", s.Once)
	}
	return s, nil
}

// At returns the k-th checkpoint, k ≥ 1. The zero Schedule has 8, 12, 18, 27, 41, 61, 92, …, 692, 1038, ….
// With Once there is one, and later ones are never reached.
func (s Schedule) At(k int) int {
	s, _ = s.complete()
	if s.Once > 0 {
		if k == 1 {
			return s.Once
		}
		return math.MaxInt
	}
	at := float64(s.First)
	for range k - 1 { // repeated products of 1.5 are exact where math.Pow need not be
		at *= s.Growth
	}
	if at >= math.MaxInt {
		return math.MaxInt
	}
	return int(math.Ceil(at))
}

// Share returns what checkpoint k may spend on each of n players: δ/(n·k(k+1)), or δ/n with Once.
func (s Schedule) Share(delta float64, n, k int) float64 {
	if s.Once > 0 {
		return delta / float64(n)
	}
	return delta / (float64(n) * float64(k) * float64(k+1))
}
