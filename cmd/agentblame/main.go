// Command agentblame tells which step of an LLM pipeline or agent caused its
// failures, and which fix is worth making.
//
//	agentblame demo                     see it work
//	agentblame init myproject           write a small working project
//	agentblame blame -c agentblame.yaml analyse a pipeline of your own
//
// Results go to standard output, progress and diagnostics to standard error.
// Exit codes: 0 done, 1 tool error, 2 wrong usage, 100 done and the gate failed,
// 130 interrupted with partial results written.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/agentblame/agentblame/spec"
	"github.com/spf13/cobra"
)

func main() {
	// Replays make much short-lived garbage beside a heap of a few megabytes;
	// collecting it less often is worth some more of them.
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// Exit codes.
const (
	exitError       = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// run is main without the process: it returns the exit code.
func run(args []string, in io.Reader, out, diagnostics io.Writer) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second interrupt ends the process at once.
	context.AfterFunc(ctx, stop)

	root := newRoot()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(out)
	root.SetErr(diagnostics)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return 0
	}
	var faults *spec.FaultsError
	if errors.As(err, &faults) { // each begins with file:line
		fmt.Fprintln(diagnostics, faults)
	} else {
		fmt.Fprintln(diagnostics, "agentblame:", err)
	}
	var usage usageError
	switch {
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &usage):
		return exitUsage
	}
	return exitError
}

// errInterrupted says that the user ended the command; what was known by then
// has been written.
var errInterrupted = errors.New("interrupted: the results are partial")

// usageError is an error in how the command was used, files included.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "agentblame",
		Short: "Which step caused the failure, and which fix is worth making",
		Long: `agentblame tells which step of an LLM pipeline or agent caused its failures.

It runs the pipeline on your cases, replays each failure with some steps swapped
for their fixes while all randomness is held fixed, and splits the credit for the
repair between the steps (Shapley values). No step run is made twice.`,
		Example: `  agentblame demo                        see it work, in seconds
  agentblame init myproject              write a small working project
  agentblame blame -c agentblame.yaml    analyse a pipeline of your own
  agentblame blame -o result.json        and keep the result`,
		SilenceUsage:  true,
		SilenceErrors: true,
		// Anything but a verb is a typing mistake.
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usageError{fmt.Errorf("there is no command %q; see agentblame --help", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	})
	root.PersistentFlags().Bool("no-color", false, "no colours (also: the NO_COLOR environment variable)")
	root.AddCommand(newBlame(), newRun(), newDemo(), newReport(), newInit(), newVersion())
	strict(root)
	return root
}

// strict makes wrong arguments of the verbs that cobra adds wrong usage; they
// would print help and succeed.
func strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		switch cmd.Name() {
		case "help":
			help := cmd.Run
			cmd.Run = nil
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return usageError{fmt.Errorf("there is no command %q; see agentblame --help", strings.Join(args, " "))}
				}
				help(cmd, args)
				return nil
			}
		case "completion":
			cmd.Args = usage(cobra.NoArgs)
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
			for _, shell := range cmd.Commands() {
				shell.Args = usage(cobra.NoArgs)
			}
		}
	}
}

// usage makes an Args check whose errors count as wrong usage.
func usage(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
		}
		return nil
	}
}
