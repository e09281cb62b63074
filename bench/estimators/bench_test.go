package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/game"
)

// Every pipeline fails as run, is repaired by all fixes, and its memory of step
// runs changes no score.
func TestPipelines(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range pipelines() {
		family, _, _ := strings.Cut(p.name, "-")
		seen[family] = true
		table := p.table()
		if table[0] >= 0.5 || table[len(table)-1] <= table[0]+0.4 {
			t.Errorf("%s: from %v to %v", p.name, table[0], table[len(table)-1])
		}
		for mask := 0; mask < len(table); mask += 97 {
			if got := p.replay(uint64(mask), map[runKey]uint64{}); got != table[mask] || got < 0 || got > 1 {
				t.Errorf("%s: score of %b is %v, %v with memory", p.name, mask, got, table[mask])
			}
		}
		all := make([]uint64, len(table))
		for i := range all {
			all[i] = uint64(i)
		}
		if got := p.runs(all); got != p.all {
			t.Errorf("%s: %d step runs of all coalitions, %d when making the table", p.name, got, p.all)
		}
		// ∅ and N run at most every step twice, and at least once.
		if n := p.runs(nil); n < len(p.steps) || n > 2*len(p.steps) {
			t.Errorf("%s: %d step runs of none and all", p.name, n)
		}
	}
	if len(seen) != len(families) {
		t.Errorf("families %v", seen)
	}
}

// Some fix of the harmful family makes some coalition worse.
func TestHarm(t *testing.T) {
	for _, p := range pipelines() {
		if !strings.HasPrefix(p.name, "harmful") {
			continue
		}
		table, worse := p.table(), false
		for mask := range table {
			for i := range len(p.steps) {
				worse = worse || table[mask|1<<i] < table[mask]
			}
		}
		if !worse {
			t.Errorf("%s: no fix breaks anything", p.name)
		}
	}
}

func TestCacheOutlivesACrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	c, err := openCache(path)
	if err != nil {
		t.Fatal(err)
	}
	a := answer{Game: "g", Budget: 10, Seed: 1, Method: "m", Values: []float64{1, 2}, Asked: 9}
	if err := c.put(a); err != nil {
		t.Fatal(err)
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"game":"g","budget":20,"val`); err != nil {
		t.Fatal(err)
	}
	f.Close()
	b := answer{Game: "g", Budget: 30, Seed: 1, Method: "m", Error: "refused"}
	for range 2 { // the second time, all comes from the file
		c, err := openCache(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := c.get(a.key()); !ok || !cmp.Equal(got, a) {
			t.Errorf("kept %+v", got)
		}
		if _, ok := c.get(answerKey{"g", 20, 1, "m"}); ok {
			t.Error("half a line was read")
		}
		if err := c.put(b); err != nil {
			t.Fatal(err)
		}
		if got, ok := c.get(b.key()); !ok || got.Error != "refused" {
			t.Errorf("kept %+v", got)
		}
		c.close()
	}
}

func TestJobs(t *testing.T) {
	g := newGame("g", make(game.Table, 1<<8), nil)
	var got []int
	for _, j := range jobs([]testGame{g}, []int{2, 10, 20, 50}, 2) {
		got = append(got, 1000*j.seed+j.budget())
	}
	// 0.7·256 = 179.2 coalitions are the most.
	if d := cmp.Diff([]int{16, 80, 160, 1016, 1080, 1160}, got); d != "" {
		t.Error(d)
	}
	if _, err := numbers("2, 0"); err == nil {
		t.Error("budget 0 is taken")
	}
}

func TestOurs(t *testing.T) {
	for _, g := range generated("chain-1") {
		j := job{&g, 10, 1}
		a, err := j.ask(context.Background(), "leverage")
		if err != nil {
			t.Fatal(err)
		}
		if a.Asked != 122 || a.Runs < 24 || a.Runs > g.pipeline.all || failure(a.Values, g.phi) > 1 {
			t.Errorf("%+v", a)
		}
		if _, err := j.ask(context.Background(), "guess"); err == nil {
			t.Error("an unknown method answers")
		}
	}
}

