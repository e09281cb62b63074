package spec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// show makes cases comparable: JSON values as texts.
func show(cases []pipeline.Case) []string {
	text := func(v any) string { return fmt.Sprintf("%T %s", v, v) }
	var out []string
	for _, c := range cases {
		line := c.ID
		for _, k := range []string{"q", "n", "doc"} {
			if v, ok := c.Inputs[k]; ok {
				line += " | " + k + " " + text(v)
			}
		}
		if c.Expected != nil {
			line += " | expected " + text(c.Expected)
		}
		if c.Seed != nil {
			line += fmt.Sprint(" | seed ", *c.Seed)
		}
		for _, k := range []string{"a", "b", "q"} {
			if v, ok := c.Gold[k]; ok {
				line += " | gold " + k + " " + text(v)
			}
		}
		for _, k := range []string{"a", "a#2", "a#x"} {
			if r, ok := c.Recording[k]; ok {
				line += fmt.Sprintf(" | recorded %s %s %s %s", k, r.Inputs, r.Output, r.Error)
			}
		}
		if c.Tags != nil {
			line += fmt.Sprint(" | tags ", c.Tags)
		}
		out = append(out, line)
	}
	return out
}

func TestReadCases(t *testing.T) {
	const bom = "\ufeff"
	tests := []struct {
		name, file, text string
		want             []string
	}{
		{"JSON Lines", "c.jsonl", `{"id": "one", "inputs": {"q": "hi", "n": 12345678901234567890123}, "expected": {"x": 1.50}, "seed": 9007199254740991, "gold": {"a": [1], "q": null}, "tags": {"team": "x", "week": 34, "vip": true}}` + "\n", []string{
			`one | q jsontext.Value "hi" | n jsontext.Value 12345678901234567890123 | expected jsontext.Value {"x": 1.50} | seed 9007199254740991 | gold a jsontext.Value [1] | gold q jsontext.Value null | tags map[team:x vip:true week:34]`,
		}},
		{"recordings", "c.jsonl", `{"id": 7, "inputs": {}, "recording": {"a": {"inputs": {"q": 12345678901234567890123}, "output": 1e2}, "a#2": {"error": "timeout"}, "a#x": {"output": null}}}`, []string{
			`7 | recorded a map[q:12345678901234567890123] 1e2  | recorded a#2 map[] %!s(<nil>) timeout | recorded a#x map[] null `,
		}},
		{"a mark, CRLF, blank lines, no ids", "c.jsonl", bom + "{\"inputs\": {\"q\": 1}}\r\n\r\n  \n{\"inputs\": {\"q\": 2}}\r\n", []string{
			"case-1 | q jsontext.Value 1", "case-4 | q jsontext.Value 2",
		}},
		{"expected null", "c.ndjson", `{"inputs": {"q": 1}, "expected": null}`, []string{
			"case-1 | q jsontext.Value 1 | expected jsontext.Value null",
		}},
		{"an array", "c.json", bom + "[\n{\"inputs\": {\"q\": 1}},\n\n{\"id\": \"x\", \"inputs\": {\"q\":\n 12345678901234567890}}]\n", []string{
			"case-2 | q jsontext.Value 1", "x | q jsontext.Value 12345678901234567890",
		}},
		{"an array in one line", "c.json", `[{"inputs": {"q": 1}}, {"id": "case-1-2", "inputs": {"q": 2}}, {"inputs": {"q": 3}}, {"inputs": {"q": 4}}]`, []string{
			"case-1 | q jsontext.Value 1", "case-1-2 | q jsontext.Value 2", "case-1-3 | q jsontext.Value 3", "case-1-4 | q jsontext.Value 4",
		}},
		{"YAML", "c.yaml", bom + `
- id: one
  inputs: &in {q: hi, n: 12345678901234567890123}
  expected: 2024-01-01
  seed: 3
  gold: {a: [1.50, 0x10, 1_000, yes, true, ~, "012", 1e3, -0, .5, 0o17]}
- inputs:
    <<: *in
    q: |
      two
      lines
  expected: *in
`, []string{
			`one | q jsontext.Value "hi" | n jsontext.Value 12345678901234567890123 | expected jsontext.Value "2024-01-01" | seed 3 | gold a jsontext.Value [1.50,16,1000,"yes",true,null,"012",1e3,-0,0.5,15]`,
			`case-7 | q jsontext.Value "two\nlines\n" | n jsontext.Value 12345678901234567890123 | expected jsontext.Value {"q":"hi","n":12345678901234567890123}`,
		}},
		{"CSV", "c.csv", bom + "id,q,n:json,expected,seed,gold.a,gold.b:json,tags.team\r\n" +
			"one,\"a \"\"b\"\"\nc\",\"{\"\"x\"\": 1}\",30,5,x,[1],returns\r\n" +
			",,2,,,,,\r\n" +
			"\"\",30,null,30.0,,,,\r\n", []string{
			`one | q jsontext.Value "a \"b\"\nc" | n jsontext.Value {"x": 1} | expected jsontext.Value "30" | seed 5 | gold a jsontext.Value "x" | gold b jsontext.Value [1] | tags map[team:returns]`,
			`case-4 | q jsontext.Value "" | n jsontext.Value 2`,
			`case-5 | q jsontext.Value "30" | n jsontext.Value null | expected jsontext.Value "30.0"`,
		}},
		{"names of columns with dots", "c.csv", "doc,gold.a\nx,\n", []string{`case-2 | doc jsontext.Value "x"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(write(t, map[string]string{test.file: test.text}), test.file)
			cases, err := ReadCases(path, Check{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, show(cases)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestReadCasesThatAreNotThere(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		"none.jsonl": "there is no such file",
		".":          "a file of cases ends in",
	} {
		_, err := ReadCases(filepath.Join(dir, path), Check{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got the error %v, want %s", path, err, want)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.csv"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadCases(filepath.Join(dir, "folder.csv"), Check{}); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("got the error %v", err)
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 20<<20)
	path := filepath.Join(write(t, map[string]string{"c.jsonl": `{"inputs": {"q": "` + long + `"}}` + "\n" + `{"inputs": {"q": 1}}`}), "c.jsonl")
	cases, err := ReadCases(path, Check{Inputs: []string{"q"}})
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 2 || len(cases[0].Inputs["q"].(jsontext.Value)) != len(long)+2 {
		t.Errorf("got %d cases", len(cases))
	}
}

func TestManyFaults(t *testing.T) {
	path := filepath.Join(write(t, map[string]string{"c.jsonl": strings.Repeat("x\n", 1000)}), "c.jsonl")
	_, err := ReadCases(path, Check{})
	if err == nil {
		t.Fatal("no fault")
	}
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != shown+1 || lines[shown] != "and 950 more" || !strings.HasPrefix(lines[0], path+":1: not JSON") {
		t.Errorf("got %d lines, the first %s, the last %s", len(lines), lines[0], lines[len(lines)-1])
	}
}

// Cases of a declaration, of its files, and of others are one batch.
func TestCasesTogether(t *testing.T) {
	dir := write(t, map[string]string{
		"agentblame.yaml": `
inputs: [q]
steps:
  a: {needs: [q], run: {value: 1}}
score: {equals: expected}
cases:
  - {id: inline, inputs: {q: 1}, expected: 1}
  - "*.jsonl"
`,
		"b.jsonl":   `{"id": "b", "inputs": {"q": 1}, "expected": 1}`,
		"a.jsonl":   `{"id": "a", "inputs": {"q": 1}, "expected": 1}`,
		"other.csv": "id,q,expected\nother,1,1\n",
		"same.csv":  "id,q,expected\na,1,1\n",
	})
	f, err := Load(filepath.Join(dir, "agentblame.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	cases, err := f.Cases(filepath.Join(dir, "other.csv"))
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range cases {
		ids = append(ids, c.ID)
	}
	if diff := cmp.Diff([]string{"inline", "a", "b", "other"}, ids); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	_, err = f.Cases(filepath.Join(dir, "same.csv"))
	want := filepath.Join(dir, "same.csv") + `:2: the id "a" is taken by the case at ` + filepath.Join(dir, "a.jsonl") + ":1"
	if err == nil || err.Error() != want {
		t.Errorf("got the error %v, want %s", err, want)
	}
}

// A decimal is equal to another exactly when the numbers are.
func TestDecimals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		digits := rapid.StringMatching(`(0|[1-9][0-9]{0,8})(\.[0-9]{1,8})?`)
		exponent := rapid.IntRange(-10, 10)
		rat := func(label string) (string, string) {
			s := rapid.SampledFrom([]string{"", "-"}).Draw(t, label+" sign") + digits.Draw(t, label)
			e := exponent.Draw(t, label+" exponent")
			text := fmt.Sprintf("%se%d", s, e)
			return text, exact(text)
		}
		a, x := rat("a")
		b, y := rat("b")
		if got := toDecimal(a) == toDecimal(b); got != (x == y) {
			t.Fatalf("%s and %s: equal %v, but as fractions %s and %s", a, b, got, x, y)
		}
		if toDecimal(a) != toDecimal(respell(t, a)) {
			t.Fatalf("%s isn't equal to another spelling of it", a)
		}
	})
}

func TestPaths(t *testing.T) {
	value := jsontext.Value(`{"a": {"b": [10, {"c d": 20, "0": 30}]}, "": 40, "x.y": 50, "1": 60}`)
	for written, want := range map[string]string{
		"":                 string(value),
		"$":                string(value),
		"a.b.0":            "10",
		"$.a.b[0]":         "10",
		`a.b[1]["c d"]`:    "20",
		`$["a"]["b"][1].0`: "30",
		"a.b[1].c d":       "20",
		`[""]`:             "40",
		`["x.y"]`:          "50",
		"1":                "60",
		"[1]":              "nothing",
		`a.b["0"]`:         "nothing",
		"a.b.2":            "nothing",
		"a.b.-1":           "nothing",
		"a.c":              "nothing",
		"a.b.0.x":          "nothing",
		".":                "fault",
		"a.":               "fault",
		"a..b":             "fault",
		"a[":               "fault",
		"a[x]":             "fault",
		"a[-1]":            "fault",
		`a["b]`:            "fault",
		`a["b"`:            "fault",
		"a[0]b":            "fault",
		"$a":               "fault",
	} {
		p, err := parsePath(written)
		got := "fault"
		if err == nil {
			got = "nothing"
			if part, ok := p.find(value); ok {
				got = string(part)
			}
		}
		if got != want {
			t.Errorf("%s: got %s, want %s (%v)", written, got, want, err)
		}
	}
}
