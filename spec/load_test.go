package spec

import (
	"context"
	"strings"
	"testing"
)

// load reads a text of a test. It starts nothing: texts may be made at random.
func load(path string, data []byte) (*File, error) {
	var none context.Context
	return loadWith(none, path, data, HostOptions{})
}

// Without a context no host is started.
func TestLoadStartsNothing(t *testing.T) {
	_, err := load("x.yaml", []byte("hosts: {py: {command: no-such-program}}\nsteps: {a: {run: {host: py}}}\nscore: {equals: expected}\n"))
	if err == nil || !strings.Contains(err.Error(), "x.yaml:1: host py can't be asked what it has here") {
		t.Error(err)
	}
}
