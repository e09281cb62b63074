package noise

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
)

// Observed is a draw that is known to have come out as it did, in the call of a
// step. Nothing else is known of the noise behind it.
type Observed struct {
	Step string `json:"step"`
	Call string `json:"call"`
	Draw Draw   `json:"draw"`
}

// A Posterior is what a set of observed draws says about the noise. Use it with
// [World.Given]; every world given it repeats every observation, and over
// worlds the noise has its conditional law given the observations.
//
// Draws at an observed address, with the observation's parameters or others:
//
//   - a categorical or index choice: the Gumbels are drawn from their law given
//     that the observed option won, by the top-down construction of Maddison,
//     Tarlow and Minka, "A* sampling" (NeurIPS 2014). They don't depend on the
//     logits asked for, so all counterfactual logits of a world share them;
//   - a uniform, normal, exponential, int, bool or seed draw: they are functions
//     of one uniform, which is drawn from those consistent with the observation
//     (for uniform, normal, exponential and seed it is known);
//   - a perm: its swaps are known, those of a longer one are the world's own.
//
// A draw of a kind that shares no noise with the observed one is the world's
// own. A Posterior is immutable and may be shared.
type Posterior struct {
	at map[call]map[string]*evidence
	id string
}

type call struct{ step, call string }

// evidence is an observation prepared for drawing.
type evidence struct {
	draw   Draw
	top, z float64 // of choices: largest logit, and ln Σ e^(logit−top)
	lo, hi uint64  // of scalars: the consistent values of the 53 bits
	swaps  []int   // of perm: swap i of the shuffle, for 0 < i < n
}

// NewPosterior checks the observations and prepares them. It errs, naming the
// draw, on malformed draws, on impossible ones (an option with logit −Inf was
// chosen) and on an address observed twice.
func NewPosterior(observed ...Observed) (*Posterior, error) {
	p := &Posterior{at: make(map[call]map[string]*evidence)}
	for _, o := range observed {
		c := call{o.Step, o.Call}
		e, err := newEvidence(o.Draw)
		if err != nil {
			return nil, fmt.Errorf("noise: observation of step %s#%s: %w", o.Step, o.Call, err)
		}
		if p.at[c] == nil {
			p.at[c] = make(map[string]*evidence)
		}
		if p.at[c][o.Draw.Key] != nil {
			return nil, fmt.Errorf("noise: observation of step %s#%s: draw %q: observed twice", o.Step, o.Call, o.Draw.Key)
		}
		p.at[c][o.Draw.Key] = e
	}
	id, err := fingerprint(observed)
	if err != nil {
		return nil, fmt.Errorf("noise: observations: %w", err)
	}
	p.id = id
	return p, nil
}

// fingerprint is a digest of the observations that doesn't depend on their
// order.
func fingerprint(observed []Observed) (string, error) {
	sorted := slices.Clone(observed)
	slices.SortFunc(sorted, func(a, b Observed) int {
		return cmp.Or(cmp.Compare(a.Step, b.Step), cmp.Compare(a.Call, b.Call), cmp.Compare(a.Draw.Key, b.Draw.Key))
	})
	h := sha256.New()
	if err := json.NewEncoder(h).Encode(sorted); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)[:16]), nil
}

// of returns the evidence about one step run, by key; nil if there is none.
func (p *Posterior) of(step, name string) map[string]*evidence {
	if p == nil {
		return nil
	}
	return p.at[call{step, name}]
}

func newEvidence(d Draw) (*evidence, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	e := &evidence{draw: d.clone()}
	switch d.Kind {
	case Categorical:
		e.top, e.z = logSumExp(sortedValues(d.Logits))
	case Index:
		e.top, e.z = logSumExp(d.IndexLogits)
	case Perm:
		e.swaps = swaps(d.Perm)
	default:
		e.lo, e.hi = d.span()
	}
	return e, nil
}

// logSumExp returns the largest logit and ln Σ e^(logit−largest), summed in the
// order given. Kept apart they lose nothing to a large common offset.
func logSumExp(logits []float64) (top, z float64) {
	top = slices.Max(logits)
	sum := 0.0
	for _, l := range logits {
		sum += exp(l - top)
	}
	return top, ln(sum)
}

// swaps undoes the Fisher–Yates shuffle that made perm: shuffling backwards
// fixes perm[i] by the swap of i with the place where its value then is.
func swaps(perm []int) []int {
	at := make([]int, len(perm)) // place of value v
	p := make([]int, len(perm))
	for i := range p {
		p[i], at[i] = i, i
	}
	swap := make([]int, len(perm))
	for i := len(perm) - 1; i > 0; i-- {
		j := at[perm[i]]
		swap[i] = j
		p[i], p[j] = p[j], p[i]
		at[p[i]], at[p[j]] = i, j
	}
	return swap
}
