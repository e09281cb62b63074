package game

import (
	"fmt"
	"math/bits"
)

// MaxTablePlayers is the largest number of players of a Table: 2²⁴ values are
// 128 MiB.
const MaxTablePlayers = 24

// A Table is a game written out: v(c) at index c.Mask(). Its length is 2ⁿ for
// n players. Make one with make(Table, 1<<n).
type Table []float64

// Players returns n. It panics if the length is not a power of two up to
// 2^MaxTablePlayers.
func (t Table) Players() int {
	n := bits.Len(uint(len(t))) - 1
	if n < 0 || n > MaxTablePlayers || len(t) != 1<<n {
		panic(fmt.Sprintf("game: table of %d values, want a power of two up to 2^%d", len(t), MaxTablePlayers))
	}
	return n
}

// Value returns v(c).
func (t Table) Value(c Coalition) float64 { return t[c.Mask()] }

// block is the number of table entries whose sums by low players are kept in
// registers and the first-level cache.
const (
	blockBits = 5
	block     = 1 << blockBits
)

// Shapley writes the Shapley value of every player into dst and returns it,
// grown if needed. With W(s) = 1/(n·C(n−1,s−1)) + 1/(n·C(n−1,s)),
//
//	φᵢ = Σ_{S∋i} W(|S|)·v(S) − B,   B the same for all players,
//
// and B follows from Σφ = v(N) − v(∅). So one pass over the table suffices: it
// adds up W·v by the low bits of S and, for the high bits, by blocks, whose
// sums are then treated likewise.
func (t Table) Shapley(dst []float64) []float64 {
	n := t.Players()
	dst = zeros(dst, n)
	if n == 0 {
		return dst
	}
	low := min(n, blockBits)
	weight := memberWeights(n)
	base := t[0]
	var byLow [block]float64
	blocks := make([]float64, len(t)>>low)
	if n < blockBits {
		for s, v := range t {
			byLow[s] = weight[bits.OnesCount(uint(s))] * (v - base)
			blocks[0] += byLow[s]
		}
	} else {
		rows := weightRows(weight, n-low)
		for h := range blocks {
			row := &rows[bits.OnesCount(uint(h))]
			v := (*[block]float64)(t[h*block:])
			var sum0, sum1 float64
			for k := 0; k < block; k += 2 {
				x0 := float64(row[k] * (v[k] - base))
				x1 := float64(row[k+1] * (v[k+1] - base))
				byLow[k] += x0
				byLow[k+1] += x1
				sum0 += x0
				sum1 += x1
			}
			blocks[h] = sum0 + sum1
		}
	}
	bitSums(dst[:low], byLow[:1<<low])
	bitSums(dst[low:], blocks)
	total := 0.0
	for _, x := range dst {
		total += x
	}
	shared := (total - (t[len(t)-1] - base)) / float64(n)
	for i := range dst {
		dst[i] -= shared
	}
	return dst
}

// memberWeights returns W(s) for s = 0 … n. The term of an impossible size is
// left out.
func memberWeights(n int) []float64 {
	w := make([]float64, n+1)
	choose := 1.0 // C(n−1, s)
	for s := range n {
		part := 1 / (float64(n) * choose)
		w[s] += part   // S without i
		w[s+1] += part // S∪i
		choose = choose * float64(n-1-s) / float64(s+1)
	}
	return w
}

// weightRows returns, for every number of high players in S, the weights by
// the low bits of S.
func weightRows(weight []float64, high int) [][block]float64 {
	rows := make([][block]float64, high+1)
	for h := range rows {
		for k := range rows[h] {
			rows[h][k] = weight[h+bits.OnesCount(uint(k))]
		}
	}
	return rows
}

// bitSums sets dst[i] to the sum of x over the indices with bit i set, folding
// x onto its lower half again and again. Two running sums are added in turn,
// which is faster than one, and rounds less.
func bitSums(dst, x []float64) {
	for i := len(dst) - 1; i > 0; i-- {
		half := len(x) / 2
		lo, hi := x[:half], x[half:]
		var sum0, sum1 float64
		for k := 0; k+1 < len(lo) && k+1 < len(hi); k += 2 {
			sum0 += hi[k]
			sum1 += hi[k+1]
			lo[k] += hi[k]
			lo[k+1] += hi[k+1]
		}
		dst[i] = sum0 + sum1
		x = lo
	}
	if len(dst) > 0 {
		dst[0] = x[1]
	}
}

// Table returns the game written out. Unknown values are NaN.
func (d *Diagram) Table() (Table, error) {
	if d.players > MaxTablePlayers {
		return nil, fmt.Errorf("writing out a game of %d players: more than %d", d.players, MaxTablePlayers)
	}
	t := make(Table, 1<<d.players)
	d.fill(t, d.root, 0, 1<<d.players-1)
	return t, nil
}

// fill writes the values from a target on, reached by the coalition in, for
// all choices of the players still free.
func (d *Diagram) fill(t Table, at int32, in, free uint32) {
	if int(at) >= len(d.leaves) {
		n := &d.nodes[int(at)-len(d.leaves)]
		bit := uint32(1) << n.player
		d.fill(t, n.lo, in, free&^bit)
		d.fill(t, n.hi, in|bit, free&^bit)
		return
	}
	for s := free; ; s = (s - 1) & free {
		t[in|s] = d.leaves[at]
		if s == 0 {
			return
		}
	}
}

// Diagram returns the game as a reduced ordered decision diagram that asks
// players in the order of their numbers. NaN values become unknown leaves.
func (t Table) Diagram() *Diagram {
	n := t.Players()
	leaves, row := distinct(t)
	order := complete(nil, n)
	c := newCompiler(&Diagram{players: n}, order, int32(len(leaves)))
	// Player n−1 is the highest bit and asked last.
	for player := n - 1; player >= 0; player-- {
		lo, hi := row[:1<<player], row[1<<player:1<<(player+1)]
		for k := range lo {
			lo[k] = c.node(int32(player), lo[k], hi[k])
		}
	}
	return c.extract(n, leaves, row[0])
}
