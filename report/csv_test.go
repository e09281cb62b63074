package report_test

import (
	"bytes"
	"encoding/csv"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

func asCSV(t interface{ Fatal(...any) }, r *blame.Result) (string, [][]string) {
	var b bytes.Buffer
	if err := report.CSV(&b, r); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(bytes.NewReader(b.Bytes())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), rows
}

func TestCSVGolden(t *testing.T) {
	text, _ := asCSV(t, batch(t, exam(usual), mixed(), blame.Options{}))
	golden(t, "mixed.csv", text)
	text, _ = asCSV(t, batch(t, exam(usual), mixed(), blame.Options{Calls: true}))
	golden(t, "mixed-calls.csv", text)
}

func TestCSVIsSafeInASpreadsheet(t *testing.T) {
	tests := []struct{ in, want string }{
		{"=HYPERLINK(\"http://x\")", "'=HYPERLINK(\"http://x\")"},
		{"+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"},
		{"-2+3", "'-2+3"},
		{"@SUM(A1)", "'@SUM(A1)"},
		{"＝1+1", "'＝1+1"},
		{"＋1", "'＋1"},
		{"－1", "'－1"},
		{"＠x", "'＠x"},
		{"﹦1", "'﹦1"},
		{"−1+2", "'−1+2"},
		{" =1+1", "' =1+1"},
		{"\u00a0\u3000=1", "'\u00a0\u3000=1"},
		{"\"=1", "'\"=1"},
		{"'=1", "''=1"},
		{"|calc", "'|calc"},
		{"%0A=1", "'%0A=1"},
		{"\n=1", `\n=1`},
		{"\x00=1", `\x00=1`},
		{"\u200b=1", `\u200b=1`},
		{"a;=1", "a;'=1"},
		{"a; @SUM(A1);-2", "a;' @SUM(A1);'-2"},
		{"a=1;b-2", "a=1;b-2"},
		{"\t=1", `\t=1`},
		{"\r=1", `\r=1`},
		{"-2.5", "-2.5"},
		{"+1e-3", "+1e-3"},
		{"-", "'-"},
		{"a,b \"c\"", "a,b \"c\""},
		{"a\n=1", `a\n=1`},
		{"", ""},
	}
	for _, tt := range tests {
		r := refund(t, blame.Options{})
		r.Cases[0].ID, r.Cases[0].LastTouch = tt.in, tt.in
		_, rows := asCSV(t, r)
		if got := rows[1][0]; got != tt.want {
			t.Errorf("id %q is written %q, want %q", tt.in, got, tt.want)
		}
		if got := rows[1][5]; got != tt.want {
			t.Errorf("last touch %q is written %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestCSVColumnsOfCalls(t *testing.T) {
	values := func(players ...string) (out blame.ByPlayer[float64]) {
		for i, p := range players {
			out = append(out, blame.PlayerValue[float64]{Player: p, Value: float64(i)})
		}
		return out
	}
	r := &blame.Result{Pipeline: blame.PipelineInfo{Steps: []blame.StepInfo{{Name: "plan"}, {Name: "act"}}}}
	r.Cases = []blame.CaseResult{
		{ID: "1", Shapley: values("act#2", "act#10", "act#west")},
		{ID: "2", Shapley: values("plan#1", "act#1", "act#east")},
	}
	_, rows := asCSV(t, r)
	want := []string{"plan#1", "act#1", "act#2", "act#10", "act#east", "act#west"}
	for i, p := range want {
		want[i] = "shapley." + p
	}
	if diff := cmp.Diff(want, rows[0][7:13]); diff != "" {
		t.Errorf("columns (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"", "", "0", "1", "", "2"}, rows[1][7:13]); diff != "" {
		t.Errorf("values (-want +got):\n%s", diff)
	}
}

// A table can be read again: numbers to the last bit, and texts as Clean shows
// them, apart from apostrophes.
func TestCSVReadsBackTheSame(t *testing.T) {
	number := func(cell string) *float64 {
		if cell == "" {
			return nil
		}
		x, err := strconv.ParseFloat(cell, 64)
		if err != nil {
			t.Fatal(err)
		}
		return &x
	}
	for name, r := range realResults(t) {
		_, rows := asCSV(t, r)
		if len(rows) != 1+len(r.Cases) {
			t.Fatalf("%s: %d rows for %d cases", name, len(rows), len(r.Cases))
		}
		for i, row := range rows[1:] {
			have := &r.Cases[i]
			got := blame.CaseResult{
				ID: row[0], Passed: row[1] == "true", Score: number(row[2]), ScoreFixed: number(row[3]),
				Undefined: row[4], LastTouch: row[5], Cost: *number(row[6]),
			}
			for k, head := range rows[0][7 : len(row)-1] {
				if x := number(row[7+k]); x != nil {
					got.Shapley = append(got.Shapley, blame.PlayerValue[float64]{Player: strings.TrimPrefix(head, "shapley."), Value: *x})
				}
			}
			want := blame.CaseResult{
				ID: report.Clean(have.ID), Passed: have.Passed, Score: have.Score, ScoreFixed: have.ScoreFixed,
				Undefined: report.Clean(have.Undefined), LastTouch: have.LastTouch, Cost: have.Cost, Shapley: have.Shapley,
			}
			if diff := cmp.Diff(want, got, exported, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s, row %d (-result +table):\n%s", name, i+1, diff)
			}
		}
	}
}

// Whatever a result holds, a row has all columns, and no cell is a formula.
func TestCSVLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := results().Draw(t, "result")
		_, rows := asCSV(t, r)
		if len(rows) != 1+len(r.Cases) {
			t.Fatalf("%d rows for %d cases", len(rows), len(r.Cases))
		}
		for _, row := range rows[1:] {
			for _, c := range row {
				if what := harmless(c); what != "" {
					t.Fatalf("cell %q holds %s", c, what)
				}
				for _, part := range strings.Split(c, ";") {
					_, err := strconv.ParseFloat(part, 64)
					if part = strings.TrimLeft(part, " \u00a0"); part != "" && strings.ContainsAny(part[:1], "=@+-") && err != nil {
						t.Fatalf("cell %q may be a formula", c)
					}
				}
			}
		}
	})
}
