//go:build unix

// Command latency measures how long an analysis takes beside one run of the
// pipeline, where steps are slow and may all run at once.
//
//	go run ./bench/latency
//
// It builds agentblame and runs it on four shell steps of half a second each:
// first the pipeline alone, then the whole analysis of a failing case. Two runs of
// the pipeline are the least an analysis can take: the factual one, then one pass
// over all coalitions.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

const turns = 5

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "bench-latency")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, text := range map[string]string{"agentblame.yaml": slow, "step.sh": slowSteps} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	command := filepath.Join(dir, "agentblame")
	if out, err := exec.Command("go", "build", "-o", command, "./cmd/agentblame").CombinedOutput(); err != nil {
		return fmt.Errorf("build agentblame: %w\n%s", err, out)
	}
	took := func(args ...string) (time.Duration, error) {
		cmd := exec.Command(command, args...)
		cmd.Dir = dir
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("agentblame %v: %w\n%s", args, err, out)
		}
		return time.Since(start), nil
	}
	var ones, alls []time.Duration
	for range turns {
		one, err := took("run", "-j", "1")
		if err != nil {
			return err
		}
		all, err := took("blame", "-j", "8")
		if err != nil {
			return err
		}
		ones, alls = append(ones, one), append(alls, all)
	}
	slices.Sort(ones)
	slices.Sort(alls)
	one, all := ones[turns/2], alls[turns/2]
	fmt.Printf("one run of the pipeline   %4d ms\n", one.Milliseconds())
	fmt.Printf("the whole analysis        %4d ms: %.2f runs of the pipeline (16 coalitions; the least is 2)\n", all.Milliseconds(), all.Seconds()/one.Seconds())
	return nil
}
