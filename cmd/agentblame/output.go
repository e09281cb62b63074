package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
	"github.com/spf13/cobra"
)

// output is how a result is shown and where it is written.
type output struct {
	files   []string
	listed  int
	verbose bool
}

func (o *output) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVarP(&o.files, "output", "o", nil, "write the result to `file`, or as JSON to standard output (-) in place of the table; repeatable")
	completeEndings(cmd)
	f.IntVar(&o.listed, "list", 20, "the most failing cases that the table lists")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "show each listed case in full, all errors and repairs, and the settings")
}

// completeEndings has the shell offer the endings of files that -o can write.
func completeEndings(cmd *cobra.Command) {
	err := cmd.RegisterFlagCompletionFunc("output", func(_ *cobra.Command, _ []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		folder, name := filepath.Split(typed)
		name = cmp.Or(name, "result")
		var out []cobra.Completion
		for _, ending := range report.Endings() {
			begun := len(ending)
			for !strings.HasSuffix(name, ending[:begun]) {
				begun--
			}
			if begun > 0 || !strings.Contains(name, ".") {
				out = append(out, folder+name+ending[begun:])
			}
		}
		return out, cobra.ShellCompDirectiveDefault
	})
	if err != nil { // the flag is defined beside the call
		panic(err)
	}
}

// write writes a result to all files, and its table to standard output unless
// that has the result already.
func (o *output) write(cmd *cobra.Command, r *blame.Result) error {
	err := writeOutputs(o.files, r)
	if !slices.Contains(o.files, "-") {
		err = errors.Join(err, report.Text(cmd.OutOrStdout(), r, textOptions(cmd, o.listed, o.verbose)))
	}
	return err
}

// checkOutputs finds a wrong ending, and a folder that isn't there, before
// anything has been paid for.
func checkOutputs(paths []string) error {
	for _, path := range paths {
		if err := report.CheckPath(path); err != nil {
			return usageError{err}
		}
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return usageError{fmt.Errorf("-o %s: there is no folder %s", path, filepath.Dir(path))}
		}
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			return usageError{fmt.Errorf("-o %s: it is a folder", path)}
		}
	}
	return nil
}

// writeOutputs writes a result to all files, also when some can't be written.
func writeOutputs(paths []string, r *blame.Result) error {
	var errs []error
	for _, path := range paths {
		errs = append(errs, report.Write(path, r))
	}
	return errors.Join(errs...)
}

// textOptions says how tables are to look where they go.
func textOptions(cmd *cobra.Command, listed int, verbose bool) report.TextOptions {
	out := cmd.OutOrStdout()
	plain, _ := cmd.Flags().GetBool("no-color")
	return report.TextOptions{
		Width: width(out),
		Color: isTerminal(out) && !plain && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		Cases: listed, Verbose: verbose,
	}
}
