//go:build unix

package host

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// guard sets a watch over the process: should this program come to its end before
// release is called, the process' whole group is killed. The watch is a shell that
// waits for the end of a pipe. Where it can't be set, the process still sees the
// end of its input.
func guard(cmd *exec.Cmd) (release func()) {
	read, write, err := os.Pipe()
	if err != nil {
		return func() {}
	}
	watch := exec.Command("sh", "-c", `read -r _; kill -s KILL -- "-$1"`, "sh", strconv.Itoa(cmd.Process.Pid))
	watch.Stdin = read
	watch.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err = watch.Start()
	read.Close()
	if err != nil {
		write.Close()
		return func() {}
	}
	return func() {
		watch.Process.Kill()
		watch.Wait()
		write.Close() // only now: it would wake the watch
	}
}
