//go:build !unix

package host

import "os/exec"

// contain leaves the process as it is.
func contain(*exec.Cmd) {}

// terminate kills the process: there is no polite way here.
func terminate(cmd *exec.Cmd) { cmd.Process.Kill() }

// killGroup has no group to kill here.
func killGroup(*exec.Cmd) {}

// guard has nothing to watch with here.
func guard(*exec.Cmd) (release func()) { return func() {} }
