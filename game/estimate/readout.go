package estimate

// readOut adds to phi the Shapley values of f(S) = a(|S|)·Σ_m αₘ·K(S, Sₘ), but
// for a constant that all players have in common:
//
//	φᵢ = Σ_{S∋i} (in + out)[|S|]·f(S) − Σ_S out[|S|]·f(S),
//
// see [weights], of which the second sum is the constant. Exact, in closed form.
// The scale a is given: with 0 for some sizes, f is read out at the others only.
func (k *kernel) readOut(phi []float64, d *pairs, alpha, scale []float64) {
	w := shapleyWeights(k.n)
	weight := make([]float64, k.n+1)
	for s := range weight {
		weight[s] = (w.in[s] + w.out[s]) * scale[s]
	}
	k.readProducts(phi, d, alpha, weight)
	k.readParts(phi, d, alpha, scale)
	for m, a := range alpha {
		w.add(phi, d, m, a*(k.white+jitter)*scale[d.size[m]])
	}
}

// readProducts reads out the products of β. A player j contributes a factor
// κⱼ(1) if in S, κⱼ(0) if not; with e the coefficients of Πⱼ (κⱼ(0) + κⱼ(1)·z),
// Σ_S weight[|S|]·Πⱼ κⱼ is Σ_s weight[s]·e[s], whose derivative by κᵢ(1), times
// κᵢ(1), is the part of the S∋i. All derivatives come from one pass forward and
// one backward, of positive terms only. Products over those who agree are the
// mirror image and count the same.
func (k *kernel) readProducts(phi []float64, d *pairs, alpha, weight []float64) {
	n := k.n
	prefix := make([][]float64, n+1) // of the product, by number of players
	for j := range prefix {
		prefix[j] = make([]float64, j+1)
	}
	back := make([]float64, n+1)
	for m, a := range alpha {
		prefix[0][0] = 1
		for j, beta := range k.beta {
			in, out := beta, 1.0
			if d.has(m, j) {
				in, out = 1, beta
			}
			p, q := prefix[j], prefix[j+1]
			q[0] = out * p[0]
			for s := 1; s < len(p); s++ {
				q[s] = out*p[s] + in*p[s-1]
			}
			q[len(p)] = in * p[len(p)-1]
		}
		copy(back, weight)
		for j := n - 1; j >= 0; j-- {
			in, out := k.beta[j], 1.0
			if d.has(m, j) {
				in, out = 1, k.beta[j]
			}
			sum := 0.0
			for s, p := range prefix[j] {
				sum += p * back[s+1]
			}
			phi[j] += a * in * sum
			for s := range prefix[j] {
				back[s] = out*back[s] + in*back[s+1]
			}
		}
	}
}

// readParts adds the linear and the sized part. h(|S|)·χᵢ(S), where h(s) =
// h(n−s), gives its own player −Σₛ (h(s+1)+h(s)) / n and every other
// Σₛ (h(s+1)−h(s))·(1−2s/(n−1)) / n, s = 0 … n−1. The size part has equal
// values for all and is left to the projection.
func (k *kernel) readParts(phi []float64, d *pairs, alpha, scale []float64) {
	n := float64(k.n)
	for m, a := range alpha {
		h := make([]float64, k.n+1)
		for s := range h {
			h[s] = scale[s] * (k.linear + k.sized*k.smooth[s][d.size[m]])
		}
		var own, other float64
		for s := range k.n {
			own -= (h[s+1] + h[s]) / n
			if k.n > 1 {
				other += (h[s+1] - h[s]) * (1 - 2*float64(s)/(n-1)) / n
			}
		}
		signs := 0.0
		for i := range k.n {
			signs += d.sign(m, i)
		}
		for i := range phi {
			sign := d.sign(m, i)
			phi[i] += a / n * (sign*own + (signs-sign)*other)
		}
	}
}

// add adds the Shapley values of the function that is x at pair m's set, −x at
// the complement, and 0 elsewhere.
func (w weights) add(phi []float64, d *pairs, m int, x float64) {
	member, other := w.odd(d.size[m])
	for i := range phi {
		if d.has(m, i) {
			phi[i] += x * member
		} else {
			phi[i] -= x * other
		}
	}
}
