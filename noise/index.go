package noise

import (
	"math"
	"math/bits"
	"slices"
)

// Index draws one of the options 0 … len(logits)−1 with probability
// proportional to e^logit, as [Source.Categorical] does for named options. It
// is made for many options (token ids): their Gumbels come from one hash and a
// counter generator, option i's from uniform number i. Of options exactly equal
// the lower index wins. A logit of −Inf excludes its option.
func (s *Source) Index(key string, logits []float64) int {
	top := largest(logits)
	if top < 0 {
		s.fail(key, "%s", badIndexLogits(logits))
	}
	s.claim(key)
	d := s.digest(prior, key)
	r := d.stream()
	var chosen int
	if e := s.known[key]; e != nil && e.draw.Kind == Index {
		a := s.digest(abducted, key)
		chosen = e.index(r, a.stream(), logits)
	} else {
		chosen = r.index(logits, top)
	}
	if s.recording {
		s.record(Draw{Key: key, Kind: Index, IndexLogits: slices.Clone(logits), Value: float64(chosen)})
	}
	return chosen
}

// largest returns the index of the largest logit, the first of equals, and −1
// if there is no possible option or a logit is NaN or +Inf.
func largest(logits []float64) int {
	top, best := -1, math.Inf(-1)
	for i, l := range logits {
		if !(l <= math.MaxFloat64) {
			return -1
		}
		if l > best {
			top, best = i, l
		}
	}
	return top
}

// index returns the argmax of logits[i] + Gumbel i; top is the largest logit's
// index. Two logarithms an option would cost most of the time, so they are
// taken only where an upper bound of the Gumbel could win; starting from the
// largest logit, such options are few. The result is that of taking all.
func (r *stream) index(logits []float64, top int) int {
	b := best{at: top, value: logits[top] + gumbel(uniform(r.bits(uint64(top))))}
	i := 0
	for ; i+3 < len(logits); i += 4 {
		l := (*[4]float64)(logits[i:])
		if !b.threatened(l, gumbelMax) {
			continue
		}
		k0, k1, k2, k3 := r.two(uint64(i) / 2)
		if !b.threatened(l, gumbelBound(max(k0, k1, k2, k3))) {
			continue
		}
		for j, k := range [4]uint64{k0, k1, k2, k3} {
			if l[j]+gumbelBound(k) >= b.value {
				b.offer(i+j, l[j]+gumbel(uniform(k)))
			}
		}
	}
	for ; i < len(logits); i++ {
		b.offer(i, logits[i]+gumbel(uniform(r.bits(uint64(i)))))
	}
	return b.at
}

// best is a running argmax over indices, the lower of equals.
type best struct {
	at    int
	value float64
}

func (b *best) offer(i int, v float64) {
	if v > b.value || v == b.value && i < b.at {
		b.at, b.value = i, v
	}
}

// threatened reports whether one of four logits could win with a Gumbel of at
// most g. Rounding is monotone: l+g < value leaves no smaller Gumbel a chance.
func (b *best) threatened(l *[4]float64, g float64) bool {
	return l[0]+g >= b.value || l[1]+g >= b.value || l[2]+g >= b.value || l[3]+g >= b.value
}

// gumbelMax is above every Gumbel there is.
const gumbelMax = 37

// gumbelBound is at least gumbel(uniform(k)), at the price of a few integer
// operations. As −ln u ≥ 1−u, a Gumbel is at most −ln(1−u); and 1−u is c/2⁵³
// with c = 2⁵³−k ≥ 2^(bits of c − 1). The constant is ln 2 rounded up by more
// than all rounding errors.
func gumbelBound(k uint64) float64 {
	return float64(float64(bits.LeadingZeros64(1<<53-k)-10) * 0.6931472)
}
