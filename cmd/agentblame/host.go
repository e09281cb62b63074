package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/agentblame/agentblame/host"
	"github.com/agentblame/agentblame/spec"
	"github.com/spf13/cobra"
)

// open reads the pipeline's file, or asks the host for its pipeline.
func (s *source) open(cmd *cobra.Command) (*spec.File, error) {
	log := hostLog(cmd.ErrOrStderr())
	if s.host == "" {
		if cmd.Flags().Changed("workers") {
			return nil, usageError{errors.New("--workers goes with --host; in a file it is workers: of a host")}
		}
		if _, err := os.Stat(s.file); errors.Is(err, os.ErrNotExist) {
			return nil, usageError{fmt.Errorf("there is no %s; name the pipeline with -c or --host, or write one with agentblame init", s.file)}
		}
		file, err := spec.Open(cmd.Context(), s.file, spec.HostOptions{Client: version(), Log: log})
		return file, opening(cmd, err)
	}
	if cmd.Flags().Changed("config") {
		return nil, usageError{errors.New("--host and -c both say what the pipeline is: give one of them")}
	}
	if len(s.cases) == 0 {
		return nil, usageError{errors.New("--host needs --cases: a host has no cases of its own")}
	}
	o := host.Options{Workers: s.workers, Client: version(), Log: log}
	switch {
	case strings.HasPrefix(s.host, "fd:"):
		fd, err := strconv.Atoi(s.host[3:])
		if err != nil || fd < 3 {
			return nil, usageError{fmt.Errorf("--host %s: it is fd: and the number of an inherited socket, from 3 up", s.host)}
		}
		if s.workers > 1 {
			return nil, usageError{errors.New("--workers: a socket leads to one process")}
		}
		o.FD = fd
	case strings.HasPrefix(s.host, "http://"), strings.HasPrefix(s.host, "https://"):
		o.URL = s.host
	default:
		if o.Command = host.Split(s.host); len(o.Command) == 0 {
			return nil, usageError{errors.New("--host is empty: it is a command, an address or fd:N")}
		}
	}
	h, err := host.Open(cmd.Context(), o)
	if err != nil {
		return nil, opening(cmd, err)
	}
	file, err := spec.FromHost(h)
	if err != nil {
		h.Close()
		return nil, usageError{err}
	}
	return file, nil
}

// hostLog returns what writes a host's lines: on a terminal in place of the line
// of progress, which comes again.
func hostLog(w io.Writer) func(line string) {
	lines := host.Lines(w)
	if !isTerminal(w) {
		return lines
	}
	return func(line string) { lines("\r\x1b[K" + line) }
}

// opening says what an error on opening a pipeline is.
func opening(cmd *cobra.Command, err error) error {
	switch {
	case err == nil:
		return nil
	case cmd.Context().Err() != nil:
		return errors.New("interrupted before anything was run")
	}
	return usageError{err}
}

// untilHostsGo returns a context that also ends when a host of the file can't be
// used any more: nothing is worth running then.
func untilHostsGo(ctx context.Context, file *spec.File) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	for _, h := range file.Hosts {
		go func() {
			select {
			case <-h.Gone():
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}

// version is this program's.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "(unknown)"
}
