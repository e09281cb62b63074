package main

import (
	"fmt"
	"math"

	"github.com/agentblame/agentblame/game"
)

// A pipeline is a failed run of generated steps, each with one fix. A step's
// output is a number that its own hash makes of its variant and its inputs, so
// that equal seeds make equal pipelines.
type pipeline struct {
	name  string
	steps []step
	score func(last []uint64) float64 // of all outputs
	all   int                         // step runs that all coalitions take
}

// A step reads the outputs of earlier steps.
type step struct {
	inputs []int
	// run returns the output of a variant, 0 as run and 1 fixed.
	run func(variant int, in []uint64) uint64
}

// A runKey is what a step run depends on: equal keys run once.
type runKey struct {
	step, variant int
	inputs        [4]uint64
}

// replay returns the score under a coalition, and adds the step runs to the
// memo.
func (p *pipeline) replay(mask uint64, memo map[runKey]uint64) float64 {
	out := make([]uint64, len(p.steps))
	for k, s := range p.steps {
		key := runKey{step: k, variant: int(mask >> k & 1)}
		in := key.inputs[:len(s.inputs)]
		for j, from := range s.inputs {
			in[j] = out[from]
		}
		y, ok := memo[key]
		if !ok {
			y = s.run(key.variant, in)
			memo[key] = y
		}
		out[k] = y
	}
	return p.score(out)
}

// table replays all coalitions.
func (p *pipeline) table() game.Table {
	t, memo := make(game.Table, 1<<len(p.steps)), map[runKey]uint64{}
	for mask := range t {
		t[mask] = p.replay(uint64(mask), memo)
	}
	p.all = len(memo)
	return t
}

// runs counts the step runs of replaying the coalitions, and ∅ and N, one after
// the other with a memo.
func (p *pipeline) runs(masks []uint64) int {
	memo := map[runKey]uint64{}
	p.replay(0, memo)
	p.replay(1<<len(p.steps)-1, memo)
	for _, m := range masks {
		p.replay(m, memo)
	}
	return len(memo)
}

// hash mixes numbers (SplitMix64).
func hash(x ...uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, v := range x {
		h ^= v
		h += 0x9e3779b97f4a7c15
		h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
		h = (h ^ h>>27) * 0x94d049bb133111eb
		h ^= h >> 31
	}
	return h
}

// unit is a number in [0, 1) from a hash.
func unit(x ...uint64) float64 { return math.Ldexp(float64(hash(x...)>>11), -53) }

// families are the kinds of pipelines, by name.
var families = []struct {
	name string
	make func(seed uint64) *pipeline
}{
	// One parent each: states merge soon, few step runs say all.
	{"chain", func(seed uint64) *pipeline { return layered(seed, 12, 6, 1, 0.4) }},
	// Two parents each.
	{"two-parents", func(seed uint64) *pipeline { return layered(seed, 14, 6, 2, 0.4) }},
	// Fixes that break as much as they repair: they come as often with a score
	// below as above that of the run as it was.
	{"harmful", func(seed uint64) *pipeline { return harmful(seed, 12) }},
	// An agent's loop: four steps, four times round, every call a player.
	{"loop", func(seed uint64) *pipeline { return loop(seed, 4, 4) }},
	// No two states merge: outputs tell all fixes before, as free text does.
	{"conjunctions", func(seed uint64) *pipeline { return conjunctions(seed, 16) }},
	// Votes of independent steps, graded.
	{"votes", func(seed uint64) *pipeline { return votes(seed, 13) }},
}

// instances is the number of pipelines of each family.
const instances = 3

// pipelines returns the generated pipelines. Seeds are tried in turn until the
// run fails, all fixes together repair it, and some single fix matters.
func pipelines() []*pipeline {
	var out []*pipeline
	for f, family := range families {
		seed := uint64(f) << 32
		for k := range instances {
			for {
				seed++
				p := family.make(seed)
				memo := map[runKey]uint64{}
				low, high := p.replay(0, memo), p.replay(1<<len(p.steps)-1, memo)
				if low < 0.5 && high > low+0.4 && p.varied() {
					p.name = fmt.Sprintf("%s-%d", family.name, k+1)
					out = append(out, p)
					break
				}
			}
		}
	}
	return out
}

// varied reports whether a few coalitions of half the steps differ in score.
func (p *pipeline) varied() bool {
	memo, first := map[runKey]uint64{}, -1.0
	for k := range uint64(20) {
		s := p.replay(hash(k)&(1<<len(p.steps)-1), memo)
		if first >= 0 && s != first {
			return true
		}
		first = s
	}
	return false
}

