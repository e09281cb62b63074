package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

// realData returns the folder of the real database and runs.
func realData(t *testing.T) string {
	t.Helper()
	shared := os.Getenv("AGENTBLAME_SHARED")
	if shared == "" {
		t.Skip("SKIPPED: THE REAL RUNS ARE NOT CHECKED. AGENTBLAME_SHARED must name the folder that has taubench/retail")
	}
	return filepath.Join(shared, "taubench", "retail")
}

// analysis runs the program and returns what it prints and the result it writes.
func analysis(t *testing.T, args ...string) (string, *blame.Result) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "result.json")
	var out bytes.Buffer
	if err := run(context.Background(), append(args, "-o", path), &out); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := report.ReadJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), r
}

// counts are what is said of the real failures.
type counts struct{ Runs, Failures, Repairable, ByOne, Jointly, Unfixable int }

func countsOf(r *blame.Result) counts {
	c := counts{r.Summary.Cases, r.Summary.Failures, r.Summary.Repairable, 0, 0, r.Summary.Unfixable}
	for _, x := range r.Cases {
		switch {
		case len(x.MinimalRepairs) == 0:
		case len(x.MinimalRepairs[0]) == 1:
			c.ByOne++
		default:
			c.Jointly++
		}
	}
	return c
}

func TestRealRuns(t *testing.T) {
	out, r := analysis(t, "-data", realData(t))
	for _, want := range []string{
		"runs.json: 793/793 tool outputs and 100/100 rewards come out as recorded\n",
		"runs-failed.json: 284/284 tool outputs and 29/29 rewards come out as recorded\n",
		"24 of 29 runs end with a wrong database: 20 repairable, 17 by one fix and 3 only jointly; 4 not repairable by these fixes\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the report lacks %q:\n%s", want, out)
		}
	}
	if diff := cmp.Diff(counts{29, 24, 20, 17, 3, 4}, countsOf(r)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	// In each case, blame adds up to what all fixes change, and a tool's blame
	// is that of its calls.
	byTool := map[string]float64{}
	for _, c := range r.Cases {
		if c.Undefined != "" || len(c.Errors) > 0 {
			t.Errorf("case %s: undefined %q, errors %v", c.ID, c.Undefined, c.Errors)
		}
		sum := 0.0
		for _, v := range c.Shapley {
			sum += v.Value
			tool, _, _ := strings.Cut(v.Player, "#")
			byTool[tool] += v.Value
		}
		if c.ScoreFixed != nil && math.Abs(sum-(*c.ScoreFixed-*c.Score)) > 1e-12 {
			t.Errorf("case %s: blame adds up to %v, not %v", c.ID, sum, *c.ScoreFixed-*c.Score)
		}
	}
	for _, s := range r.Steps {
		if want := byTool[s.Name] / 24; math.Abs(s.Shapley.Mean-want) > 1e-12 {
			t.Errorf("%s: mean blame %v, its calls add up to %v", s.Name, s.Shapley.Mean, want)
		}
	}
}

// All hundred runs, those included that end well. 27 of the failed ones are
// among them, and what is told of these is the same.
func TestAllRealRuns(t *testing.T) {
	dir := realData(t)
	out, all := analysis(t, "-data", dir, "-runs", filepath.Join(dir, "runs.json"))
	if strings.Count(out, "come out as recorded") != 1 {
		t.Errorf("the runs are replayed more than once:\n%s", out)
	}
	if diff := cmp.Diff(counts{100, 23, 20, 17, 3, 3}, countsOf(all)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	_, failed := analysis(t, "-data", dir)
	same := 0
	for _, c := range failed.Cases {
		i := slices.IndexFunc(all.Cases, func(other blame.CaseResult) bool { return other.ID == c.ID })
		if i < 0 {
			continue
		}
		same++
		if diff := cmp.Diff(told(c), told(all.Cases[i])); diff != "" {
			t.Errorf("case %s (-among failed +among all):\n%s", c.ID, diff)
		}
	}
	if same != 27 {
		t.Errorf("%d runs are in both files, want 27", same)
	}
}

// told is what is told of a case, without the order of tools, which is that of
// their first calls in the file.
func told(c blame.CaseResult) map[string]any {
	out := map[string]any{"score": *c.Score, "last touch": c.LastTouch, "repairs": len(c.MinimalRepairs)}
	for _, v := range c.ShapleyExact {
		out[v.Player] = v.Value
	}
	return out
}

// The example's own small shop has a run with two wrong calls and a missing one.
func TestSmallShop(t *testing.T) {
	out, r := analysis(t, "-data", "retail/testdata/shop", "-runs", "retail/testdata/runs.json")
	if diff := cmp.Diff(counts{1, 1, 1, 0, 1, 0}, countsOf(r)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.Contains(out, "1 of 1 runs end with a wrong database") || r.Cases[0].ShapleyExact.Get("cancel_pending_order#1") != "1/3" {
		t.Errorf("blame %v\n%s", r.Cases[0].ShapleyExact, out)
	}
	if r.Settings.Players != "calls" {
		t.Errorf("players are %s", r.Settings.Players)
	}
}

func TestWrongUsage(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no data":      {nil, "-data DIR is needed"},
		"no database":  {[]string{"-data", "nowhere"}, "orders.json"},
		"no runs":      {[]string{"-data", "retail/testdata/shop"}, "runs-failed.json"},
		"wrong ending": {[]string{"-data", "retail/testdata/shop", "-o", "result.pdf"}, "unknown ending"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			err := run(context.Background(), test.args, &out)
			if err == nil || !strings.Contains(err.Error(), test.want) || out.Len() > 0 {
				t.Errorf("error %v, want one with %q; printed %q", err, test.want, out.String())
			}
		})
	}
}
