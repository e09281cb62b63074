package estimate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/agentblame/agentblame/game"
)

// asked returns pairs of a table's game, as many as the budget allows.
func asked(t *testing.T, table game.Table, budget int) (*run, *pairs) {
	t.Helper()
	r, err := newRun(context.Background(), FromTable(table), budget, 7)
	if err != nil {
		t.Fatal(err)
	}
	p := r.plan()
	sets := r.pairDesign(p)
	if err := r.ask(p.order); err != nil {
		t.Fatal(err)
	}
	return r, r.pairsOf(sets)
}

// someHyper returns hyper-parameters, with all parts of the kernel.
func someHyper(n int) hyper {
	rng := rand.New(rand.NewPCG(3, 3))
	h := hyper{linear: 0.3, sized: 0.2, size: 0.1, white: 0.05}
	for range n {
		h.logit = append(h.logit, 3*rng.NormFloat64())
	}
	for c := range n/2 + 1 {
		h.level = append(h.level, 0.3*float64(c%3))
	}
	return h
}

// plainKernel computes K by its formula.
func plainKernel(k *kernel, a, b game.Coalition) float64 {
	n := k.n
	differ, agree, linear := 1.0, 1.0, 0.0
	for j := range n {
		if a.Has(j) == b.Has(j) {
			agree *= k.beta[j]
			linear += 1 / float64(n)
		} else {
			differ *= k.beta[j]
			linear -= 1 / float64(n)
		}
	}
	s, t := a.Len(), b.Len()
	width := max(float64(n)/4, 1)
	gauss := func(d int) float64 { return math.Exp(-float64(d*d) / (2 * width * width)) }
	w := (gauss(s-t) + gauss(s+t-n)) / 2
	z := (float64(index(s == t)) - float64(index(s == n-t))) / 2
	return (differ-agree)/2 + k.linear*linear + k.sized*linear*w + k.size*z
}

func TestKernel(t *testing.T) {
	for _, n := range []int{4, 7, 8, 9, 20, 65, 100} {
		r, err := newRun(context.Background(), Game{Players: n, Values: func(_ context.Context, c []game.Coalition) ([]float64, error) {
			return make([]float64, len(c)), nil
		}}, 40, 1)
		if err != nil {
			t.Fatal(err)
		}
		p := r.plan()
		sets := r.pairDesign(p)
		if err := r.ask(p.order); err != nil {
			t.Fatal(err)
		}
		d := r.pairsOf(sets)
		k := newKernel(n, someHyper(n))
		for a := range d.y {
			for b := range d.y {
				got, want := k.at(d, a, d, b), plainKernel(k, d.sets[a], d.sets[b])
				if math.Abs(got-want) > 1e-12 {
					t.Fatalf("%d players: K(%v, %v) = %v, want %v", n, d.sets[a], d.sets[b], got, want)
				}
			}
		}
	}
}

// The kernel is odd: the mirror image of either pair changes the sign.
func TestKernelIsOdd(t *testing.T) {
	k := newKernel(6, someHyper(6))
	for a := range uint64(64) {
		for b := range uint64(64) {
			x := plainKernel(k, game.FromMask(a), game.FromMask(b))
			y := plainKernel(k, game.FromMask(63^a), game.FromMask(b))
			if math.Abs(x+y) > 1e-12 {
				t.Fatalf("K = %v and %v", x, y)
			}
		}
	}
}

// posteriorTable is the posterior mean of every coalition, by the formulas.
func posteriorTable(p *posterior) game.Table {
	k, n := p.kernel, p.kernel.n
	table := make(game.Table, 1<<n)
	for mask := range table {
		c := game.FromMask(uint64(mask))
		f := 0.0
		for m, a := range p.alpha {
			x := plainKernel(k, c, p.d.sets[m])
			if c == p.d.sets[m] {
				x += k.white + jitter
			} else if c == game.Full(n).Minus(p.d.sets[m]) {
				x -= k.white + jitter
			}
			f += a * x
		}
		table[mask] = f * k.scale[c.Len()]
	}
	return table
}

