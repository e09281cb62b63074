package noise

import (
	"math"
	"strconv"
	"testing"
)

// scalarAsks and choiceAsks are what the vectors ask for at each address.
func scalarAsks() []ask {
	return []ask{
		{Kind: Uniform}, {Kind: Normal}, {Kind: Exponential}, {Kind: Seed},
		{Kind: Int, N: 1}, {Kind: Int, N: 2}, {Kind: Int, N: 6}, {Kind: Int, N: 1000}, {Kind: Int, N: math.MaxInt32},
		{Kind: Bool, P: 0}, {Kind: Bool, P: 0.25}, {Kind: Bool, P: 0.7}, {Kind: Bool, P: 1},
		{Kind: Perm, N: 0}, {Kind: Perm, N: 1}, {Kind: Perm, N: 5}, {Kind: Perm, N: 12},
	}
}

func choiceAsks() []ask {
	no := logit(math.Inf(-1))
	return []ask{
		{Kind: Categorical, Logits: map[string]logit{"gold": 1, "stale": 1.3}},
		{Kind: Categorical, Logits: map[string]logit{"gold": 3, "stale": 0.2, "": 0.5}},
		{Kind: Categorical, Logits: map[string]logit{"gold": no, "stale": -2, "new": 1}},
		{Kind: Categorical, Logits: map[string]logit{"gold": 1e9, "stale": 1e9 + 1, "new": 1e9 - 1}},
		{Kind: Categorical, Logits: map[string]logit{"gold": -1e30, "stale": 0, "new": 0.5}},
		{Kind: Categorical, Logits: map[string]logit{"｡": 1e300, "𝄞": 1e300, "z": 1e300}}, // equal scores
		{Kind: Categorical, Logits: map[string]logit{"été": 0, "东京": 0.1, "🎲": 0.2, "__proto__": 0.3}},
		{Kind: Index, Logits: []logit{0}},
		{Kind: Index, Logits: []logit{1, 1.3, 0.2, no, -1}},
		{Kind: Index, Logits: []logit{no, 3, 0.2, 1, -1, 2, 2}},
		{Kind: Index, Logits: []logit{-1e9, -1e9 + 1, no, -1e9}},
		{Kind: Index, Logits: []logit{-1e30, 1e17, 1e17, 1e17}},
		{Kind: Index, Pattern: 3001},
	}
}

func drawVectors(t testing.TB) []drawVector {
	var v []drawVector
	for i := range 12 {
		at := place{strconv.Itoa(i), strconv.Itoa(i / 3), "writer", strconv.Itoa(1 + i%2), "k" + strconv.Itoa(i)}
		for _, a := range append(scalarAsks(), choiceAsks()...) {
			v = append(v, drawVector{At: at, Ask: a, Want: a.draw(at.source(t, nil), at.Key)})
		}
	}
	return v
}

// observations are the draws that the posterior vectors condition on, with the
// key left out.
func observations() []Draw {
	no := math.Inf(-1)
	return []Draw{
		{Kind: Uniform, Value: 0.3}, {Kind: Uniform, Value: 0x1p-54}, {Kind: Normal, Value: -1.25}, {Kind: Exponential, Value: 0.7},
		{Kind: Normal, Value: 40}, {Kind: Exponential, Value: 1e-300},
		{Kind: Seed, Value: 1<<53 - 1}, {Kind: Int, N: 6, Value: 3}, {Kind: Int, N: 1000, Value: 999}, {Kind: Int, N: 1, Value: 0},
		{Kind: Bool, P: 0.25, Value: 1}, {Kind: Bool, P: 0.25, Value: 0}, {Kind: Bool, P: 1, Value: 1},
		{Kind: Perm, Perm: []int{3, 0, 4, 1, 2}},
		{Kind: Categorical, Logits: map[string]float64{"gold": 1, "stale": 1.3}, Chosen: "stale"},
		{Kind: Categorical, Logits: map[string]float64{"gold": 8, "stale": -2, "new": no}, Chosen: "stale"},
		{Kind: Categorical, Logits: map[string]float64{"gold": -1e30, "stale": 1e9, "new": 1e9}, Chosen: "new"},
		{Kind: Categorical, Logits: map[string]float64{"été": 0, "东京": 0.1, "🎲": 0.2, "": 3}, Chosen: "🎲"},
		{Kind: Index, IndexLogits: []float64{1, 1.3, 0.2, no, -1}, Value: 2},
		{Kind: Index, IndexLogits: []float64{no, 3, 0.2, 1, -1, 2, 2}, Value: 4},
		{Kind: Index, IndexLogits: []float64{-1e30, 0, 30}, Value: 1},
		{Kind: Index, IndexLogits: pattern(150), Value: 124},
	}
}

func posteriorVectors(t testing.TB) []drawVector {
	var v []drawVector
	for i, d := range observations() {
		asks := scalarAsks()
		if d.Kind == Categorical || d.Kind == Index {
			asks = choiceAsks()
		}
		for world := range 2 {
			at := place{"11", strconv.Itoa(world), "writer", "1", "k" + strconv.Itoa(i)}
			d.Key = at.Key
			p, err := NewPosterior(Observed{Step: at.Step, Call: at.Call, Draw: d})
			if err != nil {
				t.Fatal(err)
			}
			for _, a := range asks {
				observed := d
				v = append(v, drawVector{At: at, Observed: &observed, Ask: a, Want: a.draw(at.source(t, p), at.Key)})
			}
		}
	}
	return v
}
