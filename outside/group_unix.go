//go:build unix

package outside

import (
	"os/exec"
	"syscall"
)

// Contain gives a process that is about to start a group of its own: the keys of
// a terminal don't reach it, and what it starts can be ended with it. On Linux the
// kernel kills it should this program be killed (not what it has started). It does
// so when the thread that started the process ends, so that thread must be kept
// until the process has ended.
func Contain(cmd *exec.Cmd) { cmd.SysProcAttr = attributes() }

// Terminate asks a contained process and its group to end.
func Terminate(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }

// KillGroup kills what is left of a contained process' group. That there is nobody
// left is no error.
func KillGroup(cmd *exec.Cmd) { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
