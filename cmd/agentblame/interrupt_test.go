//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The pipeline's step hangs in a process of a process, both deaf to polite
// signals, when the input is slow.
const hanging = `inputs: [speed]
steps:
  work:
    needs: [speed]
    run:
      exec:
        - sh
        - -c
        - |
          trap '' INT TERM
          read -r question
          case $question in
          *slow*) sh -c 'trap "" INT TERM; : > started; sleep 600; :'; : ;;
          esac
          echo '"bad"'
    variants: {fix: {value: good}}
score: {equals: {value: good}}
cases: [cases.csv]
`

// hangingProject writes the project, and marks the environment of all processes
// that this test starts, and that these start.
func hangingProject(t *testing.T, cases string) (dir, mark string) {
	t.Helper()
	dir = t.TempDir()
	mark = fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano())
	t.Setenv("AGENTBLAME_TEST_MARK", mark)
	write(t, filepath.Join(dir, "agentblame.yaml"), hanging)
	write(t, filepath.Join(dir, "cases.csv"), cases)
	return dir, mark
}

// interrupted starts the command in a folder, sends it a signal when a step has
// started to hang, and returns what it printed and its exit code.
func interrupted(t *testing.T, dir string, sig syscall.Signal, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := exec.Command("agentblame", args...)
	cmd.Dir = dir
	var out, diagnostics bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &diagnostics
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "a step to start", func() bool {
		_, err := os.Stat(filepath.Join(dir, "started"))
		return err == nil
	})
	if len(marked(t, os.Getenv("AGENTBLAME_TEST_MARK"))) == 0 {
		t.Fatal("the step's processes aren't found")
	}
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), diagnostics.String(), cmd.ProcessState.ExitCode()
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s in vain", what)
		}
	}
}

// marked returns the running processes that have the mark.
func marked(t *testing.T, mark string) (pids []int) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		t.Fatalf("no processes in /proc: %v", err)
	}
	for _, file := range files {
		// A process that has ended meanwhile has no file, a zombie an empty one.
		if text, err := os.ReadFile(file); err == nil && bytes.Contains(text, []byte("AGENTBLAME_TEST_MARK="+mark+"\x00")) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

// noneLeft checks that no process with the mark outlives the command.
func noneLeft(t *testing.T, mark string) {
	t.Helper()
	if left := marked(t, mark); len(left) > 0 {
		t.Errorf("processes outlive the command: %v", left)
	}
}

// Cases that are done before one hangs are in the result.
func TestInterruptKeepsWhatIsKnown(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			dir, mark := hangingProject(t, "id,speed\none,fast\ntwo,fast\nthree,fast\nfour,slow\n")
			stdout, stderr, code := interrupted(t, dir, sig, "blame", "-j", "1", "-o", "result.json", "-o", "cases.csv")
			if code != 130 {
				t.Errorf("exit code %d, want 130", code)
			}
			noneLeft(t, mark)
			if !strings.Contains(stdout, "PARTIAL RESULT") || !strings.Contains(stderr, "interrupted: the results are partial") {
				t.Errorf("stdout:\n%s\nstderr:\n%s", stdout, stderr)
			}
			r := readResult(t, filepath.Join(dir, "result.json"))
			if !r.Summary.Partial || r.Summary.Stopped != "interrupted" {
				t.Errorf("the result isn't marked: partial %v, stopped %q", r.Summary.Partial, r.Summary.Stopped)
			}
			if len(r.Cases) != r.Summary.Cases || r.Summary.Analyzed != r.Summary.Cases || r.Summary.Undefined != 0 {
				t.Errorf("the summary and %d cases differ: %+v", len(r.Cases), r.Summary)
			}
			// Which these are follows from the order of cases, drawn from seed 0.
			if len(r.Cases) == 0 || len(r.Cases) > 3 {
				t.Errorf("%d cases are in the result", len(r.Cases))
			}
			for _, c := range r.Cases {
				if c.ID == "four" || c.Shapley.Get("work") != 1 {
					t.Errorf("case %s: blame %v", c.ID, c.Shapley)
				}
			}
			if _, err := os.Stat(filepath.Join(dir, "cases.csv")); err != nil {
				t.Error(err)
			}
		})
	}
}

