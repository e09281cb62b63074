package noise

// last is the largest value of 53 bits.
const last = 1<<53 - 1

// span returns the values of the 53 bits under which a scalar draw comes out as
// d, an interval as all of these draws are monotone in them; lo > hi if there is
// none. A real number that no 53 bits give stands for the nearest above.
func (d *Draw) span() (lo, hi uint64) {
	switch d.Kind {
	case Int:
		n, v := uint64(d.N), uint64(d.Value)
		lo = first(func(k uint64) bool { return below(k, n) >= v })
		return lo, first(func(k uint64) bool { return below(k, n) > v }) - 1
	case Bool:
		no := first(func(k uint64) bool { return uniform(k) >= d.P })
		if d.Value == 0 {
			return no, last
		}
		if no == 0 {
			return 1, 0
		}
		return 0, no - 1
	case Seed:
		lo = uint64(d.Value)
	case Uniform:
		lo = first(func(k uint64) bool { return uniform(k) >= d.Value })
	case Normal:
		lo = first(func(k uint64) bool { return normal(uniform(k)) >= d.Value })
	case Exponential:
		lo = first(func(k uint64) bool { return exponential(uniform(k)) <= d.Value })
	}
	lo = min(lo, last)
	return lo, lo
}

// first returns the smallest k for which is(k), a monotone condition, holds;
// last+1 if there is none.
func first(is func(k uint64) bool) uint64 {
	lo, hi := uint64(0), uint64(last+1)
	for lo < hi {
		if mid := lo + (hi-lo)/2; is(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
