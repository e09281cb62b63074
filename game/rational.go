package game

import (
	"errors"
	"math/big"
)

// ShapleyRat returns the Shapley values as exact fractions. Leaf values are
// taken as the binary fractions that floats are: 1 and ½ as meant, 0.1 as the
// float next to it.
//
// Reach probabilities and expected values are polynomials in p with integer
// coefficients (once leaf values are brought to one power of two), which makes
// φᵢ = ∫₀¹ Σ reach·(value(hi) − value(lo)) dp a fraction. The work is
// nodes × Depth² operations on integers of about Depth bits.
func (d *Diagram) ShapleyRat() ([]*big.Rat, error) {
	if !d.Known() {
		return nil, errors.New("computing exact Shapley values: the game is partly unknown")
	}
	value := make([]poly, len(d.leaves)+len(d.nodes))
	fractions := make([]big.Rat, len(d.leaves))
	shift := 0 // leaves are integers times 2^−shift
	for k, v := range d.leaves {
		shift = max(shift, fractions[k].SetFloat64(v).Denom().BitLen()-1)
	}
	scale := new(big.Int).Lsh(big.NewInt(1), uint(shift))
	for k := range fractions {
		f := &fractions[k]
		value[k] = poly{new(big.Int).Div(new(big.Int).Mul(f.Num(), scale), f.Denom())}
	}
	for k, n := range d.nodes {
		value[len(d.leaves)+k] = mix(value[n.lo], value[n.hi])
	}
	reach := make([]poly, len(value))
	reach[d.root] = poly{big.NewInt(1)}
	gain := make([]poly, d.players)
	for k := len(d.nodes) - 1; k >= 0; k-- {
		n, at := d.nodes[k], reach[len(d.leaves)+k]
		if n.lo == n.hi {
			reach[n.lo] = reach[n.lo].add(at, 0, 1)
			continue
		}
		reach[n.hi] = reach[n.hi].add(at, 1, 1)
		reach[n.lo] = reach[n.lo].add(at, 0, 1).add(at, 1, -1)
		slope := poly(nil).add(value[n.hi], 0, 1).add(value[n.lo], 0, -1)
		gain[n.player] = gain[n.player].addProduct(at, slope)
	}
	phi := make([]*big.Rat, d.players)
	for i := range phi {
		phi[i] = gain[i].integral()
		phi[i].Quo(phi[i], new(big.Rat).SetInt(scale))
	}
	return phi, nil
}

// A poly is a polynomial in p, the constant coefficient first.
type poly []*big.Int

// mix returns (1−p)·lo + p·hi.
func mix(lo, hi poly) poly {
	return poly(nil).add(lo, 0, 1).add(lo, 1, -1).add(hi, 1, 1).trim()
}

// add returns f + sign·p^shift·g, in f's memory.
func (f poly) add(g poly, shift, sign int) poly {
	f = f.grow(len(g) + shift)
	for k, c := range g {
		if sign > 0 {
			f[k+shift].Add(f[k+shift], c)
		} else {
			f[k+shift].Sub(f[k+shift], c)
		}
	}
	return f
}

// addProduct returns f + g·h, in f's memory.
func (f poly) addProduct(g, h poly) poly {
	f = f.grow(len(g) + len(h) - 1)
	var product big.Int
	for i, a := range g {
		for j, b := range h {
			f[i+j].Add(f[i+j], product.Mul(a, b))
		}
	}
	return f
}

func (f poly) grow(n int) poly {
	for len(f) < n {
		f = append(f, new(big.Int))
	}
	return f
}

// trim drops leading zeros: without it degrees would grow along inert players.
func (f poly) trim() poly {
	for len(f) > 0 && f[len(f)-1].Sign() == 0 {
		f = f[:len(f)-1]
	}
	return f
}

// integral returns ∫₀¹ f dp.
func (f poly) integral() *big.Rat {
	total := new(big.Rat)
	for k, c := range f {
		total.Add(total, new(big.Rat).SetFrac(c, big.NewInt(int64(k+1))))
	}
	return total
}
