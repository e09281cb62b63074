package noise

import (
	"maps"
	"math"
	"unicode/utf8"
)

// Categorical draws one of the named options with probability proportional to
// e^logit: the one with the largest logit + Gumbel, where the Gumbel belongs to
// the option's own address. Of options exactly equal the one with the smaller
// name (in byte order) wins. A logit of −Inf excludes its option.
func (s *Source) Categorical(key string, logits map[string]float64) string {
	s.claim(key)
	var buf [typical]byte
	address := s.address(buf[:0], prior, key)
	e := s.known[key]
	if e != nil && e.draw.Kind != Categorical {
		e = nil
	}
	var g0 float64 // the Gumbel of the observed maximum
	if e != nil {
		g0 = optionGumbel(address, abducted, e.draw.Chosen)
	}
	chosen, best, found := "", 0.0, false
	for option, l := range logits {
		if !(l <= math.MaxFloat64) || !utf8.ValidString(option) {
			s.fail(key, "%s", badLogits(logits))
		}
		if math.IsInf(l, -1) {
			continue
		}
		var v float64
		if e == nil {
			v = l + optionGumbel(address, prior, option)
		} else {
			v = e.option(address, option, l, g0)
		}
		if !found || v > best || v == best && option < chosen {
			chosen, best, found = option, v, true
		}
	}
	if !found {
		s.fail(key, "%s", badLogits(logits))
	}
	if s.recording {
		s.record(Draw{Key: key, Kind: Categorical, Logits: maps.Clone(logits), Chosen: chosen})
	}
	return chosen
}
