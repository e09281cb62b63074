package noise

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDrawJSON(t *testing.T) {
	no := math.Inf(-1)
	for _, c := range []struct {
		draw Draw
		json string
	}{
		{Draw{Key: "doc", Kind: Categorical, Logits: map[string]float64{"stale": 1.3, "gold": 1, "none": no}, Chosen: "stale"},
			`{"key":"doc","kind":"categorical","logits":{"gold":1,"none":"-inf","stale":1.3},"chosen":"stale"}`},
		{Draw{Key: "t1", Kind: Index, IndexLogits: []float64{no, -1e30, 2}, Value: 2},
			`{"key":"t1","kind":"index","logits":["-inf",-1e+30,2],"chosen":2}`},
		{Draw{Key: "é", Kind: Uniform, Value: 0.1}, `{"key":"é","kind":"uniform","value":0.1}`},
		{Draw{Kind: Normal, Value: -1.5}, `{"key":"","kind":"normal","value":-1.5}`},
		{Draw{Key: "e", Kind: Exponential, Value: 1e-9}, `{"key":"e","kind":"exponential","value":1e-9}`},
		{Draw{Key: "i", Kind: Int, N: 3, Value: 0}, `{"key":"i","kind":"int","n":3,"value":0}`},
		{Draw{Key: "s", Kind: Seed, Value: 1<<53 - 1}, `{"key":"s","kind":"seed","value":9007199254740991}`},
		{Draw{Key: "b", Kind: Bool, P: 0.25, Value: 1}, `{"key":"b","kind":"bool","p":0.25,"value":true}`},
		{Draw{Key: "b", Kind: Bool, P: 0, Value: 0}, `{"key":"b","kind":"bool","p":0,"value":false}`},
		{Draw{Key: "p", Kind: Perm, Perm: []int{2, 0, 1}}, `{"key":"p","kind":"perm","value":[2,0,1]}`},
		{Draw{Key: "p", Kind: Perm, Perm: []int{}}, `{"key":"p","kind":"perm","value":[]}`},
	} {
		got, err := json.Marshal(c.draw)
		if err != nil || string(got) != c.json {
			t.Errorf("JSON is %s (%v), want %s", got, err, c.json)
		}
		var back Draw
		if err := json.Unmarshal([]byte(c.json), &back); err != nil {
			t.Errorf("%s: %v", c.json, err)
		}
		if diff := cmp.Diff(c.draw, back); diff != "" {
			t.Errorf("%s reads as (-want +got):\n%s", c.json, diff)
		}
	}
}

func TestBadDrawJSON(t *testing.T) {
	for in, want := range map[string]string{
		`{`:                            "unexpected end",
		`{"key":"k"}`:                  `draw "k": unknown kind ""`,
		`{"key":"k","kind":"dice"}`:    `unknown kind "dice"`,
		`{"key":1,"kind":"uniform"}`:   "key",
		`{"key":"k","kind":"uniform"}`: "no value",
		`{"key":"k","kind":"uniform","value":null}`:                                      "no value",
		`{"key":"k","kind":"uniform","value":"x"}`:                                       "value: ",
		`{"key":"k","kind":"uniform","value":1}`:                                         "uniform 1 is not between 0 and 1",
		`{"key":"k","kind":"exponential","value":0}`:                                     "not positive",
		`{"key":"k","kind":"int","value":1}`:                                             "no n",
		`{"key":"k","kind":"int","n":0,"value":0}`:                                       "n is 0",
		`{"key":"k","kind":"int","n":3,"value":3}`:                                       "3 is not a whole number from 0 to 2",
		`{"key":"k","kind":"int","n":3,"value":0.5}`:                                     "0.5 is not a whole number",
		`{"key":"k","kind":"seed","value":9007199254740992}`:                             "not a whole number from 0 to 9007199254740991",
		`{"key":"k","kind":"bool","value":true}`:                                         "no p",
		`{"key":"k","kind":"bool","p":2,"value":true}`:                                   "p is 2",
		`{"key":"k","kind":"bool","p":0.5,"value":1}`:                                    "value: ",
		`{"key":"k","kind":"bool","p":0,"value":true}`:                                   "impossible: true",
		`{"key":"k","kind":"bool","p":1,"value":false}`:                                  "impossible: false",
		`{"key":"k","kind":"perm","value":[0,0]}`:                                        "not a permutation",
		`{"key":"k","kind":"perm","value":[1,2]}`:                                        "not a permutation",
		`{"key":"k","kind":"categorical","chosen":"a"}`:                                  "no logits",
		`{"key":"k","kind":"categorical","logits":{"a":1}}`:                              "no chosen",
		`{"key":"k","kind":"categorical","logits":{},"chosen":"a"}`:                      "no options",
		`{"key":"k","kind":"categorical","logits":{"a":1},"chosen":"b"}`:                 `chosen option "b" has no logit`,
		`{"key":"k","kind":"categorical","logits":{"a":"-inf","b":1},"chosen":"a"}`:      `impossible: chosen option "a" has logit -Inf`,
		`{"key":"k","kind":"categorical","logits":{"a":"-inf"},"chosen":"a"}`:            "every logit is -Inf",
		`{"key":"k","kind":"categorical","logits":{"a":"-infinity","b":1},"chosen":"b"}`: "logits: ",
		`{"key":"k","kind":"categorical","logits":{"a":null,"b":1},"chosen":"b"}`:        "a logit is null",
		`{"key":"k","kind":"index","logits":[1],"chosen":1}`:                             "chosen option 1 is not a whole number from 0 to 0",
		`{"key":"k","kind":"index","logits":[1],"chosen":"a"}`:                           "chosen: ",
		`{"key":"k","kind":"index","logits":{"a":1},"chosen":0}`:                         "logits: ",
		`{"key":"k","kind":"index","logits":["-inf",1],"chosen":0}`:                      "impossible: chosen option 0 has logit -Inf",
		`{"key":"k","kind":"index","logits":[],"chosen":0}`:                              "no options",
	} {
		var d Draw
		if err := json.Unmarshal([]byte(in), &d); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", in, err, want)
		}
	}
}

