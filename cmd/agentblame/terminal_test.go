//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// openTerminal returns both ends of a new pseudo-terminal of 100 columns.
func openTerminal(t *testing.T) (control, terminal *os.File) {
	t.Helper()
	control, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { control.Close() })
	var number, unlocked uint32
	size := [4]uint16{40, 100}
	for request, arg := range map[uintptr]unsafe.Pointer{
		syscall.TIOCGPTN:   unsafe.Pointer(&number),
		syscall.TIOCSPTLCK: unsafe.Pointer(&unlocked),
		syscall.TIOCSWINSZ: unsafe.Pointer(&size),
	} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, control.Fd(), request, uintptr(arg)); errno != 0 {
			t.Fatalf("setting up a pseudo-terminal: %v", errno)
		}
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { terminal.Close() })
	return control, terminal
}

// onTerminal runs the command with a terminal for what it prints, or for its
// diagnostics only, and returns what came there.
func onTerminal(t *testing.T, diagnostics bool, dir string, env []string, args ...string) string {
	t.Helper()
	control, terminal := openTerminal(t)
	cmd := exec.Command("agentblame", args...)
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "NO_COLOR=", "TERM=xterm"), env...)
	var other bytes.Buffer
	cmd.Stdout, cmd.Stderr = terminal, &other
	if diagnostics {
		cmd.Stdout, cmd.Stderr = &other, terminal
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	terminal.Close()
	var shown bytes.Buffer
	io.Copy(&shown, control) // ends with an error when nobody has the terminal any more
	if err := cmd.Wait(); err != nil {
		t.Fatalf("agentblame %v: %v\n%s%s", args, err, shown.String(), other.String())
	}
	return shown.String()
}

func TestColours(t *testing.T) {
	const colour = "\x1b["
	if shown := onTerminal(t, false, "", nil, "demo", "refund"); !strings.Contains(shown, colour) {
		t.Errorf("no colours on a terminal:\n%q", shown)
	}
	for name, out := range map[string]string{
		"--no-color": onTerminal(t, false, "", nil, "demo", "refund", "--no-color"),
		"NO_COLOR":   onTerminal(t, false, "", []string{"NO_COLOR=1"}, "demo", "refund"),
		"TERM=dumb":  onTerminal(t, false, "", []string{"TERM=dumb"}, "demo", "refund"),
	} {
		if strings.Contains(out, colour) || !strings.Contains(out, "5/12") {
			t.Errorf("%s: colours, or no table:\n%q", name, out)
		}
	}
}

// A table may be as wide as the terminal, and a line of progress must not be
// wider. The line renews itself, and is gone at the end.
func TestTerminalWidthAndProgress(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "agentblame.yaml"), `inputs: [q]
steps:
  work: {needs: [q], run: sleep 0.7; echo 1, cost: 5, variants: {fix: {exec: sleep 0.7; echo 2}}}
score: {equals: {value: 2}}
cases: [{id: one, inputs: {q: 1}}, {id: two, inputs: {q: 2}}]
`)
	shown := onTerminal(t, true, dir, nil, "blame", "-j", "1")
	for _, want := range []string{"\r\x1b[K0/2 cases", "1/2 cases", "step runs", "1 in flight", "cost 5", " left"} {
		if !strings.Contains(shown, want) {
			t.Errorf("progress lacks %q:\n%q", want, shown)
		}
	}
	if !strings.HasSuffix(shown, "\r\x1b[K") || strings.Contains(shown, "\n") {
		t.Errorf("the line of progress stays:\n%q", shown)
	}
	widest := 0
	for line := range strings.SplitSeq(onTerminal(t, false, dir, []string{"NO_COLOR=1"}, "blame"), "\n") {
		widest = max(widest, len([]rune(strings.TrimRight(line, "\r"))))
	}
	if widest <= 80 || widest > 100 {
		t.Errorf("the widest line has %d columns; want more than 80 and at most 100", widest)
	}
}
