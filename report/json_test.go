package report_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

func asJSON(t interface{ Fatal(...any) }, r *blame.Result) string {
	var b bytes.Buffer
	if err := report.JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// exported compares what a result says to others.
var exported = cmpopts.IgnoreUnexported(blame.CaseResult{})

func TestJSONGolden(t *testing.T) {
	golden(t, "refund.json", asJSON(t, refund(t, blame.Options{})))
	var b bytes.Buffer
	if err := report.JSONL(&b, batch(t, exam(usual), mixed(), blame.Options{})); err != nil {
		t.Fatal(err)
	}
	golden(t, "mixed.jsonl", b.String())
}

func TestJSONReadsBackTheSame(t *testing.T) {
	for name, r := range realResults(t) {
		back, err := report.ReadJSON(strings.NewReader(asJSON(t, r)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(r, back, exported); diff != "" {
			t.Errorf("%s (-written +read):\n%s", name, diff)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		first := asJSON(t, results().Draw(t, "result"))
		back, err := report.ReadJSON(strings.NewReader(first))
		if err != nil {
			t.Fatal(err)
		}
		if again := asJSON(t, back); again != first {
			t.Fatalf("written again it is\n%s\nand was\n%s", again, first)
		}
	})
}

func TestJSONEscapesWhatIsInvisibleAndNothingElse(t *testing.T) {
	tests := []struct{ in, want string }{
		{"a<b>&c", `a<b>&c`},
		{"Größe 検索 👩‍🔬", `Größe 検索 👩‍🔬`},
		{"\x1b[31m\n\"\\", `\u001b[31m\n\"\\`},
		{"\u009b \u202e \u2028 \x7f \U000e0041", `\u009b \u202e \u2028 \u007f \udb40\udc41`},
	}
	for _, tt := range tests {
		r := refund(t, blame.Options{})
		r.Cases[0].ID = tt.in
		r.Cases[0].Shapley[0].Player = tt.in
		text := asJSON(t, r)
		for _, want := range []string{`"id": "` + tt.want + `"`, `"` + tt.want + `": 0.4166666666666667`} {
			if !strings.Contains(text, want) {
				t.Errorf("no %s in\n%s", want, text)
			}
		}
		if what := harmless(strings.ReplaceAll(text, "\n", "")); what != "" {
			t.Errorf("%q: the text holds %s", tt.in, what)
		}
		back, err := report.ReadJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if back.Cases[0].ID != tt.in || back.Cases[0].Shapley[0].Player != tt.in {
			t.Errorf("%q is read as %q and %q", tt.in, back.Cases[0].ID, back.Cases[0].Shapley[0].Player)
		}
	}
}

func TestJSONLIsOneCaseALine(t *testing.T) {
	r := batch(t, exam(usual), papers("a\nb\u2028c: a", "plain: b"), blame.Options{})
	var b bytes.Buffer
	if err := report.JSONL(&b, r); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	if len(lines) != 3 || lines[2] != "" {
		t.Fatalf("2 cases make %d lines:\n%s", len(lines)-1, b.String())
	}
	for i, line := range lines[:2] {
		whole := `{"schema": "agentblame.result/v1", "cases": [` + line + `]}`
		back, err := report.ReadJSON(strings.NewReader(whole))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.Cases[i], back.Cases[0], exported); diff != "" {
			t.Errorf("line %d (-written +read):\n%s", i, diff)
		}
	}
}

func TestReadJSONRefuses(t *testing.T) {
	good := asJSON(t, refund(t, blame.Options{}))
	tests := []struct{ name, text, want string }{
		{"nothing", "", "not a result: it is no JSON"},
		{"text", "case refund-q1: score 0", "not a result: it is no JSON"},
		{"half a result", good[:len(good)/2], "not a result: it is no JSON"},
		{"more after the result", good + "{}", "not a result: it is no JSON"},
		{"a list", "[1, 2]", `want a JSON object with "schema"`},
		{"another object", `{"cases": []}`, `want a JSON object with "schema"`},
		{"a schema that is no text", `{"schema": 1}`, `want a JSON object with "schema"`},
		{"a later version", strings.Replace(good, "result/v1", "result/v2", 1), `of another version: it is "agentblame.result/v2", and this program reads "agentblame.result/v1"`},
		{"another kind of file", strings.Replace(good, "agentblame.result/v1", "elsewhere/v1", 1), `its schema is "elsewhere/v1"`},
		{"a field of another type", strings.Replace(good, `"cases": 1`, `"cases": "one"`, 1), "summary.cases: want a whole number, have string (line 56, column 18)"},
		{"a comma too much", "{\n  \"schema\": \"é\",,\n}", "looking for beginning of object key string (line 2, column 17)"},
		{"values that are a list", strings.Replace(good, `"shapley": {
        "planner": 0.4166666666666667,`, `"shapley": [], "x": {`, 1), "want an object of values by player"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := report.ReadJSON(strings.NewReader(tt.text))
			if err == nil {
				t.Fatalf("read as %+v", r)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := report.ReadJSON(brokenReader{}); !errors.Is(err, errBroken) {
		t.Errorf("error %v, want the reader's", err)
	}
}

var errBroken = errors.New("broken pipe")

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errBroken }

func TestReadJSONIgnoresNewFields(t *testing.T) {
	text := strings.Replace(asJSON(t, refund(t, blame.Options{})), `"summary": {`, `"colour": "blue", "summary": {"later": [1],`, 1)
	r, err := report.ReadJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(refund(t, blame.Options{}), r, exported); diff != "" {
		t.Error(diff)
	}
}

// What isn't UTF-8 in a value that is kept as it is can be written again.
func TestReadJSONMakesValuesUTF8(t *testing.T) {
	text := strings.Replace(asJSON(t, refund(t, blame.Options{})), `"values": [`, "\"values\": [{\"value\": \"caf\xe9\"},", 1)
	r, err := report.ReadJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if got := string(r.Values[0].Value); got != "\"caf\ufffd\"" {
		t.Errorf("the value is read as %s", got)
	}
	asJSON(t, r)
}

// Whatever ReadJSON takes, every renderer can show.
func FuzzReadJSON(f *testing.F) {
	f.Add(asJSON(f, refund(f, blame.Options{})))
	f.Add(asJSON(f, batch(f, exam(usual), mixed(), blame.Options{Calls: true})))
	f.Add(`{"schema": "agentblame.result/v1", "summary": {"analyzed": 1, "failures": 1, "cases": 1, "repairable": 1}, "steps": [{"share": 1}], "cases": [{}]}`)
	f.Add(`{"schema": "agentblame.result/v1", "settings": {"players": "calls"}, "cases": [{"shapley": {"#": 1, "a#x": -1e308, "a#1": 0}, "minimal_repairs": [[]]}]}`)
	f.Fuzz(func(t *testing.T, s string) {
		r, err := report.ReadJSON(strings.NewReader(s))
		if err != nil {
			return
		}
		first := asJSON(t, r)
		again, err := report.ReadJSON(strings.NewReader(first))
		if err != nil {
			t.Fatalf("what was written can't be read: %v", err)
		}
		if second := asJSON(t, again); second != first {
			t.Errorf("written again it is\n%s\nand was\n%s", second, first)
		}
		var b bytes.Buffer
		for _, err := range []error{report.Text(&b, r, report.TextOptions{}), report.Text(&b, r, report.TextOptions{Verbose: true, Width: 30}), report.CSV(&b, r), report.JSONL(&b, r), report.HTML(&b, r), report.Markdown(&b, r), report.JUnit(&b, r)} {
			if err != nil {
				t.Error(err)
			}
		}
	})
}
