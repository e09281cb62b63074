package blame

import (
	"math/bits"

	"github.com/agentblame/agentblame/pipeline"
)

// Cases are the cases of a batch, which need not all be in memory at once.
type Cases interface {
	// Len is the number of cases.
	Len() int
	// At returns the i-th case, 0 ≤ i < Len(). It may be called by several
	// goroutines at once, and more than once for a case.
	At(i int) pipeline.Case
}

// caseList are cases that are all in memory.
type caseList []pipeline.Case

func (l caseList) Len() int               { return len(l) }
func (l caseList) At(i int) pipeline.Case { return l[i] }

// order is the order in which cases are analysed: a random one drawn from the
// seed, since the order of a file says something, and rules that stop early must
// not learn from it. It is a Feistel network on numbers of 2·half bits, walked
// along until it gives one below n, so that it takes no memory.
type order struct {
	n    uint64
	half uint
	seed uint64
}

func newOrder(n int, seed uint64) order {
	return order{n: uint64(n), half: uint(max(1, (bits.Len(uint(max(n-1, 1)))+1)/2)), seed: seed}
}

// at returns the index of the k-th case in the order.
func (o order) at(k int) int {
	x := uint64(k)
	for {
		x = o.permute(x)
		if x < o.n {
			return int(x)
		}
	}
}

func (o order) permute(x uint64) uint64 {
	mask := uint64(1)<<o.half - 1
	left, right := x>>o.half, x&mask
	for round := range uint64(6) {
		left, right = right, left^mix(right+mix(o.seed+mix(round)))&mask
	}
	return left<<o.half | right
}

// mix is the finalizer of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
