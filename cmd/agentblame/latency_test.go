//go:build unix

package main

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// slow is the refund pipeline as shell steps of half a second each.
const slow = `inputs: [question]
steps:
  planner:
    needs: [question]
    run: {exec: [sh, step.sh, planner]}
    variants: {date-constraint: {exec: [sh, step.sh, planner, fix]}}
  retriever:
    needs: [planner]
    run: {exec: [sh, step.sh, retriever]}
    variants: {drop-superseded: {exec: [sh, step.sh, retriever, fix]}}
  writer:
    needs: [retriever]
    run: {exec: [sh, step.sh, writer]}
    variants: {cite-sources: {exec: [sh, step.sh, writer, fix]}}
  reviewer:
    needs: [writer]
    run: {exec: [sh, step.sh, reviewer]}
    variants: {recheck-claims: {exec: [sh, step.sh, reviewer, fix]}}
score: {equals: expected}
cases: [{id: refund-q1, inputs: {question: How long?}, expected: 30}]
`

const slowSteps = `read -r question
sleep 0.5
case $1$2:$question in
planner:*) echo '{"since":0}' ;;
plannerfix:*) echo '{"since":2026}' ;;
retriever:*2026*) echo '{"days":30}' ;;
retriever:*) echo '{"days":90}' ;;
retrieverfix:*) echo '{"days":30}' ;;
writer:*'"days":30'*) echo '{"days":30}' ;;
writer:*) echo '{"days":90}' ;;
writerfix:*'"days":30'*) echo '{"days":30,"cites":"it"}' ;;
writerfix:*) echo '{"days":90,"cites":"it"}' ;;
reviewerfix:*cites*) echo 30 ;;
*'"days":30'*) echo 30 ;;
*) echo 90 ;;
esac
`

// With concurrency to spare an analysis takes two runs of the pipeline: the
// factual one, then one pass over all coalitions. The best of three shows what
// the command does rather than what else the machine does.
func TestLatency(t *testing.T) {
	if testing.Short() {
		t.Skip("takes ten seconds")
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "agentblame.yaml"), slow)
	write(t, filepath.Join(dir, "step.sh"), slowSteps)
	took := func(args ...string) time.Duration {
		cmd := exec.Command("agentblame", args...)
		cmd.Dir = dir
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("agentblame %v: %v\n%s", args, err, out)
		}
		return time.Since(start)
	}
	best := 0.0
	for try := range 3 {
		one, all := took("run", "-j", "1"), took("blame", "-j", "8", "-o", "result.json")
		ratio := all.Seconds() / one.Seconds()
		t.Logf("one run of the pipeline: %v; the analysis: %v; ratio %.2f", one, all, ratio)
		if try == 0 || ratio < best {
			best = ratio
		}
		if best <= 2.6 {
			break
		}
	}
	if best > 2.6 {
		t.Errorf("the analysis takes %.2f runs of the pipeline; the limit is 2.6", best)
	}
	r := readResult(t, filepath.Join(dir, "result.json"))
	if r.Summary.Cost != 14 || r.Cases[0].ShapleyExact.Get("planner") != "5/12" {
		t.Errorf("cost %v, blame %v", r.Summary.Cost, r.Cases[0].ShapleyExact)
	}
}
