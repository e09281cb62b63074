package noise

import "fmt"

// A World is one realization of all exogenous noise. Worlds of one Seed and
// different Index are independent of each other. World values are comparable.
type World struct {
	Seed, Index uint64

	posterior *Posterior // what is known about the noise; nil: nothing
}

// Given returns the world with the same seed and index whose noise is
// conditioned on p: draws at observed addresses come from the posterior given
// the observation, all others are w's own. A nil p gives the unconditioned
// world.
func (w World) Given(p *Posterior) World {
	w.posterior = p
	return w
}

// ID names the world's noise: equal IDs mean equal draws everywhere, across
// processes too. It is "seed/index", and "seed/index/digest of the
// observations" for a conditioned world.
func (w World) ID() string {
	id := fmt.Sprintf("%d/%d", w.Seed, w.Index)
	if w.posterior != nil {
		id += "/" + w.posterior.id
	}
	return id
}

// Source returns the noise of one run of a step: of its n-th call in decimal
// ("1", "2", …), or of the call of that name.
func (w World) Source(step, call string) *Source {
	s := new(Source)
	s.Reset(w, step, call)
	return s
}
