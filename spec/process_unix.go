//go:build unix

package spec

import (
	"os/exec"
	"syscall"
)

// contain gives the process a group of its own and ends the whole group when
// its context does: first with a request, after the grace by killing.
func contain(cmd *exec.Cmd) {
	cmd.SysProcAttr = attributes()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
}

// killGroup kills what is left of the process' group after the process has
// ended. That there is nobody left is no error.
func killGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
