package game

import "iter"

// LeafValues yields the values that leaves have, NaN for unknown ones. A value
// may come more than once.
func (d *Diagram) LeafValues() iter.Seq[float64] {
	return func(yield func(float64) bool) {
		for _, v := range d.leaves {
			if !yield(v) {
				return
			}
		}
	}
}
