package noise

import (
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"testing"
)

// ulps is the distance of two numbers in units of the last place of want.
func ulps(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

func testStream(name string) stream {
	s := World{Seed: 1}.Source("test", name)
	d := s.digest(prior, "u")
	return d.stream()
}

func TestLnAccuracy(t *testing.T) {
	r := testStream("ln")
	for i := range uint64(200_000) {
		u := uniform(r.bits(i))
		for _, x := range []float64{u, -math.Log(u), 1 + u, u * 1e9, u * 1e-9} {
			if d := ulps(ln(x), math.Log(x)); d > 1 {
				t.Fatalf("ln(%v) = %v, %v ulp off", x, ln(x), d)
			}
		}
	}
}

func TestExpAccuracy(t *testing.T) {
	r := testStream("exp")
	for i := range uint64(200_000) {
		u := uniform(r.bits(i))
		for _, x := range []float64{-u, -40 * u, -700 * u} {
			if d := ulps(exp(x), math.Exp(x)); d > 2 { // each is within 1
				t.Fatalf("exp(%v) = %v, %v ulp off", x, exp(x), d)
			}
		}
	}
	for x, want := range map[float64]float64{0: 1, math.Inf(-1): 0, -701: 0} {
		if got := exp(x); got != want {
			t.Errorf("exp(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestLog1pAccuracy(t *testing.T) {
	r := testStream("log1p")
	for i := range uint64(100_000) {
		y := uniform(r.bits(i))
		for range 6 {
			if d := ulps(log1p(y), math.Log1p(y)); d > 3 {
				t.Fatalf("log1p(%v) = %v, %v ulp off", y, log1p(y), d)
			}
			y *= 1e-4
		}
	}
}

func TestUniformIsOpen(t *testing.T) {
	for k, want := range map[uint64]float64{0: 0x1p-54, 1: 0x1p-53, 1 << 52: 0.5, last: 1 - 0x1p-53} {
		if got := uniform(k); got != want {
			t.Errorf("uniform(%d) = %v, want %v", k, got, want)
		}
	}
	if g := gumbel(uniform(last)); !(g < gumbelMax) || g < 36 {
		t.Errorf("the largest Gumbel is %v, want just below 36.74", g)
	}
	if g := gumbel(uniform(0)); !(g > -3.63) {
		t.Errorf("the smallest Gumbel is %v, want just above -3.63", g)
	}
}

// TestNothingToFuse reads the sources: a compiler may fuse x*y + z unless the
// product is converted explicitly, so every product must stand in float64(…).
func TestNothingToFuse(t *testing.T) {
	products := 0
	for _, file := range []string{"log.go", "normal.go", "abduct.go", "scalar.go", "index.go"} {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		rounded := make(map[ast.Expr]bool)
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "float64" && len(n.Args) == 1 {
					rounded[n.Args[0]] = true
				}
			case *ast.BinaryExpr:
				if n.Op == token.MUL {
					products++
					if !rounded[n] {
						t.Errorf("%s: product not in float64(…)", fset.Position(n.Pos()))
					}
				}
			case *ast.AssignStmt:
				if n.Tok == token.MUL_ASSIGN {
					t.Errorf("%s: *= can't be in float64(…)", fset.Position(n.Pos()))
				}
			}
			return true
		})
	}
	if products < 20 {
		t.Errorf("found only %d products", products)
	}
}
