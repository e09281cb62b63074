package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExpressions(t *testing.T) {
	tests := []struct{ expr, want, err string }{
		{expr: `n + 1`, want: `8`},
		{expr: `n % 2 == 1`, want: `true`},
		{expr: `n / 2`, want: `3.5`},
		{expr: `x + 0.5`, want: `2`},
		{expr: `big`, want: `123456789012345678901234567890`},
		{expr: `long`, want: `9007199254740993`},
		{expr: `long + 1`, want: `9007199254740994`},
		{expr: `[big == big, big == n]`, want: `[true,false]`},
		{expr: `big + 1`, err: `expr: invalid operation: big.Int + int (at column 5 of the expression)`},
		{expr: `docs[0].id`, want: `"d1"`},
		{expr: `filter(docs, .score > 0.5) | map(.id)`, want: `["d2"]`},
		{expr: `docs[5]`, err: `expr: index out of range: 5 (array length is 2) (at column 5 of the expression)`},
		{expr: `docs[5]?.id ?? "none"`, err: `expr: index out of range: 5 (array length is 2) (at column 5 of the expression)`},
		{expr: `docs[0].author?.name ?? "nobody"`, want: `"nobody"`},
		{expr: `{"a": n, "b": [x]}`, want: `{"a":7,"b":[1.5]}`},
		{expr: `keys(obj)`, want: `["a","b","c","d","e"]`},
		{expr: `values(obj)`, want: `[1,2,3,4,5]`},
		{expr: `toPairs(obj)[4]`, want: `["e",5]`},
		{expr: `keys(n)`, err: `expr: keys needs an object, not a int (at column 1 of the expression)`},
		{expr: `groupBy(docs, .id)["d1"]`, want: `[{"id":"d1","score":0.25}]`},
		{expr: `groupBy(docs, .id)`, want: `{"d1":[{"id":"d1","score":0.25}],"d2":[{"id":"d2","score":0.75}]}`},
		{expr: `nil`, want: `null`},
		{expr: `date("2026-01-02")`, want: `"2026-01-02T00:00:00Z"`},
		{expr: `1 / 0`, err: `+Inf has no JSON form`},
		{expr: `1..10000000`, err: `expr: memory budget exceeded (at column 2 of the expression)`},
		{expr: `case.id + case.tags.team`, want: `"q1returns"`},
		{expr: `case.expected.days`, want: `30`},
		{expr: `case.gold["step"]`, want: `5`},
		{expr: `case.inputs.n`, want: `9`}, // the case's own, not the step's
	}
	for _, test := range tests {
		t.Run(test.expr, func(t *testing.T) {
			f := declare(t, `
inputs: [n, x, big, long, docs, obj]
steps:
  step:
    needs: [n, x, big, long, docs, obj]
    run:
      expr: |-
        `+test.expr+`
score: {equals: expected}
`)
			c := newCase(`{"n": 9}`, `{"days": 30}`)
			c.Gold = newCase(`{"step": 5}`, "").Inputs
			c.Tags = map[string]string{"team": "returns"}
			inputs := newCase(`{"n": 7, "x": 1.5, "big": 123456789012345678901234567890, "long": 9007199254740993,
				"docs": [{"id": "d1", "score": 0.25}, {"id": "d2", "score": 0.75}], "obj": {"b": 2, "a": 1, "e": 5, "d": 4, "c": 3}}`, "").Inputs
			got, err := runStep(t, t.Context(), f, "step", "", c, inputs)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if diff := cmp.Diff([]string{test.want, test.err}, []string{got, message}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestLongExpressions(t *testing.T) {
	for _, text := range []string{strings.Repeat("(", longestExpression+1), strings.Repeat("(", longestExpression-1) + "1", strings.Repeat("-", longestExpression-1) + "1", strings.Repeat("[", longestExpression/2)} {
		if _, mistakes := compile(text, nil, nil, nil); len(mistakes) != 1 {
			t.Errorf("%.20s…: %d mistakes, want one", text, len(mistakes))
		}
	}
}
