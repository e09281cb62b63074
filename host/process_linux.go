package host

import "syscall"

// attributes puts the process into a group of its own. Should this program be
// killed, the kernel kills the process too. It does so when the thread that
// started the process ends, so that thread is kept until the process has ended.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
