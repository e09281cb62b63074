package demo

import (
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/replay"
)

func ragBatch(t *testing.T, seed uint64, mode blame.Mode) *blame.Result {
	t.Helper()
	r, err := blame.Batch(t.Context(), Rag(), RagCases(ragCases, seed), blame.Options{Mode: mode, Worlds: ragWorlds})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// means returns the mean values by step.
func means(r *blame.Result) map[string]float64 {
	out := map[string]float64{}
	for _, s := range r.Steps {
		out[s.Name] = s.Shapley.Mean
	}
	return out
}

// within fails the test when a number isn't what it should be.
func within(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	if !(got >= low && got <= high) {
		t.Errorf("%s is %.4f, not from %v to %v", what, got, low, high)
	}
}

func TestRagRecorded(t *testing.T) {
	r := ragBatch(t, ragSeed, blame.Recorded)
	s := r.Summary
	if s.Cases != 200 || s.Undefined != 0 || s.WithErrors != 0 || s.Analyzed != s.Failures {
		t.Errorf("summary: %+v", s)
	}
	within(t, "failures", float64(s.Failures), 148, 160)
	within(t, "not fixable", float64(s.Unfixable), 17, 23)
	type bounds struct{ shapley, alone [2]float64 }
	want := map[string]bounds{
		"rewrite":  {[2]float64{0.29, 0.33}, [2]float64{0.25, 0.28}},
		"retrieve": {[2]float64{0.29, 0.33}, [2]float64{0.25, 0.28}},
		"answer":   {[2]float64{0.16, 0.20}, [2]float64{0.14, 0.18}},
		"verify":   {[2]float64{0.04, 0.07}, [2]float64{0.03, 0.08}},
	}
	total := 0.0
	for _, step := range r.Steps {
		w := want[step.Name]
		within(t, step.Name+"'s Shapley value", step.Shapley.Mean, w.shapley[0], w.shapley[1])
		within(t, step.Name+"'s fix alone", step.Resolves, w.alone[0], w.alone[1])
		total += step.Shapley.Mean
	}
	// All fixes together repair what can be repaired, or nearly.
	within(t, "sum of values", total, 0.85, float64(s.Repairable)/float64(s.Failures)+1e-9)
	within(t, "share of failures for which last touch blames verify", float64(r.Steps[3].LastTouch)/float64(s.Failures), 0.92, 1)
}

func TestRagModes(t *testing.T) {
	recorded := ragBatch(t, ragSeed, blame.Recorded)
	posterior := means(ragBatch(t, ragSeed, blame.Posterior))
	prior := means(ragBatch(t, ragSeed, blame.Prior))
	order := byBlame(recorded.Steps)
	for i, step := range order {
		mean := step.Shapley.Mean
		within(t, "posterior less recorded of "+step.Name, posterior[step.Name]-mean, -0.06, 0.06)
		within(t, "prior as a share of recorded of "+step.Name, prior[step.Name]/mean, 0.5, 0.95)
		if i == 0 {
			continue
		}
		for mode, means := range map[string]map[string]float64{"recorded": means(recorded), "posterior": posterior, "prior": prior} {
			if lead := means[order[i-1].Name] - means[step.Name]; lead < 0.01 {
				t.Errorf("%s: %s leads %s by %.3f only", mode, order[i-1].Name, step.Name, lead)
			}
		}
	}
}

// What rag shows is no matter of its seed.
func TestRagOtherSeeds(t *testing.T) {
	modes := []blame.Mode{blame.Recorded, blame.Posterior, blame.Prior}
	for seed := range uint64(3) {
		for _, mode := range modes[:3-seed] {
			r := ragBatch(t, seed, mode)
			m := means(r)
			lead := min(m["rewrite"], m["retrieve"])
			if lead < m["answer"]+0.02 || m["answer"] < m["verify"]+0.02 {
				t.Errorf("seed %d, %s: %v", seed, mode, m)
			}
			within(t, "share of failures", float64(r.Summary.Failures)/ragCases, 0.68, 0.86)
			within(t, "share for which last touch blames verify", float64(r.Steps[3].LastTouch)/float64(r.Summary.Failures), 0.9, 1)
		}
	}
}

func TestVariance(t *testing.T) {
	r := ragBatch(t, ragSeed, blame.Recorded)
	failing := failures(r, RagCases(ragCases, ragSeed), 16)
	if len(failing) != 16 {
		t.Fatalf("%d failing cases", len(failing))
	}
	rows, err := variances{Rag(), failing, 8, varWorlds, varOrders}.compare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 6 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		name := row.mode + " " + row.estimator
		switch row.estimator {
		case "mc-perm":
			within(t, name+": ratio", row.ratio(), 1.8, 4)
			within(t, name+": gain", row.gain(), 3, 8)
		case "exact-avg":
			within(t, name+": ratio", row.ratio(), 0.6, 1.1)
			within(t, name+": gain", row.gain(), 2.5, 8)
		}
	}
	within(t, "prior fix-alone: ratio", rows[3].ratio(), 2.5, 5)
	// Nothing is pinned or cached there: 4 worlds × 16 coalitions, half of the
	// steps fixed on average.
	if got, want := rows[4].independent.cost, 16*4*16*10.5; got != want {
		t.Errorf("independent exact-avg costs %v, not %v", got, want)
	}
}

// Exploring a world costs what its coalitions cost one by one, and gives the
// same values.
func TestTrialValues(t *testing.T) {
	for _, mode := range []blame.Mode{blame.Posterior, blame.Prior} {
		e, err := replay.New(Rag(), replay.Options{Concurrency: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range failures(ragBatch(t, ragSeed, blame.Recorded), RagCases(ragCases, ragSeed), 5) {
			explored, err := newTrial(t.Context(), e, &c, mode, 0)
			if err != nil {
				t.Fatal(err)
			}
			single, err := newTrial(t.Context(), e, &c, mode, 0)
			if err != nil {
				t.Fatal(err)
			}
			for range 3 {
				values, err := explored.values(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				world := single.world()
				for mask, v := range values {
					if got, err := single.session.Value(t.Context(), world, game.FromMask(uint64(mask))); err != nil || got != v {
						t.Errorf("%s, case %s, coalition %b: %v explored, %v by itself (%v)", mode, c.ID, mask, v, got, err)
					}
				}
				if mode == blame.Posterior && values[0] != 0 {
					t.Errorf("case %s: a world that explains the failure doesn't fail", c.ID)
				}
			}
			if a, b := explored.session.Cost(), single.session.Cost(); a != b {
				t.Errorf("%s, case %s: cost %v explored, %v one by one", mode, c.ID, a, b)
			}
		}
	}
}
