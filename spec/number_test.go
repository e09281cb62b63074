package spec

import (
	"math/big"
	"strings"

	"pgregory.net/rapid"
)

// exact writes a number as a fraction.
func exact(text string) string {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		return "not a number: " + text
	}
	return r.String()
}

// respell writes a number with an exponent in another way.
func respell(t *rapid.T, text string) string {
	mantissa, e, _ := strings.Cut(text, "e")
	switch rapid.IntRange(0, 3).Draw(t, "spelling") {
	case 0:
		return mantissa + "E" + e
	case 1:
		if !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		return mantissa + "000e" + e
	case 2:
		n, _ := new(big.Int).SetString(e, 10)
		if !strings.Contains(mantissa, ".") {
			return mantissa + "00e" + n.Sub(n, big.NewInt(2)).String()
		}
	}
	return mantissa + "e" + e
}