// The read-out in closed form is the Shapley value of the posterior mean, and
// the posterior mean goes through the values.
func TestReadOut(t *testing.T) {
	for n := 2; n <= 8; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			_, d := asked(t, random(n, 4), min(1<<n-2, 20))
			p := condition(newKernel(n, someHyper(n)), d)
			table := posteriorTable(p)
			for m, c := range d.sets {
				if got := table.Value(c); math.Abs(got-d.y[m]) > 1e-9 {
					t.Errorf("posterior mean of %v is %v, value %v", c, got, d.y[m])
				}
			}
			want := table.Shapley(nil)
			got := make([]float64, n)
			p.kernel.readOut(got, d, p.alpha, p.kernel.scale)
			project(got, sum(want))
			if e := distance(got, want); e > 1e-10 {
				t.Errorf("off by %g: %v, want %v", e, got, want)
			}
		})
	}
}

// With all pairs in the posterior, or in it and left out, nothing is left to
// model.
func TestModelOfAllPairs(t *testing.T) {
	const n = 7
	table := random(n, 8)
	want := table.Shapley(nil)
	r, d := asked(t, table, 1<<n-2)
	m := newModel(r, d)
	check := func(name string) {
		for _, p := range m.post {
			got := m.values(p)
			project(got, sum(want))
			if e := distance(got, want); e > 1e-9 {
				t.Errorf("%s: off by %g", name, e)
			}
		}
	}
	check("all in the posterior")
	d = m.d
	m.d, m.rest = d.slice(0, 30), d.slice(30, len(d.y))
	for i, p := range m.post {
		m.post[i] = condition(p.kernel, m.d)
	}
	check("some left out")
}

func TestGradient(t *testing.T) {
	_, d := asked(t, random(9, 2), 60)
	for _, full := range []bool{false, true} {
		for _, fixed := range []bool{false, true} {
			l, ok := newLevels(d)
			if !ok {
				t.Fatal("no levels")
			}
			l.fixed = fixed
			g := newMarginal(d, full, l)
			rng := rand.New(rand.NewPCG(1, 1))
			z := g.start()
			for i := range z {
				z[i] += rng.NormFloat64()
			}
			g.value(z)
			grad := append([]float64(nil), g.gradient(z)...)
			for i := range z {
				const h = 1e-5
				at := z[i]
				z[i] = at + h
				up := g.value(z)
				z[i] = at - h
				down := g.value(z)
				z[i] = at
				if want := (up - down) / (2 * h); math.Abs(grad[i]-want) > 1e-5*(1+math.Abs(want)) {
					t.Errorf("full %v, fixed %v: derivative %d is %v, want %v", full, fixed, i, grad[i], want)
				}
			}
		}
	}
}

// A descent ends where the marginal likelihood is nearly flat, and never above
// where it started.
func TestDescent(t *testing.T) {
	for seed := range uint64(4) {
		_, d := asked(t, pipeline(8, seed), 80)
		l, _ := newLevels(d)
		g := newMarginal(d, true, l)
		start := g.start()
		before := g.value(start)
		z := newDescent(g.priors, start).run(t.Context(), g, 200)
		after := g.value(z)
		if after >= before {
			t.Errorf("seed %d: from %v to %v", seed, before, after)
		}
		for i, x := range z {
			if p := g.priors[i]; x < p.low || x > p.high {
				t.Errorf("seed %d: parameter %d is %v, not in [%v, %v]", seed, i, x, p.low, p.high)
			}
		}
		// No small step gains more than the descent's own threshold of boredom.
		grad := append([]float64(nil), g.gradient(z)...)
		norm := 0.0
		for i, x := range grad {
			if p := g.priors[i]; min(z[i]-p.low, p.high-z[i]) > 0.1 {
				norm = math.Hypot(norm, x)
			}
		}
		for i := range z {
			p := g.priors[i]
			z[i] = max(p.low, min(p.high, z[i]-0.05*grad[i]/norm))
		}
		if gained := after - g.value(z); gained > 0.1 {
			t.Errorf("seed %d: a step down the gradient still gains %v", seed, gained)
		}
	}
}

func TestLeaveOneOut(t *testing.T) {
	_, d := asked(t, random(7, 6), 50)
	p := condition(newKernel(7, someHyper(7)), d)
	which := []int{0, 3, 9, len(d.y) - 1}
	for j, got := range p.leaveOneOut(which) {
		k := which[j]
		rest := d.slice(0, 0)
		for m := range d.y {
			if m != k {
				one := d.slice(m, m+1)
				rest.sets, rest.rows = append(rest.sets, one.sets...), append(rest.rows, one.rows...)
				rest.size, rest.y = append(rest.size, one.size...), append(rest.y, one.y...)
			}
		}
		want := d.y[k] - condition(newKernel(7, someHyper(7)), rest).predict(d, k)
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("pair %d: %v, want %v", k, got, want)
		}
	}
}
