package spec

import "syscall"

// attributes puts the process into a group of its own. Should this program be
// killed, the kernel kills the process too (not the processes that it started).
// The kernel does so when the thread that started it ends, so that thread is kept
// until the process has ended.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
