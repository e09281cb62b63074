package noise

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// Kind is the kind of a draw, after the method that made it.
type Kind string

// The kinds of draws.
const (
	Uniform     Kind = "uniform" // Float64
	Normal      Kind = "normal"
	Exponential Kind = "exponential"
	Int         Kind = "int"
	Bool        Kind = "bool"
	Seed        Kind = "seed"
	Perm        Kind = "perm"
	Categorical Kind = "categorical"
	Index       Kind = "index"
)

// scalar reports whether a draw of this kind is a function of one uniform.
func (k Kind) scalar() bool {
	switch k {
	case Uniform, Normal, Exponential, Int, Bool, Seed:
		return true
	}
	return false
}

// A Draw is one draw and what came out. Which fields count depends on Kind.
//
// Its JSON has key, kind, and: value (a number; true or false of a bool; the
// list of a perm), n of an int, p of a bool, or logits and chosen of a
// categorical (an object and a string) or index (a list and a number). A logit
// of −Inf is the string "-inf".
//
//	{"key":"doc","kind":"categorical","logits":{"gold":1,"none":"-inf","stale":1.3},"chosen":"stale"}
//	{"key":"route","kind":"int","n":3,"value":2}
type Draw struct {
	Key  string
	Kind Kind

	Logits      map[string]float64 // categorical: logit by option
	Chosen      string             // categorical: the option chosen
	IndexLogits []float64          // index: logit by option
	N           int                // int: how many values were possible
	P           float64            // bool: probability of true
	Perm        []int              // perm
	// Value is what was drawn: the number of a uniform, normal, exponential,
	// int or seed, 1 or 0 of a bool, the option chosen of an index.
	Value float64
}

func (d *Draw) clone() Draw {
	c := *d
	c.Logits = maps.Clone(d.Logits)
	c.IndexLogits = slices.Clone(d.IndexLogits)
	c.Perm = slices.Clone(d.Perm)
	return c
}

// validate reports why d can't have been drawn.
func (d *Draw) validate() error {
	if msg := d.fault(); msg != "" {
		return fmt.Errorf("draw %q: %s", d.Key, msg)
	}
	return nil
}

func (d *Draw) fault() string {
	v := d.Value
	switch d.Kind {
	case Uniform:
		if !(v > 0 && v < 1) {
			return fmt.Sprintf("uniform %v is not between 0 and 1", v)
		}
	case Normal:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Sprintf("normal %v is not finite", v)
		}
	case Exponential:
		if !(v > 0 && v <= math.MaxFloat64) {
			return fmt.Sprintf("exponential %v is not positive and finite", v)
		}
	case Int:
		if d.N < 1 || d.N > maxInt {
			return fmt.Sprintf("n is %d, not from 1 to 2^31-1", d.N)
		}
		return notBelow(v, float64(d.N))
	case Seed:
		return notBelow(v, 1<<53)
	case Bool:
		return d.boolFault()
	case Perm:
		if !isPerm(d.Perm) {
			return "not a permutation of 0, 1, 2, …"
		}
	case Categorical:
		return d.categoricalFault()
	case Index:
		return d.indexFault()
	default:
		return fmt.Sprintf("unknown kind %q", d.Kind)
	}
	return ""
}

func notBelow(v, n float64) string {
	if !(v >= 0 && v < n && v == math.Trunc(v)) {
		return fmt.Sprintf("%v is not a whole number from 0 to %.0f", v, n-1)
	}
	return ""
}

func (d *Draw) boolFault() string {
	if !(d.P >= 0 && d.P <= 1) {
		return fmt.Sprintf("p is %v, not from 0 to 1", d.P)
	}
	if d.Value != 0 && d.Value != 1 {
		return fmt.Sprintf("bool %v is neither 0 nor 1", d.Value)
	}
	if lo, hi := d.span(); lo > hi {
		return fmt.Sprintf("impossible: %v with probability of true %v", d.Value == 1, d.P)
	}
	return ""
}

func (d *Draw) categoricalFault() string {
	if msg := badLogits(d.Logits); msg != "" {
		return msg
	}
	l, ok := d.Logits[d.Chosen]
	if !ok {
		return fmt.Sprintf("chosen option %q has no logit", d.Chosen)
	}
	if math.IsInf(l, -1) {
		return fmt.Sprintf("impossible: chosen option %q has logit -Inf", d.Chosen)
	}
	return ""
}

func (d *Draw) indexFault() string {
	if msg := badIndexLogits(d.IndexLogits); msg != "" {
		return msg
	}
	if msg := notBelow(d.Value, float64(len(d.IndexLogits))); msg != "" {
		return "chosen option " + msg
	}
	if math.IsInf(d.IndexLogits[int(d.Value)], -1) {
		return fmt.Sprintf("impossible: chosen option %v has logit -Inf", d.Value)
	}
	return ""
}

func isPerm(p []int) bool {
	seen := make([]bool, len(p))
	for _, v := range p {
		if v < 0 || v >= len(p) || seen[v] {
			return false
		}
		seen[v] = true
	}
	return true
}
