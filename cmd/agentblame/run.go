package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
	"github.com/agentblame/agentblame/report"
	"github.com/agentblame/agentblame/spec"
	"github.com/spf13/cobra"
)

func newRun() *cobra.Command {
	var (
		from   source
		output string
		with   []string
	)
	cmd := &cobra.Command{
		Use:   "run",
		Short: "Run cases through the pipeline and write their traces",
		Long: `Runs every case once and writes a trace a line, as JSON: the score, and for each
step call the variant, inputs, output or error, draws, cost and time.

--with puts fixes in place: those of the steps named, or of "all".`,
		Example: `  agentblame run                              traces on standard output
  agentblame run --with retriever -o fixed.jsonl
  agentblame run | jq 'select(.score < 1) | .id'`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			file, cases, err := from.load(cmd)
			if err != nil {
				return err
			}
			defer file.Close()
			concurrency := from.concurrency
			if concurrency == 0 {
				concurrency = file.Blame.Concurrency
			}
			engine, err := replay.New(file.Pipeline, replay.Options{Concurrency: concurrency, Fix: file.Blame.Fixes})
			if err != nil {
				return usageError{err}
			}
			fixes, err := withFixes(file.Pipeline, engine, with)
			if err != nil {
				return usageError{err}
			}
			seed := from.seed
			if !cmd.Flags().Changed("seed") && file.Blame.Seed != nil {
				seed = *file.Blame.Seed
			}
			return writeTraces(cmd, file, engine, cases, fixes, seed, concurrency, output)
		},
	}
	from.flags(cmd)
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the traces to `file` rather than standard output")
	cmd.Flags().StringSliceVar(&with, "with", nil, "the `steps` that run their fix, or all")
	return cmd
}

// withFixes turns step names into the coalition of those that run their fix.
func withFixes(p *pipeline.Pipeline, e *replay.Engine, names []string) (replay.Fixes, error) {
	var fixes replay.Fixes
	for _, name := range names {
		if name == "all" {
			fixes.All = true
			continue
		}
		step := slices.Index(p.StepNames(), name)
		if step < 0 {
			return fixes, fmt.Errorf("--with %s: there is no such step (there are: %s)", name, strings.Join(p.StepNames(), ", "))
		}
		player := e.Player(step)
		if player < 0 {
			return fixes, fmt.Errorf("--with %s: the step has no variant", name)
		}
		fixes.Coalition = fixes.Coalition.With(player)
	}
	return fixes, nil
}

// writeTraces runs the cases, several at once, and writes their traces in order.
func writeTraces(cmd *cobra.Command, file *spec.File, e *replay.Engine, cases []pipeline.Case, fixes replay.Fixes, seed uint64, concurrency int, output string) (err error) {
	var out io.Writer = cmd.OutOrStdout()
	if output != "" {
		f, createErr := os.Create(output)
		if createErr != nil {
			return usageError{createErr}
		}
		defer func() { err = errors.Join(err, f.Close()) }()
		out = f
	}
	w := bufio.NewWriter(out)
	defer func() { err = errors.Join(err, w.Flush()) }()

	ctx, cancel := untilHostsGo(cmd.Context(), file)
	var running sync.WaitGroup
	// What is running is stopped, and waited for, before the command ends: the
	// processes of steps must not outlive it.
	defer running.Wait()
	defer cancel()
	lines := make([]chan []byte, len(cases)) // each gives a line; nil if it was cut
	for i := range lines {
		lines[i] = make(chan []byte, 1)
	}
	places := make(chan struct{}, max(concurrency, 4))
	running.Go(func() {
		for i := range cases {
			select {
			case places <- struct{}{}:
			case <-ctx.Done():
				lines[i] <- nil
				return
			}
			running.Go(func() {
				defer func() { <-places }()
				lines[i] <- traceLine(ctx, file, e, &cases[i], seed, fixes)
			})
		}
	})
	for i := range cases {
		line := <-lines[i]
		if line == nil {
			if gone := file.HostError(); gone != nil && cmd.Context().Err() == nil {
				return gone
			}
			return errInterrupted
		}
		if _, err := w.Write(line); err != nil {
			return fmt.Errorf("writing traces: %w", err)
		}
	}
	return nil
}

// traceLine runs a case; nil means that the end of ctx or of a host cut it.
func traceLine(ctx context.Context, file *spec.File, e *replay.Engine, c *pipeline.Case, seed uint64, fixes replay.Fixes) []byte {
	s, err := e.Case(c, seed)
	if err != nil {
		return report.TraceLine(e, c, &replay.Trace{Err: err})
	}
	t := s.Run(ctx, 0, fixes, true)
	// A host says that it is gone before its calls fail, and ctx ends after that.
	if t.Err != nil && (ctx.Err() != nil || file.HostError() != nil) {
		return nil
	}
	return report.TraceLine(e, c, t)
}
