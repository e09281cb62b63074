//go:build !unix

package outside

import "os/exec"

// Contain leaves the process as it is: there are no groups here.
func Contain(*exec.Cmd) {}

// Terminate kills the process: there is no polite way here.
func Terminate(cmd *exec.Cmd) error { return cmd.Process.Kill() }

// KillGroup has no group to kill here.
func KillGroup(*exec.Cmd) {}