// symbol is the output of a step that knows so many different ones: the fix
// changes it for a share of the inputs.
func symbol(seed uint64, k, variant int, in []uint64, symbols uint64, changed float64) uint64 {
	key := append([]uint64{seed, uint64(k)}, in...)
	y := hash(append(key, 1)...) % symbols
	if variant == 1 && unit(append(key, 2)...) < changed {
		y = (y + 1 + hash(append(key, 3)...)%(symbols-1)) % symbols
	}
	return y
}

// layered has steps that read so many of the three steps before them.
func layered(seed uint64, n int, symbols uint64, parents int, changed float64) *pipeline {
	p := &pipeline{score: func(out []uint64) float64 {
		return float64(hash(seed, 7, out[n-1], out[n-2])%5) / 4
	}}
	for k := range n {
		s := step{run: func(variant int, in []uint64) uint64 { return symbol(seed, k, variant, in, symbols, changed) }}
		for j := 1; j <= min(parents, k); j++ {
			s.inputs = append(s.inputs, k-j)
		}
		p.steps = append(p.steps, s)
	}
	return p
}

// harmful has steps of good and bad outputs: 1 if right, 0 if wrong. A fix
// repairs a step that read nothing wrong, and breaks some that do well.
func harmful(seed uint64, n int) *pipeline {
	p := &pipeline{score: func(out []uint64) float64 {
		good := 0.0
		for _, y := range out[n-4:] {
			good += float64(y) / 4
		}
		return good
	}}
	for k := range n {
		s := step{run: func(variant int, in []uint64) uint64 {
			right := uint64(0)
			for _, x := range in {
				right += x
			}
			key := []uint64{seed, uint64(k), right, uint64(len(in))}
			y := uint64(0)
			if unit(key...) < 0.3+0.5*float64(right)/float64(max(1, len(in))) {
				y = 1
			}
			if variant == 1 && unit(append(key, 2)...) < 0.6 {
				y = 1 - y
			}
			return y
		}}
		for j := 1; j <= min(3, k); j++ {
			s.inputs = append(s.inputs, k-j)
		}
		p.steps = append(p.steps, s)
	}
	return p
}

// loop has the same steps in every round, which read the step before and what
// the round before ended with.
func loop(seed uint64, steps, rounds int) *pipeline {
	n := steps * rounds
	p := &pipeline{score: func(out []uint64) float64 { return float64(hash(seed, 7, out[n-1])%4) / 3 }}
	for k := range n {
		s := step{run: func(variant int, in []uint64) uint64 { return symbol(seed, k%steps, variant, in, 8, 0.5) }}
		if k > 0 {
			s.inputs = append(s.inputs, k-1)
		}
		if last := k/steps*steps - 1; last >= 0 && last != k-1 {
			s.inputs = append(s.inputs, last)
		}
		p.steps = append(p.steps, s)
	}
	return p
}

// conjunctions scores 1 if each of five needs is met by one of two or three
// fixes, and less by a quarter for every need that isn't. A step's output is
// the set of fixes before it.
func conjunctions(seed uint64, n int) *pipeline {
	var needs [5]uint64
	for k := range needs {
		for j := range uint64(2 + k%2) {
			needs[k] |= 1 << (hash(seed, uint64(k), j) % uint64(n))
		}
	}
	p := &pipeline{score: func(out []uint64) float64 {
		met := 1.0
		for _, need := range needs {
			if out[n-1]&need == 0 {
				met -= 0.25
			}
		}
		return max(0, met)
	}}
	for k := range n {
		s := step{run: func(variant int, in []uint64) uint64 {
			y := uint64(variant) << k
			for _, x := range in {
				y |= x
			}
			return y
		}}
		if k > 0 {
			s.inputs = []int{k - 1}
		}
		p.steps = append(p.steps, s)
	}
	return p
}

// votes has independent steps of different weight, and a last one that counts
// them; the score rises steeply about the half.
func votes(seed uint64, n int) *pipeline {
	p := &pipeline{score: func(out []uint64) float64 {
		sum, all := 0.0, 0.0
		for k, y := range out {
			w := 0.2 + unit(seed, uint64(k))
			all += w
			sum += w * float64(y)
		}
		return 1 / (1 + math.Exp(-12*(sum/all-0.5)))
	}}
	for k := range n {
		p.steps = append(p.steps, step{run: func(variant int, _ []uint64) uint64 {
			if unit(seed, uint64(k), 5) < 0.15 { // a fix that makes it worse
				return uint64(1 - variant)
			}
			return uint64(variant)
		}})
	}
	return p
}
