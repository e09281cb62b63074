package game

import "fmt"

// An Index says how a game is split into effects of single players and of
// pairs. With ∂ᵢ(p) and ∂ᵢⱼ(p) the expected first and second differences of v
// when all other players are in the coalition with probability p:
//
//	index   single i              pair i, j
//	SII     ∫ ∂ᵢ dp               ∫ ∂ᵢⱼ dp
//	KSII    ∫ ∂ᵢ dp − ½ Σⱼ SIIᵢⱼ    ∫ ∂ᵢⱼ dp
//	STII    v({i}) − v(∅)         ∫ 2(1−p) ∂ᵢⱼ dp
//	FSII    ∫ (4−6p) ∂ᵢ dp        ∫ 6p(1−p) ∂ᵢⱼ dp
//	BII     ∂ᵢ(½)                 ∂ᵢⱼ(½)
//	FBII    ∂ᵢ(½) − ½ Σⱼ BIIᵢⱼ     ∂ᵢⱼ(½)
//
// The effects of KSII, STII and FSII add up to v(N) − v(∅).
type Index int

const (
	// SII is the Shapley interaction index; its singles are Shapley values.
	// Grabisch and Roubens, 1999.
	SII Index = iota
	// KSII is SII made to add up. Bordt and von Luxburg, 2023.
	KSII
	// STII is the Shapley–Taylor interaction index: what single fixes do
	// alone, all else to pairs. Sundararajan, Dhamdhere and Agarwal, 2020.
	STII
	// FSII is the faithful Shapley interaction index: the game of singles and
	// pairs nearest to v in the Shapley kernel. Tsai, Yeh and Ravikumar, 2023.
	FSII
	// BII is the Banzhaf interaction index; its singles are Banzhaf values.
	BII
	// FBII is the game of singles and pairs nearest to v in least squares.
	// Hammer and Holzman, 1992.
	FBII
)

// String returns the index's usual name.
func (i Index) String() string {
	switch i {
	case SII:
		return "SII"
	case KSII:
		return "k-SII"
	case STII:
		return "STII"
	case FSII:
		return "FSII"
	case BII:
		return "BII"
	case FBII:
		return "FBII"
	}
	return fmt.Sprintf("Index(%d)", int(i))
}

// Interactions are effects of single players and of pairs.
type Interactions struct {
	single []float64
	pair   []float64 // [i·n + j], symmetric, 0 on the diagonal
}

// Players returns the number of players.
func (x *Interactions) Players() int { return len(x.single) }

// Single returns the effect of player i.
func (x *Interactions) Single(i int) float64 { return x.single[i] }

// Pair returns the effect of the pair i, j, 0 if they are the same: positive if
// the two fixes need each other, negative if either does the other's work.
func (x *Interactions) Pair(i, j int) float64 { return x.pair[i*len(x.single)+j] }

// Interactions returns the effects of all players and pairs by the index. The
// work is quadrature points × asked players × nodes. Effects of unknown values
// are NaN.
func (d *Diagram) Interactions(index Index) *Interactions {
	first, second := gaussLegendre(d.depth-1), gaussLegendre(d.depth-2)
	switch index {
	case SII, KSII:
	case STII:
		second = gaussLegendre(d.depth - 1).times(func(p float64) float64 { return 2 * (1 - p) })
	case FSII:
		first = gaussLegendre(d.depth).times(func(p float64) float64 { return 4 - float64(6*p) })
		second = gaussLegendre(d.depth).times(func(p float64) float64 { return 6 * p * (1 - p) })
	case BII, FBII:
		first, second = half, half
	default:
		panic("game: unknown interaction index " + index.String())
	}
	x := &Interactions{pair: d.secondOrder(second)}
	if index == STII {
		x.single = d.FixAlone(nil)
	} else {
		x.single = d.firstOrder(nil, first)
	}
	if index == KSII || index == FBII {
		for i := range x.single {
			for j := range x.single {
				x.single[i] -= x.Pair(i, j) / 2
			}
		}
	}
	return x
}

// times returns the rule that integrates g·f where r integrates f.
func (r rule) times(g func(p float64) float64) rule {
	w := make([]float64, len(r.w))
	for q, p := range r.x {
		w[q] = r.w[q] * g(p)
	}
	return rule{r.x, w}
}

// secondOrder integrates ∂ᵢⱼ for all pairs. Taking the difference by i at the
// nodes asking for i leaves a signed measure on the places after them; carried
// on, it weighs the differences by j at the nodes asking for j later. Paths
// that ask for j first are found when it is j's turn, so both are added.
func (d *Diagram) secondOrder(r rule) []float64 {
	n := d.players
	pair := make([]float64, n*n)
	value, reach, measure := d.numbers(), d.numbers(), d.numbers()
	first := len(d.leaves)
	last := make([]int, n) // the node nearest to the root that asks for a player
	for k, x := range d.nodes {
		last[x.player] = k
	}
	for q, p := range r.x {
		prob := all(n, p)
		d.backward(value, prob)
		d.forward(reach, prob)
		for i := range d.asked.Players() {
			clear(measure)
			row := pair[i*n : (i+1)*n]
			for k := last[i]; k >= 0; k-- {
				x := &d.nodes[k]
				m := measure[first+k]
				switch {
				case x.lo == x.hi:
					measure[x.lo] += m
				case int(x.player) == i:
					measure[x.hi] += reach[first+k]
					measure[x.lo] -= reach[first+k]
				case m != 0:
					measure[x.lo] += float64((1 - p) * m)
					measure[x.hi] += float64(p * m)
					row[x.player] += float64(r.w[q] * float64(m*(value[x.hi]-value[x.lo])))
				}
			}
		}
	}
	for i := range n {
		for j := range i {
			both := pair[i*n+j] + pair[j*n+i]
			pair[i*n+j], pair[j*n+i] = both, both
		}
	}
	return pair
}