// An interrupt while the failures are known and it is measured what fixes break
// is one too.
func TestInterruptWhileMeasuringHarm(t *testing.T) {
	dir, mark := hangingProject(t, "id,speed\none,fast\ntwo,fast\n")
	yaml, err := os.ReadFile(filepath.Join(dir, "agentblame.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(yaml), "variants: {fix: {value: good}}", "variants: {fix: {exec: [sh, -c, \": > started; sleep 600; :\"]}}", 1)
	text = strings.Replace(text, "score: {equals: {value: good}}", "score: {equals: {value: bad}}", 1)
	write(t, filepath.Join(dir, "agentblame.yaml"), text)
	stdout, _, code := interrupted(t, dir, syscall.SIGINT, "blame", "-o", "result.json")
	if code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
	noneLeft(t, mark)
	r := readResult(t, filepath.Join(dir, "result.json"))
	if !r.Summary.Partial || r.Summary.Passed != 2 {
		t.Errorf("summary: %+v", r.Summary)
	}
	if !strings.Contains(stdout, "PARTIAL RESULT") {
		t.Errorf("stdout:\n%s", stdout)
	}
}

func TestInterruptedRun(t *testing.T) {
	dir, mark := hangingProject(t, "id,speed\none,fast\ntwo,fast\nthree,slow\nfour,fast\n")
	stdout, stderr, code := interrupted(t, dir, syscall.SIGINT, "run", "-j", "1")
	if code != 130 || !strings.Contains(stderr, "interrupted") {
		t.Errorf("exit code %d, want 130; stderr:\n%s", code, stderr)
	}
	noneLeft(t, mark)
	// Traces come in order: the two before the case that was cut, or fewer if
	// it was first to run.
	lines := strings.Count(stdout, "\n")
	if lines > 2 || strings.Contains(stdout, `"error"`) {
		t.Errorf("traces:\n%s", stdout)
	}
	for i, id := range []string{"one", "two"}[:min(lines, 2)] {
		if line := strings.Split(stdout, "\n")[i]; !strings.HasPrefix(line, `{"id":"`+id+`","score":0`) {
			t.Errorf("trace %d: %s", i, line)
		}
	}
}

// Who can't wait interrupts twice: nothing is written then. A process that no
// polite signal ends is not waited for, so that this test has to end it.
func TestInterruptTwice(t *testing.T) {
	dir, mark := hangingProject(t, "id,speed\none,slow\n")
	cmd := exec.Command("agentblame", "blame", "-o", "result.json")
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "a step to start", func() bool {
		_, err := os.Stat(filepath.Join(dir, "started"))
		return err == nil
	})
	waitFor(t, "the command to end", func() bool {
		cmd.Process.Signal(syscall.SIGINT) // again and again, like a finger on the keys
		return !running(t, cmd.Process.Pid)
	})
	cmd.Wait()
	if status := cmd.ProcessState.Sys().(syscall.WaitStatus); !status.Signaled() || status.Signal() != syscall.SIGINT {
		t.Errorf("the command ended with %v", cmd.ProcessState)
	}
	if _, err := os.Stat(filepath.Join(dir, "result.json")); err == nil {
		t.Error("there is a result")
	}
	for _, pid := range marked(t, mark) {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

// running says whether a child process hasn't ended.
func running(t *testing.T, pid int) bool {
	t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

// Without a case that is done there is a result all the same.
func TestInterruptBeforeAnything(t *testing.T) {
	dir, mark := hangingProject(t, "id,speed\none,slow\ntwo,slow\n")
	stdout, _, code := interrupted(t, dir, syscall.SIGINT, "blame", "-j", "8", "-o", "result.json")
	if code != 130 || !strings.Contains(stdout, "PARTIAL RESULT") {
		t.Errorf("exit code %d, want 130; stdout:\n%s", code, stdout)
	}
	noneLeft(t, mark)
	if r := readResult(t, filepath.Join(dir, "result.json")); r.Summary.Cases != 0 || !r.Summary.Partial {
		t.Errorf("summary: %+v", r.Summary)
	}
}

// The rag demo takes a second; it is interrupted when it has begun to tell. Its
// batch is known then, and is written.
func TestInterruptedDemo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "result.json")
	cmd := exec.Command("agentblame", "demo", "rag", "-o", path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var diagnostics bytes.Buffer
	cmd.Stderr = &diagnostics
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, out)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(diagnostics.String(), "interrupted") {
		t.Errorf("exit code %d, want 130; stderr:\n%s", code, diagnostics.String())
	}
	if r := readResult(t, path); r.Pipeline.Name != "rag" || r.Summary.Cases != 200 {
		t.Errorf("the result has %d cases of %s", r.Summary.Cases, r.Pipeline.Name)
	}
}
