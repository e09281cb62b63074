package spec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMatchingScores(t *testing.T) {
	tests := []struct {
		score, output, expected string
		want                    any
	}{
		{`equals: expected`, `30`, `30`, 1.0},
		{`equals: expected`, `30`, `30.0`, 1.0},
		{`equals: expected`, `30`, `3e1`, 1.0},
		{`equals: expected`, `30`, `31`, 0.0},
		{`equals: expected`, `"30"`, `30`, 1.0},
		{`equals: expected`, `30`, `" 30.0"`, 1.0},
		{`equals: expected`, `"1.10"`, `"1.1"`, 0.0}, // versions, not numbers
		{`equals: expected`, `"30 days"`, `30`, 0.0},
		{`equals: expected`, `123456789012345678901234567890`, `123456789012345678901234567890`, 1.0},
		{`equals: expected`, `123456789012345678901234567890`, `123456789012345678901234567891`, 0.0},
		{`equals: expected`, `10000000000000000000000`, `1e22`, 1.0},
		{`equals: expected`, `9007199254740993`, `9007199254740992`, 0.0},
		{`equals: expected`, `-0`, `0`, 1.0},
		{`equals: expected`, `0.1`, `0.1000000000000000055511151231257827`, 1.0}, // one float64
		{`equals: expected`, `{"a": [1, {"b": null}], "c": "x"}`, `{"c": "x", "a": [1.0, {"b": null}]}`, 1.0},
		{`equals: expected`, `{"a": 1}`, `{"a": 1, "b": null}`, 0.0},
		{`equals: expected`, `["30"]`, `[30]`, 0.0}, // only a whole answer is read as a number
		{`equals: expected`, `[1, 2]`, `[2, 1]`, 0.0},
		{`equals: expected`, `true`, `true`, 1.0},
		{`equals: expected`, `true`, `1`, 0.0},
		{`equals: expected`, `null`, `null`, 1.0},
		{`equals: expected`, `"Yes "`, `"yes"`, 0.0},
		{`equals: expected, trim: true, ignore_case: true`, `"Yes "`, `"yes"`, 1.0},
		{`equals: expected, trim: true, ignore_case: true`, `["Yes "]`, `["yes"]`, 1.0},
		{`equals: expected.days`, `30`, `{"days": 30}`, 1.0},
		{`equals: "expected[1].days"`, `30`, `[1, {"days": 30}]`, 1.0},
		{`equals: expected.1.days`, `30`, `[1, {"days": 30}]`, 1.0},
		{`equals: yes`, `"yes"`, ``, 1.0},
		{`equals: true`, `true`, ``, 1.0},
		{`equals: 30`, `30.0`, ``, 1.0},
		{`equals: {value: expected}`, `"expected"`, ``, 1.0},
		{`equals: {value: null}`, `null`, ``, 1.0},
		{`equals: {value: {a: [1]}}`, `{"a": [1]}`, ``, 1.0},
		{`equals: [1, 2]`, `[1, 2]`, ``, 1.0},
		{`equals: expected, json: $.answer.days`, `{"answer": {"days": 30}}`, `30`, 1.0},
		{`equals: expected, json: answer.days`, `{"answer": {"days": 30}}`, `30`, 1.0},
		{`equals: expected, json: answer.days`, `{"answer": {"day": 30}}`, `30`, 0.0},
		{`equals: expected, json: answer.days`, `"none"`, `30`, 0.0},
		{`equals: expected, json: "answers[0]['x']"`, `1`, `1`, nil}, // not a path: the table says nil
		{`equals: expected, json: 'answers[0]["x.y"]'`, `{"answers": [{"x.y": 5}]}`, `5`, 1.0},
		{`equals: {value: null}, json: a`, `{}`, ``, 0.0},

		{`contains: expected`, `"it takes 30 days"`, `"30 days"`, 1.0},
		{`contains: expected`, `"it takes 90 days"`, `"30 days"`, 0.0},
		{`contains: expected`, `"it takes 30 days"`, `["30", "days"]`, 1.0},
		{`contains: expected`, `"it takes 30 days"`, `["30", "weeks"]`, 0.0},
		{`contains: expected`, `"it takes 30 days"`, `30`, 1.0},
		{`contains: expected`, `["a", "b"]`, `"a"`, 1.0},
		{`contains: expected`, `["ab", "b"]`, `"a"`, 0.0},
		{`contains: expected`, `["d1", "d2", 3]`, `["d2", 3.0]`, 1.0},
		{`contains: expected`, `{"text": "30 days"}`, `"30 days"`, 1.0},
		{`contains: expected`, `null`, `"null"`, 0.0},
		{`contains: expected`, `"x"`, `{"a": 1}`, 0.0},
		{`contains: expected, ignore_case: true`, `"Thirty Days"`, `"thirty"`, 1.0},

		{`regex: "^[0-9]+ days$"`, `"30 days"`, ``, 1.0},
		{`regex: "^[0-9]+ days$"`, `"about 30 days"`, ``, 0.0},
		{`regex: "DAYS", ignore_case: true`, `"30 days"`, ``, 1.0},
		{`regex: "^days", trim: true`, `" days"`, ``, 1.0},
		{`regex: "^30$"`, `30`, ``, 1.0},
		{`regex: "days", json: text`, `{"text": "days"}`, ``, 1.0},
		{`regex: ".*", json: text`, `{}`, ``, 0.0},

		{`number: expected`, `30`, `30`, 1.0},
		{`number: expected`, `"30"`, `30.0`, 1.0},
		{`number: expected`, `30.4`, `30`, 0.0},
		{`number: expected, tolerance: 0.5`, `30.4`, `30`, 1.0},
		{`number: expected, tolerance: 0.5`, `"30.4 "`, `"30"`, 1.0},
		{`number: expected, tolerance: 0.5`, `30.6`, `30`, 0.0},
		{`number: expected, relative: 0.1`, `-33`, `-30`, 1.0},
		{`number: expected, relative: 0.1`, `-34`, `-30`, 0.0},
		{`number: expected, relative: 0.1, tolerance: 5`, `34`, `30`, 1.0},
		{`number: 30, tolerance: 1`, `29`, ``, 1.0},
		{`number: expected, tolerance: 5`, `"thirty"`, `30`, 0.0},
		{`number: expected, tolerance: 5`, `null`, `30`, 0.0},
		{`number: expected, tolerance: 5`, `[30]`, `30`, 0.0},
		{`number: expected`, `9007199254740993`, `9007199254740992`, 0.0},
		{`number: expected`, `30`, `"thirty"`, "case q1: the score compares numbers, but what is expected is \"thirty\""},
		{`equals: expected`, `30`, ``, "case q1 has no expected, which the score reads"},
		{`equals: expected.days`, `30`, `{"day": 3}`, "case q1 has no such part of its expected, which the score reads"},
	}
	for _, test := range tests {
		t.Run(fmt.Sprintf("%s of %s with %s", test.score, test.output, test.expected), func(t *testing.T) {
			text := "steps:\n  a: {run: {gold: true}}\nscore: {" + test.score + "}\n"
			if test.want == nil {
				if _, err := load("x.yaml", []byte(text)); err == nil {
					t.Error("no fault")
				}
				return
			}
			c := newCase(`{}`, test.expected)
			c.Gold = newCase(`{"a": `+test.output+`}`, "").Inputs
			got, err := replay(t, declare(t, text).Pipeline, c, nil)
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestExpressionScores(t *testing.T) {
	tests := []struct {
		expr string
		want any
	}{
		{`a == case.expected`, 1.0},
		{`a == 31`, 0.0},
		{`a / 60`, 0.5},
		{`1`, 1.0},
		{`a`, "the score is 30; it must be a number from 0 to 1"},
		{`a / 0`, "the score is +Inf; it must be a number from 0 to 1"},
		{`-1`, "the score is -1; it must be a number from 0 to 1"},
		{`"x"`, "the score's expression gave x; it must give a number from 0 to 1, true or false"},
		{`nil`, "the score's expression gave <nil>; it must give a number from 0 to 1, true or false"},
		{`q.x.y`, "expr: cannot fetch y from <nil> (at column 5 of the expression)"},
		{`case.tags.team == "returns" and case.id == "q1" and case.inputs.q.n == 3`, 1.0},
		{`case.gold.a == a and case.gold.b?.x == nil`, 1.0},
		{`len($env) == 4`, 1.0}, // a, b, q and case
		{`$env["a"] == 30`, 1.0},
	}
	for _, test := range tests {
		t.Run(test.expr, func(t *testing.T) {
			f := declare(t, "inputs: [q]\nsteps:\n  a: {run: {gold: true}}\n  b: {run: {value: 1}}\nscore:\n  expr: |\n    "+test.expr+"\n")
			c := newCase(`{"q": {"n": 3}}`, `30`)
			c.Gold = newCase(`{"a": 30}`, "").Inputs
			c.Tags = map[string]string{"team": "returns"}
			got, err := replay(t, f.Pipeline, c, nil)
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestAskedScores(t *testing.T) {
	s := service(t)
	tests := []struct {
		score string
		want  any
	}{
		{`exec: "echo 0.5"`, 0.5},
		{`exec: "echo true"`, 1.0},
		{`exec: "echo false"`, 0.0},
		{`exec: "echo '{\"score\": 0.25, \"why\": 1}'"`, 0.25},
		{`exec: "echo '{\"score\": true}'"`, 1.0},
		{`exec: "echo 1.5"`, "the score is 1.5; it must be a number from 0 to 1"},
		{`exec: "echo 1e999"`, `the score came as 1e999; it must be a number from 0 to 1, true or false, or an object with such a "score"`},
		{`exec: "echo NaN"`, `"echo NaN" gave output that isn't JSON (JSON has no NaN): NaN`},
		{`exec: "echo '\"1\"'"`, `the score came as "1"; it must be a number from 0 to 1, true or false, or an object with such a "score"`},
		{`exec: "echo '{\"scores\": 1}'"`, `the score came as {"scores": 1}; it must be a number from 0 to 1, true or false, or an object with such a "score"`},
		{`http: "` + s.URL + `/five"`, "the score is 12345; it must be a number from 0 to 1"},
		{`http: "` + s.URL + `/echo"`, `the score came as {"inputs":{"a":1,"q":"hi"},"case":{"id":"q1","inputs":{"q":"hi"},"expected":30,"…; it must be a number from 0 to 1, true or false, or an object with such a "score"`},
		{`http: "` + s.URL + `/echo", needs: [], deterministic: true`, `the score came as {"inputs":{},"case":{"id":"q1","inputs":{"q":"hi"},"expected":30,"gold":{},"tags…; it must be a number from 0 to 1, true or false, or an object with such a "score"`},
	}
	for _, test := range tests {
		t.Run(test.score, func(t *testing.T) {
			f := declare(t, "inputs: [q]\nsteps:\n  a: {run: {value: 1}}\nscore: {"+test.score+"}\n")
			got, err := replay(t, f.Pipeline, newCase(`{"q": "hi"}`, `30`), nil)
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A score needs what it reads, and nothing else: what it doesn't need isn't part
// of a replay's state.
func TestScoreNeeds(t *testing.T) {
	for score, want := range map[string]string{
		`{equals: expected}`:            "c",
		`{equals: expected, of: a}`:     "a",
		`{regex: x, of: q}`:             "q",
		`{expr: "a == 1"}`:              "a",
		`{expr: "c == 1 ? b : q"}`:      "b c q",
		`{expr: "case.id == 'x'"}`:      "",
		`{expr: "let x = a; x == 1"}`:   "a",
		`{expr: "any(b, # == c)"}`:      "b c",
		`{expr: "$env['b'] == 1"}`:      "b",
		`{expr: "'b' in $env"}`:         "a b c q",
		`{expr: "get($env, 'b') == 1"}`: "a b c q",
		`{exec: [x]}`:                   "a b c q",
		`{exec: [x], needs: [q, a]}`:    "q a",
		`{http: "http://x", needs: []}`: "",
	} {
		f := declare(t, "inputs: [q]\nsteps:\n  a: {run: {value: 1}}\n  b: {run: {value: 1}}\n  c: {run: {value: 1}}\nscore: "+score+"\n")
		if got := strings.Join(f.Pipeline.Score.Needs, " "); got != want {
			t.Errorf("%s needs %q, want %q", score, got, want)
		}
	}
}
