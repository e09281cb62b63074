package retail

import (
	"math"
	"math/big"
)

// maxBits bounds the size of a power of ints. Anything larger is far beyond a float, which is what the answer must become.
const maxBits = 1 << 16

func (p *parser) ints(op string, x, y *big.Int) any {
	switch op {
	case "+":
		return new(big.Int).Add(x, y)
	case "-":
		return new(big.Int).Sub(x, y)
	case "*":
		return new(big.Int).Mul(x, y)
	case "/":
		if y.Sign() == 0 {
			p.fail("division by zero")
			return x
		}
		f, _ := new(big.Rat).SetFrac(x, y).Float64()
		if math.IsInf(f, 0) {
			p.fail("integer division result too large for a float")
		}
		return f
	case "//":
		if y.Sign() == 0 {
			p.fail("integer division or modulo by zero")
			return x
		}
		q, r := new(big.Int).QuoRem(x, y, new(big.Int))
		if r.Sign() != 0 && (r.Sign() < 0) != (y.Sign() < 0) {
			q.Sub(q, big.NewInt(1)) // towards minus infinity
		}
		return q
	}
	if y.Sign() < 0 {
		return p.floats(op, p.float(x), p.float(y))
	}
	if x.BitLen() > 1 && (!y.IsInt64() || y.Int64() > maxBits/int64(x.BitLen()-1)) {
		p.fail("int too large to convert to float")
		return x
	}
	if x.BitLen() <= 1 { // -1, 0 or 1, whose powers go by whether the exponent is odd, or zero
		if y.Sign() == 0 || x.Sign() < 0 && y.Bit(0) == 0 {
			return big.NewInt(1)
		}
		return x
	}
	return new(big.Int).Exp(x, y, nil)
}

func (p *parser) floats(op string, x, y float64) any {
	switch op {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		if y == 0 {
			p.fail("float division by zero")
		}
		return x / y
	case "//":
		if y == 0 {
			p.fail("float floor division by zero")
		}
		return floorDivide(x, y)
	}
	if x == 0 && y < 0 {
		p.fail("0.0 cannot be raised to a negative power")
		return x
	}
	if x < 0 && y != math.Trunc(y) {
		p.fail("float() argument must be a string or a real number, not 'complex'")
		return x
	}
	f := power(x, y)
	if math.IsInf(f, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
		p.fail("(34, 'Numerical result out of range')")
	}
	return f
}

// power is x ** y. Whole exponents of a common size are worked out exactly and rounded once, as C libraries nearly do; others may differ from Python's in the last bits.
func power(x, y float64) float64 {
	const most = 64 // 53 bits to that power still fit the precision below
	n := math.Abs(y)
	if n > most || n != math.Trunc(n) || math.IsInf(x, 0) || math.IsNaN(x) {
		return math.Pow(x, y)
	}
	exact := big.NewFloat(1).SetPrec(most * 53)
	for range int(n) {
		exact.Mul(exact, big.NewFloat(x))
	}
	if y < 0 {
		exact.Quo(big.NewFloat(1), exact)
	}
	f, _ := exact.Float64()
	return f
}

// floorDivide is Python's x // y, which takes the remainder first so that a rounded quotient cannot jump over an integer.
func floorDivide(x, y float64) float64 {
	remainder := math.Mod(x, y)
	quotient := (x - remainder) / y
	if remainder != 0 && (y < 0) != (remainder < 0) {
		quotient--
	}
	if quotient == 0 {
		return math.Copysign(0, x/y)
	}
	floor := math.Floor(quotient)
	if quotient-floor > 0.5 {
		floor++
	}
	return floor
}
