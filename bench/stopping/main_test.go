package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/bench/saved"

	"github.com/agentblame/agentblame/confseq"
)

func TestCompare(t *testing.T) {
	const streams = 20
	short := settings()
	for i := range short[1:] { // only the first kind needs its length
		short[i+1].horizon = min(100, short[i+1].horizon)
	}
	rows, err := compare(short, streams, delta)
	if err != nil {
		t.Fatal(err)
	}
	again, err := compare(short, streams, delta)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, again); diff != "" {
		t.Errorf("a second run differs:\n%s", diff)
	}
	seen := map[string]int{}
	for _, r := range rows {
		seen[r.Data]++
		if r.Valid && r.Wrong > delta+2.33*math.Sqrt(delta*(1-delta)/streams) {
			t.Errorf("%s is wrong in %v of the streams %s", r.Rule, r.Wrong, r.Data)
		}
		if (r.Median == nil) != (r.Declared < 0.5) && math.Abs(r.Declared-0.5) > 0.05 {
			t.Errorf("%s on %s: declared in %v, median %v", r.Rule, r.Data, r.Declared, r.Median)
		}
	}
	rules := len(confseq.Names()) - 1
	want := map[string]int{"seed-like": rules, "tie": rules, "all-equal": rules, "rare": rules, "skew": rules, "finite-154": 6}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("rows by data (-want +got):\n%s", diff)
	}
}

func TestSummarize(t *testing.T) {
	r := Row{Horizon: 10}
	r.summarize([]outcome{{3, 1}, {4, 1}, {5, 2}, {11, -1}}, 1)
	four := 4
	five := 5
	want := Row{Horizon: 10, Median: &four, Q90: &five, Declared: 0.75, Wrong: 0.25}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("row (-want +got):\n%s", diff)
	}
}

func TestTableAndFile(t *testing.T) {
	n := 31
	rows := []Row{
		{Data: "seed-like", Rule: "elimination", Delta: .05, Streams: 2000, Horizon: 100, Median: &n, Q90: nil, Declared: .8, Valid: true},
		{Data: "skew", Rule: "normal", Delta: .05, Streams: 2000, Horizon: 100, Declared: .4, Wrong: .4},
	}
	var b strings.Builder
	if err := table(&b, rows); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"31", ">100", "0.4000!", "asymptotic", "valid"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the table lacks %q:\n%s", want, b.String())
		}
	}
	file := filepath.Join(t.TempDir(), "rows.json")
	if err := saved.Rows(file, rows); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var got struct{ Rows []Row }
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(rows, got.Rows); diff != "" {
		t.Errorf("rows read back (-want +got):\n%s", diff)
	}
}
