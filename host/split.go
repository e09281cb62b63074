package host

import (
	"runtime"
	"strings"
)

// Split makes a program and its arguments of a command line. What only a shell
// understands, quotes and variables among it, is left to the shell.
func Split(command string) []string {
	if strings.TrimSpace(command) == "" {
		return nil
	}
	if !strings.ContainsAny(command, "|&;<>()$`\\\"'*?[]#~=%!{}\n") {
		return strings.Fields(command)
	}
	if runtime.GOOS == "windows" {
		return []string{"cmd", "/C", command}
	}
	return []string{"sh", "-c", command}
}
