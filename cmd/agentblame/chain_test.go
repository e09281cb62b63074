package main

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// chain is a YAML pipeline of n steps in a row that count the fixes in place,
// and passes when most are. Its states merge: there are at most n²/2.
func chain(n int) string {
	var b strings.Builder
	b.WriteString("inputs: [s0]\nsteps:\n")
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "  s%d: {needs: [s%d], run: {expr: s%d}, variants: {fix: {expr: s%d + 1}}}\n", i, i-1, i-1, i-1)
	}
	fmt.Fprintf(&b, "score: {expr: s%d > %d}\ncases: [{id: only, inputs: {s0: 0}}]\n", n, n/2)
	return b.String()
}

// A pipeline of 64 steps is exact: 2⁶⁴ coalitions, with 4096 step runs.
func TestChainOf64(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "agentblame.yaml"), chain(64))
	cmd := exec.Command("agentblame", "blame", "-o", "result.json")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%v of processor time, %d MB", cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), peakMemory(cmd.ProcessState)>>20)
	if peak := peakMemory(cmd.ProcessState); peak > 200<<20 {
		t.Errorf("it took %d MB; the limit is 200", peak>>20)
	}
	r := readResult(t, filepath.Join(dir, "result.json"))
	c := r.Cases[0]
	if c.Method != "exact" || c.Coalitions != math.Pow(2, 64) || len(c.Shapley) != 64 {
		t.Fatalf("method %s, %v coalitions, %d players", c.Method, c.Coalitions, len(c.Shapley))
	}
	for _, v := range c.Shapley {
		if math.Abs(v.Value-1.0/64) > 1e-12 {
			t.Errorf("blame of %s is %v, want 1/64", v.Player, v.Value)
		}
	}
	// Each of the states between two steps is met with and without the fix;
	// 64 of the runs were factual. A repair is any 33 of 64 steps.
	if c.CostFactual != 64 || c.Cost != 64*65-64 {
		t.Errorf("cost %v and %v", c.CostFactual, c.Cost)
	}
	if len(c.MinimalRepairs) != 100 || len(c.MinimalRepairs[0]) != 33 || c.MinimalRepairsCount != "1777090076065542336" {
		t.Errorf("%d minimal repairs listed, of %s", len(c.MinimalRepairs), c.MinimalRepairsCount)
	}
}