func TestRows(t *testing.T) {
	trials := []trial{
		{"a", map[string]float64{"ours x": 1e-4, "peer": 1e-2, "other": 1e-6}, map[string]float64{"peer": 2}},
		{"a", map[string]float64{"ours x": 1e-2, "peer": 1e-2}, map[string]float64{"peer": 4}},
		{"b", map[string]float64{"ours x": 1e-3, "peer": 1e-2}, map[string]float64{"peer": 6}},
	}
	for i := range trials {
		trials[i].withHindsight()
	}
	got := rows(trials, "ours x", []string{"ours x", "peer", "other", "absent"})
	want := []Row{
		{Method: "other", Games: 1, Answers: 1, Refused: 2, Geo: 1e-6, Mean: 1e-6, Median: 1e-6, Ratio: 100},
		{Method: hindsight, Games: 2, Answers: 3, Geo: math.Pow(1e-10, 1.0/3), Mean: 0.020001 / 3, Median: 1e-2, Ratio: math.Pow(10, 1.0/3), Wins: 0.5},
		{Method: "ours x", Games: 2, Answers: 3, Geo: 1e-3, Mean: 0.0111 / 3, Median: 1e-3, Ratio: 1, Wins: 0.5},
		{Method: "peer", Games: 2, Answers: 3, Geo: 1e-2, Mean: 1e-2, Median: 1e-2, Seconds: 4, Ratio: 0.1, Wins: 2.5 / 3},
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(math.Abs(a), math.Abs(b)) })
	if d := cmp.Diff(want, got, near); d != "" {
		t.Error(d)
	}
	var out strings.Builder
	if err := write(&out, got, "ours x"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "Lost: 2 of 3") || strings.Index(out.String(), "lost:") > strings.Index(out.String(), "geo. mean") {
		t.Errorf("losses don't come first:\n%s", out.String())
	}
}

// The account of step runs takes each method's last answer that fits, equal
// shares without one, and all coalitions where their runs fit.
func TestByRuns(t *testing.T) {
	p := &pipeline{all: 18, steps: make([]step, 3)}
	g := newGame("p", game.Table{0, 1, 0, 1, 0, 1, 0, 1}, p) // only player 0
	b := &board{methods: []string{"m"}, jobs: []job{{&g, 1, 0}, {&g, 2, 0}}}
	answers := map[answerKey]answer{
		{g.key, 5, 0, "m"}: {Values: []float64{0.5, 0.5, 0}, Asked: 5, Runs: 12},
		{g.key, 8, 0, "m"}: {Values: []float64{1, 0, 0}, Asked: 8, Runs: 15},
	}
	b.get = func(k answerKey) (answer, bool) { a, ok := answers[k]; return a, ok }
	for per, want := range map[int]float64{3: 2.0 / 3, 4: 0.5, 5: smallest, 6: smallest} {
		got := b.byRuns(per)
		if len(got) != 1 || math.Abs(got[0].err["m"]-want) > 1e-12 {
			t.Errorf("%d runs a player: %+v, want error %v", per, got, want)
			continue
		}
		if _, ok := got[0].err[exactly]; ok != (per == 6) {
			t.Errorf("%d runs a player: all coalitions: %v", per, ok)
		}
	}
	delete(answers, answerKey{g.key, 8, 0, "m"})
	if got := b.byRuns(5); len(got) != 0 {
		t.Errorf("an unfinished game is shown: %+v", got)
	}
}

// The peers answer, if they are installed.
func TestPeers(t *testing.T) {
	home, err := os.UserCacheDir()
	if err != nil {
		t.Skip("SKIPPED: no cache directory: ", err)
	}
	bin := filepath.Join(home, "agentblame", "peers", "bin", "python")
	if _, err := os.Stat(bin); err != nil {
		t.Skip("SKIPPED: peers not asked, the command has not installed them yet: ", err)
	}
	p, err := startPeers(t.Context(), bin)
	if err != nil {
		t.Fatal(err)
	}
	g := generated("votes-1")[0]
	path, err := g.writeTable(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	methods := []string{"shapiq KernelSHAP", "shapiq LeverageSHAP", "shap KernelExplainer"}
	err = p.ask(job{&g, 20, 3}, path, methods, func(a answer) error {
		if a.Error != "" || a.Asked > 20*13+2 || a.Runs == 0 || failure(a.Values, g.phi) > 0.5 {
			t.Errorf("%+v", a)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	// A method that fails has refused, and the others go on.
	err = p.ask(job{&g, 20, 3}, path, []string{"guess"}, func(a answer) error {
		if a.Values != nil || !strings.Contains(a.Error, "guess") {
			t.Errorf("%+v", a)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if err := p.stop(); err != nil {
		t.Error(err)
	}
}
