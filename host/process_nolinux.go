//go:build unix && !linux

package host

import "syscall"

// attributes puts the process into a group of its own.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
