//go:build linux

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// When the command is killed, the host's process ends, and so does what it has
// started: a process of its own that ends at the end of its input.
func TestKilledLeavesNoHost(t *testing.T) {
	mark := fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano())
	t.Setenv("AGENTBLAME_TEST_MARK", mark)
	dir, err := filepath.Abs("../../host/testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"python3 graph.py slow", "sh -c 'python3 graph.py slow; true'"} {
		cmd := exec.Command("agentblame", "blame", "--host", command, "--workers", "2", "-j", "20", "--cases", "cases.jsonl")
		cmd.Dir = dir
		log, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(log)
		for lines.Scan() && !strings.HasSuffix(lines.Text(), "host: running") {
		}
		if n := len(marked(t, mark)); n < 2 {
			t.Fatalf("%d processes are running", n)
		}
		if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		end := time.Now().Add(5 * time.Second)
		for len(marked(t, mark)) > 0 && time.Now().Before(end) {
			time.Sleep(10 * time.Millisecond)
		}
		noneLeft(t, mark)
	}
}

// An interrupt ends the host's processes and keeps what is known.
func TestInterruptWithHost(t *testing.T) {
	mark := fmt.Sprintf("%d-%d", os.Getpid(), time.Now().UnixNano())
	t.Setenv("AGENTBLAME_TEST_MARK", mark)
	cmd := exec.Command("agentblame", "blame", "--host", "python3 graph.py slow", "--cases", "cases.jsonl")
	cmd.Dir = filepath.Join("..", "..", "host", "testdata")
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(log)
	for lines.Scan() && !strings.HasSuffix(lines.Text(), "host: running") {
	}
	cmd.Process.Signal(syscall.SIGINT)
	for lines.Scan() {
	}
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d", code)
	}
	noneLeft(t, mark)
}