// What Go can hold and JSON can't is refused when written, too.
func TestBadDrawMarshal(t *testing.T) {
	for _, d := range []Draw{
		{Kind: Normal, Value: math.NaN()},
		{Kind: Exponential, Value: math.Inf(1)},
		{Kind: Categorical, Logits: map[string]float64{"a": math.NaN()}, Chosen: "a"},
		{Kind: Index, IndexLogits: []float64{math.Inf(1)}},
		{Kind: "dice"},
	} {
		if b, err := json.Marshal(d); err == nil {
			t.Errorf("%+v is written as %s", d, b)
		}
	}
}

// FuzzDrawJSON: whatever can be read is written back to the same draw, can be
// conditioned on, and is then drawn again.
func FuzzDrawJSON(f *testing.F) {
	for _, d := range observations() {
		b, err := json.Marshal(d)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Add([]byte(`{"key":"k","kind":"categorical","logits":{"a":1e308,"b":-1e308},"chosen":"b"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		var d, back Draw
		if json.Unmarshal(in, &d) != nil {
			return
		}
		out, err := json.Marshal(d)
		if err != nil {
			t.Fatalf("%s can be read and not written: %v", in, err)
		}
		if err := json.Unmarshal(out, &back); err != nil {
			t.Fatalf("%s can be written and not read: %v", out, err)
		}
		if diff := cmp.Diff(d, back); diff != "" {
			t.Errorf("%s reads as (-first +second):\n%s", out, diff)
		}
		p, err := NewPosterior(Observed{Draw: d})
		if err != nil {
			t.Fatalf("%s can't be conditioned on: %v", out, err)
		}
		if again := repeat(World{Seed: 1}.Given(p), "", "", d); !cmp.Equal(d, again) {
			t.Errorf("a world given %s draws %+v", out, again)
		}
	})
}

// repeat makes the draw d in a world, with d's parameters.
func repeat(w World, step, call string, d Draw) Draw {
	s := w.Source(step, call)
	s.Record()
	switch d.Kind {
	case Uniform:
		s.Float64(d.Key)
	case Normal:
		s.Norm(d.Key)
	case Exponential:
		s.Exp(d.Key)
	case Int:
		s.IntN(d.Key, d.N)
	case Seed:
		s.Seed(d.Key)
	case Bool:
		s.Bool(d.Key, d.P)
	case Perm:
		s.Perm(d.Key, len(d.Perm))
	case Categorical:
		s.Categorical(d.Key, d.Logits)
	case Index:
		s.Index(d.Key, d.IndexLogits)
	}
	return s.Draws()[0]
}
