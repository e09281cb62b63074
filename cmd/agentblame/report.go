package main

import (
	"fmt"
	"io"
	"os"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
	"github.com/spf13/cobra"
)

func newReport() *cobra.Command {
	var to output
	cmd := &cobra.Command{
		Use:   "report result.json",
		Short: "Show a result that was written before, in any form",
		Long: `Reads a result that blame or demo wrote as .json, prints its table, and writes it to
each file of -o in the format that the file's ending names: .html (a page to look
at), .json, .jsonl (a case a line), .csv, .md (a comment on a pull request) or
.junit.xml (test cases). Nothing is run, so nothing is paid for.

The name - reads standard input. Results of earlier versions can be read as long as
their schema is that of agentblame version.`,
		Example: `  agentblame report result.json
  agentblame report result.json -o report.html
  agentblame report result.json -o summary.md -o result.junit.xml
  agentblame blame -o - | agentblame report -`,
		Args: usage(cobra.ExactArgs(1)),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return []cobra.Completion{"json"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := positive(cmd, "list"); err != nil {
				return err
			}
			if err := checkOutputs(to.files); err != nil {
				return err
			}
			r, err := openResult(cmd.InOrStdin(), args[0])
			if err != nil {
				return usageError{err}
			}
			return to.write(cmd, r)
		},
	}
	to.flags(cmd)
	return cmd
}

// openResult reads a result's JSON from a file, or from standard input (-).
func openResult(in io.Reader, path string) (*blame.Result, error) {
	name := path
	if path == "-" {
		name = "standard input"
	} else {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	r, err := report.ReadJSON(in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}
