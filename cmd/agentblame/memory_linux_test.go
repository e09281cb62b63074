package main

import (
	"os"
	"syscall"
)

// peakMemory is the most memory, in bytes, that a process had.
func peakMemory(s *os.ProcessState) int64 {
	return s.SysUsage().(*syscall.Rusage).Maxrss << 10
}
