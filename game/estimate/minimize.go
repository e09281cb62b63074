package estimate

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
)

// A descent minimizes a marginal by L-BFGS: it goes where the gradients of the
// last steps suggest that the minimum is. It may go on with another marginal of
// the same parameters, say one of more pairs, and keeps what it learned.
//
// Parameters are kept in their bounds by a tanh.
type descent struct {
	priors []prior
	x      []float64 // parameters before the tanh
	moved  []motion
}

// A motion is a step in x and the change of the gradient with it.
type motion struct {
	step, change []float64
	curvature    float64 // their product
}

const (
	memory    = 12   // motions remembered
	shortest  = 8    // halvings of a step, about, before giving up
	longest   = 3    // of a parameter in one step
	decrease  = 1e-4 // of the slope, that a step must gain
	gain      = 1e-3 // in the likelihood's logarithm, below which five steps …
	patience  = 5    // … end the descent
	steepest  = 0.999
	curvature = 1e-10
)

// newDescent starts at parameters.
func newDescent(priors []prior, start []float64) *descent {
	s := &descent{priors: priors, x: make([]float64, len(start))}
	for i, p := range priors {
		middle, half := (p.low+p.high)/2, (p.high-p.low)/2
		t := (start[i] - middle) / half
		s.x[i] = half * math.Atanh(max(-steepest, min(t, steepest)))
	}
	return s
}

// at returns the parameters of x, and their derivatives.
func (s *descent) at(x []float64) (z, slope []float64) {
	z, slope = make([]float64, len(x)), make([]float64, len(x))
	for i, p := range s.priors {
		half := (p.high - p.low) / 2
		t := math.Tanh(x[i] / half)
		z[i], slope[i] = (p.low+p.high)/2+half*t, 1-t*t
	}
	return z, slope
}

// run makes at most some steps down g, fewer if the context is done, and returns
// the parameters it reaches.
func (s *descent) run(ctx context.Context, g *marginal, steps int) []float64 {
	// Per pair, so that what was learned fits other numbers of pairs.
	scale := 1 / float64(len(g.scaled))
	z, slope := s.at(s.x)
	value := g.value(z) * scale
	grad := s.gradient(g, z, slope, scale)
	idle := 0
	for range steps {
		if ctx.Err() != nil {
			break
		}
		direction := s.direction(grad)
		fall := floats.Dot(direction, grad)
		if fall >= 0 {
			s.moved = nil
			direction = s.direction(grad)
			fall = floats.Dot(direction, grad)
		}
		x := make([]float64, len(s.x))
		t, next, found := 1.0, 0.0, false
		for range shortest {
			floats.AddScaledTo(x, s.x, t, direction)
			z, slope = s.at(x)
			if next = g.value(z) * scale; next <= value+decrease*t*fall {
				found = true
				break
			}
			// Where the parabola through what is known has its minimum.
			best := -fall * t * t / (2 * (next - value - fall*t))
			if !(best >= t/10) {
				best = t / 10
			}
			t = min(best, t/2)
		}
		if !found {
			break
		}
		fresh := s.gradient(g, z, slope, scale)
		s.remember(x, fresh, grad)
		if value-next < gain*scale {
			idle++
		} else {
			idle = 0
		}
		s.x, grad, value = x, fresh, next
		if idle == patience {
			break
		}
	}
	z, _ = s.at(s.x)
	return z
}

// gradient returns the gradient by x at the point that was evaluated last.
func (s *descent) gradient(g *marginal, z, slope []float64, scale float64) []float64 {
	grad := make([]float64, len(z))
	for i, d := range g.gradient(z) {
		grad[i] = d * slope[i] * scale
	}
	return grad
}

// remember takes in the motion to x.
func (s *descent) remember(x, fresh, grad []float64) {
	m := motion{step: make([]float64, len(x)), change: make([]float64, len(x))}
	floats.SubTo(m.step, x, s.x)
	floats.SubTo(m.change, fresh, grad)
	m.curvature = floats.Dot(m.step, m.change)
	if m.curvature <= curvature*floats.Norm(m.step, 2)*floats.Norm(m.change, 2) {
		return
	}
	s.moved = append(s.moved, m)
	if len(s.moved) > memory {
		s.moved = s.moved[1:]
	}
}

// direction returns where to go: minus the gradient times the inverse of the
// matrix of second derivatives that the motions suggest (Nocedal, 1980).
func (s *descent) direction(grad []float64) []float64 {
	d := make([]float64, len(grad))
	floats.SubTo(d, d, grad)
	weight := make([]float64, len(s.moved))
	for k := len(s.moved) - 1; k >= 0; k-- {
		m := s.moved[k]
		weight[k] = floats.Dot(m.step, d) / m.curvature
		floats.AddScaled(d, -weight[k], m.change)
	}
	if len(s.moved) > 0 {
		last := s.moved[len(s.moved)-1]
		floats.Scale(last.curvature/floats.Dot(last.change, last.change), d)
	} else if norm := floats.Norm(d, 2); norm > 0 {
		floats.Scale(1/norm, d)
	}
	for k, m := range s.moved {
		floats.AddScaled(d, weight[k]-floats.Dot(m.change, d)/m.curvature, m.step)
	}
	if top := floats.Norm(d, math.Inf(1)); top > longest {
		floats.Scale(longest/top, d)
	}
	return d
}
