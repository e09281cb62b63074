package blame

import (
	"fmt"
	"math"
	"strconv"

	"github.com/agentblame/agentblame/game"
)

// exactPlayers is the most players for which exact values are also given as
// fractions: lcm(1..20) still leaves room for them in a float64.
const exactPlayers = 20

// exactValues returns the Shapley values of a game, and, when all its scores are
// 0 or 1, the same as fractions. Such values are multiples of 1/lcm(1..n), since
// the weights |S|!(n−|S|−1)!/n! are; the quadrature's last digit is put right by
// going to the nearest one.
func exactValues(d *game.Diagram) ([]float64, []string) {
	values := d.Shapley(nil)
	if d.Depth() > exactPlayers || !zeroOne(d) {
		return values, nil
	}
	unit := lcm(d.Depth())
	fractions := make([]string, len(values))
	for i, v := range values {
		n := math.Round(v * float64(unit))
		if math.Abs(v*float64(unit)-n) > 1e-3 {
			return values, nil // not as expected: claim nothing
		}
		values[i] = n / float64(unit)
		fractions[i] = fraction(int64(n), unit)
	}
	return values, fractions
}

func zeroOne(d *game.Diagram) bool {
	for v := range d.LeafValues() {
		if v != 0 && v != 1 {
			return false
		}
	}
	return true
}

// lcm returns the least common multiple of 1..n.
func lcm(n int) int64 {
	m := int64(1)
	for i := int64(2); i <= int64(n); i++ {
		m = m / gcd(m, i) * i
	}
	return m
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func fraction(num, den int64) string {
	g := gcd(max(num, -num), den)
	num, den = num/g, den/g
	if den == 1 {
		return fmt.Sprint(num)
	}
	return fmt.Sprintf("%d/%d", num, den)
}

func pow2(n int) float64 { return math.Ldexp(1, n) }

// tidy rounds an amount of cost to twelve digits: what is beyond is what adding
// numbers like 0.1 leaves behind.
func tidy(cost float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(cost, 'g', 12, 64), 64)
	if err != nil {
		return cost
	}
	return rounded
}
