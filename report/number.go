package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// signed formats a difference of scores, "+0.417". Nothing is shown as −0.
func signed(x float64) string {
	s := fmt.Sprintf("%+.3f", x)
	if s == "-0.000" {
		return "+0.000"
	}
	return s
}

// withFraction adds the exact value to a rounded one, where it says more.
func withFraction(x float64, exact string) string {
	if !strings.Contains(exact, "/") {
		return signed(x)
	}
	return signed(x) + " (= " + Clean(exact) + ")"
}

// percent formats a share, "41.7 %".
func percent(x float64) string {
	s := fmt.Sprintf("%.1f", 100*x)
	if s == "-0.0" {
		s = "0.0"
	}
	return s + " %"
}

// amount formats a cost: whole numbers in full, others to six digits.
func amount(x float64) string {
	size := math.Abs(x)
	if x == math.Trunc(x) && size < 1e15 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	s := strconv.FormatFloat(x, 'g', 6, 64)
	if size >= 1e-6 && size < 1e15 {
		rounded, _ := strconv.ParseFloat(s, 64) // it was just formatted
		return strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return s
}

// score formats a score to four digits, or to all where rounding would lift it
// over the pass mark.
func score(x, pass float64) string {
	s := strconv.FormatFloat(x, 'g', 4, 64)
	if rounded, _ := strconv.ParseFloat(s, 64); x < pass && rounded >= pass {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return s
}

// coalitions formats a number of coalitions, large ones as a power of two.
func coalitions(x float64) string {
	if part, exp := math.Frexp(x); part == 0.5 && exp > 20 {
		return fmt.Sprintf("2^%d", exp-1)
	}
	return amount(x)
}

// count is "1 case", "2 cases".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
