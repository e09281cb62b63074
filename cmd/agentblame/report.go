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
each file of -o in the format that the file's ending names. Nothing is run.

The name - reads standard input.`,
		Example: `  agentblame report result.json
  agentblame report result.json -o report.html
  agentblame report result.json -o summary.md -o result.junit.xml
  agentblame blame -o - | agentblame report -`,
		Args: usage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
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
