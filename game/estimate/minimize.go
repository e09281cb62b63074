package estimate

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// steepest keeps a start away from the bounds, where the tanh is flat.
const steepest = 0.999

// minimize returns the best parameters found within some steps of L-BFGS from
// start. The parameters are kept in their bounds by a tanh.
func (g *marginal) minimize(start []float64, steps int) []float64 {
	last := make([]float64, len(start)) // where g.grad was computed
	value, known := 0.0, false
	z, slope := make([]float64, len(start)), make([]float64, len(start))
	at := func(x []float64) float64 {
		if known && slices.Equal(last, x) {
			return value
		}
		for i, p := range g.priors {
			half := (p.high - p.low) / 2
			t := math.Tanh(x[i] / half)
			z[i], slope[i] = (p.low+p.high)/2+half*t, 1-t*t
		}
		copy(last, x)
		value, known = g.value(z), true
		return value
	}
	problem := optimize.Problem{
		Func: at,
		Grad: func(grad, x []float64) {
			at(x)
			for i := range grad {
				grad[i] = g.grad[i] * slope[i]
			}
		},
	}
	x := make([]float64, len(start))
	for i, p := range g.priors {
		half := (p.high - p.low) / 2
		t := (start[i] - (p.low+p.high)/2) / half
		x[i] = half * math.Atanh(max(-steepest, min(t, steepest)))
	}
	settings := &optimize.Settings{
		MajorIterations: steps,
		Converger:       &optimize.FunctionConverge{Absolute: 1e-3, Iterations: 5},
	}
	result, err := optimize.Minimize(problem, x, settings, &optimize.LBFGS{})
	// A line search that finds nothing better ends with an error and the best
	// point, which is what is wanted.
	if err != nil && result == nil {
		return start
	}
	best := make([]float64, len(start))
	at(result.X)
	copy(best, z)
	return best
}

// start returns the means of the priors.
func (g *marginal) start() []float64 {
	z := make([]float64, len(g.priors))
	for i, p := range g.priors {
		z[i] = p.mean
	}
	return z
}
