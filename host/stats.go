package host

import (
	"maps"
	"sync"
)

// Stats count what went wrong with a host's processes and was mended.
type Stats struct {
	// Restarts is how many processes have ended before their time.
	Restarts int
	// Retried is how many requests were made again since the process that had
	// them ended, by step; "program" is the pipeline's own code.
	Retried map[string]int
}

type stats struct {
	mu sync.Mutex
	Stats
}

// Stats returns the host's counts.
func (h *Host) Stats() Stats {
	h.stats.mu.Lock()
	defer h.stats.mu.Unlock()
	return Stats{h.stats.Restarts, maps.Clone(h.stats.Retried)}
}

func (s *stats) restarted() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Restarts++
}

func (s *stats) retried(step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Retried == nil {
		s.Retried = map[string]int{}
	}
	s.Retried[step]++
}
