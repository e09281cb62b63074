package host

import (
	"fmt"
	"io"
	"net"
	"os"
)

// inherited returns the stream on a file descriptor that this program was started
// with.
func inherited(fd int) (io.ReadWriteCloser, error) {
	f := os.NewFile(uintptr(fd), fmt.Sprintf("fd:%d", fd))
	if f == nil {
		return nil, fmt.Errorf("there is no file descriptor %d", fd)
	}
	defer f.Close() // the connection has a copy, which isn't passed on to processes
	c, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("the file descriptor %d isn't a socket that this program was started with", fd)
	}
	return c, nil
}
