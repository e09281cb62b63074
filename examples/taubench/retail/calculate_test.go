package retail

import (
	"strings"
	"testing"
)

// Python 3.11's answers, of the same expressions through round(float(eval(expression)), 2).
func TestCalculate(t *testing.T) {
	for _, tt := range []struct{ expression, want string }{
		{"(269.16 - 272.33) + (249.01 - 262.47)", "-16.63"},
		{"54.04", "54.04"},
		{"53.48 - 53.43", "0.05"},
		{"1", "1.0"},
		{" 1.  +  .5 ", "1.5"},
		{"7 / 2", "3.5"},
		{"7 // 2", "3.0"},
		{"-7 // 2", "-4.0"},
		{"7 // -2", "-4.0"},
		{"-7.5 // 2", "-4.0"},
		{"6.0 // 0.1", "59.0"}, // 0.1 is a little more than a tenth
		{"-0.3 // 0.1", "-3.0"},
		{"2 + 3 * 4 - 6 / 3", "12.0"},
		{"10 - 4 - 3", "3.0"},
		{"-2**2", "-4.0"},
		{"2**-1", "0.5"},
		{"2**3**2", "512.0"},
		{"(-1)**3 + 0**0 + (-1)**4", "1.0"},
		{"1.05**3", "1.16"},
		{"5*191.30**3", "35003777.49"},
		{"2.0**-2", "0.25"},
		{"- -3", "3.0"},
		{"2*-3", "-6.0"},
		{"00 + 08.5", "8.5"},
		{"-0.001", "-0.0"},
		{"0.125", "0.12"},
		{"12345678901234567890 * 12345678901234567890", "1.5241578753238836e+38"},
		{"10**400 / 10**399", "10.0"},
		{"1/0", "Error: division by zero"},
		{"1.0/0", "Error: float division by zero"},
		{"1//0", "Error: integer division or modulo by zero"},
		{"0**-1", "Error: 0.0 cannot be raised to a negative power"},
		{"10**400", "Error: int too large to convert to float"},
		{"10**400 + 0.5", "Error: int too large to convert to float"},
		{"10.0**400", "Error: (34, 'Numerical result out of range')"},
		{"9**9**9", "Error: int too large to convert to float"}, // Python would be at it for a while
		{"2(3)", "Error: 'int' object is not callable"},
		{"2.5()", "Error: 'float' object is not callable"},
		{"1,000 + 1", "Error: invalid characters in expression"},
		{"two", "Error: invalid characters in expression"},
		{"", "Error: invalid syntax (<string>, line 0)"},
		{"1 +", "Error: invalid syntax (<string>, line 1)"},
		{"1/0 +", "Error: invalid syntax (<string>, line 1)"},
		{"1 2", "Error: invalid syntax (<string>, line 1)"},
		{"3 * * 2", "Error: invalid syntax (<string>, line 1)"},
		{"1.2.3", "Error: invalid syntax (<string>, line 1)"},
		{"(1", "Error: '(' was never closed (<string>, line 1)"},
		{"1)", "Error: unmatched ')' (<string>, line 1)"},
		{"007", "Error: leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers (<string>, line 1)"},
	} {
		db := &DB{base: &base{}}
		if got := db.Call("calculate", NewObject(Member{"expression", tt.expression})); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.expression, got, tt.want)
		}
	}
}

func FuzzCalculate(f *testing.F) {
	for _, e := range []string{"1+2*3", "(1.5-2)/3", "2**-2", "7//2", "-(-(1))", "1(2)", "9**9**9", strings.Repeat("(", 300), "(1"} {
		f.Add(e)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		if len(expression) > 200 {
			return // long products of large powers take long, in Python too
		}
		db := &DB{base: &base{}}
		got := db.Call("calculate", NewObject(Member{"expression", expression}))
		if got == "" {
			t.Fatalf("%q has no answer", expression)
		}
		if strings.HasPrefix(got, "Error: ") || strings.ContainsAny(got, "einf") {
			return
		}
		// What came out is an expression again, and as it was rounded already it stays what it is.
		if again := db.Call("calculate", NewObject(Member{"expression", got})); again != got {
			t.Fatalf("%q is %s, which is %s", expression, got, again)
		}
	})
}
