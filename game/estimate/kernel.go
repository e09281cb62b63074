package estimate

import (
	"math"
	"math/bits"
)

// hyper are the hyper-parameters of a kernel of odd functions,
//
//	K(S,T) = ½·(Π_{j: S,T differ} βⱼ − Π_{j: S,T agree} βⱼ)
//	       + linear·L + sized·L·W(|S|,|T|) + size·Z(|S|,|T|) + white·1[S=T],
//
// L(S,T) = 1/n·Σⱼ χⱼ(S)χⱼ(T), χⱼ = −1 if j is in the set, else 1. A β near 1
// says that the player has little effect. W is smooth in the sizes and lets the
// players' effects change with them; Z lets every size have a level of its own.
type hyper struct {
	logit                      []float64 // of β
	linear, sized, size, white float64
	level                      []float64 // ln a by class, the size of the smaller side
}

// kernel is K with tables, so that one entry takes two look-ups for every eight
// players.
type kernel struct {
	hyper
	n             int
	beta          []float64
	differ, agree [][256]float64 // products of β by byte of the difference
	smooth        [][]float64    // W
	scale         []float64      // a by size
}

func newKernel(n int, h hyper) *kernel {
	k := &kernel{hyper: h, n: n, beta: make([]float64, n), smooth: sizeKernel(n)}
	for j, z := range h.logit {
		k.beta[j] = 1 / (1 + math.Exp(-z))
	}
	for s := range n + 1 {
		k.scale = append(k.scale, math.Exp(h.level[min(s, n-s)]))
	}
	for at := 0; at < n; at += 8 {
		var d, a [256]float64
		for x := range 256 {
			d[x], a[x] = 1, 1
			for b, beta := range k.beta[at:min(at+8, n)] {
				if x>>b&1 == 1 {
					d[x] *= beta
				} else {
					a[x] *= beta
				}
			}
		}
		k.differ, k.agree = append(k.differ, d), append(k.agree, a)
	}
	return k
}

// sizeKernel returns W(s,t) = ½(κ(s,t) + κ(s,n−t)), κ Gaussian of width n/4:
// the same for both sides of a pair.
func sizeKernel(n int) [][]float64 {
	width := max(float64(n)/4, 1)
	gauss := func(d int) float64 { return math.Exp(-0.5 * float64(d*d) / (width * width)) }
	w := make([][]float64, n+1)
	for s := range w {
		w[s] = make([]float64, n+1)
		for t := range w[s] {
			w[s][t] = (gauss(s-t) + gauss(s-(n-t))) / 2
		}
	}
	return w
}

// products returns the two products of β and the number of players that differ.
func (k *kernel) products(a, b []uint64) (differ, agree float64, distance int) {
	differ, agree = 1, 1
	at := 0
	for w := range a {
		x := a[w] ^ b[w]
		distance += bits.OnesCount64(x)
		for range min(8, len(k.differ)-at) {
			differ *= k.differ[at][byte(x)]
			agree *= k.agree[at][byte(x)]
			x >>= 8
			at++
		}
	}
	return differ, agree, distance
}

// parts returns L, L·W and Z of two pairs.
func (k *kernel) parts(distance, s, t int) (linear, sized, size float64) {
	linear = 1 - 2*float64(distance)/float64(k.n)
	sized = linear * k.smooth[s][t]
	if s == t {
		size += 0.5
	}
	if s == k.n-t {
		size -= 0.5
	}
	return linear, sized, size
}

// at returns K of pair a of x and pair b of y, without the white part.
func (k *kernel) at(x *pairs, a int, y *pairs, b int) float64 {
	differ, agree, distance := k.products(x.rows[a], y.rows[b])
	linear, sized, size := k.parts(distance, x.size[a], y.size[b])
	return (differ-agree)/2 + k.linear*linear + k.sized*sized + k.size*size
}
