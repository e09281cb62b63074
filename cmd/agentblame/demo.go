package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/demo"
	"github.com/spf13/cobra"
)

func newDemo() *cobra.Command {
	var outputs []string
	cmd := &cobra.Command{
		Use:   "demo [" + strings.Join(demo.Names(), "|") + "]",
		Short: "See it work on worked pipelines",
		Long: `Runs the worked pipelines and prints what agentblame finds:

  refund   four steps answer from a superseded policy: causes that are each
           enough on their own, and two that only count together`,
		Example:   "  agentblame demo\n  agentblame demo refund -o result.json",
		ValidArgs: demo.Names(),
		Args:      usage(cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutputs(outputs); err != nil {
				return err
			}
			names := args
			if len(names) == 0 {
				names = demo.Names()
			}
			if len(names) > 1 && len(outputs) > 0 {
				return usageError{errors.New("-o writes the result of one demo: name it, as in agentblame demo " + names[0] + " -o result.json")}
			}
			out := cmd.OutOrStdout()
			if slices.Contains(outputs, "-") {
				out = io.Discard
			}
			var last *blame.Result
			for i, name := range names {
				if i > 0 {
					fmt.Fprintln(out)
				}
				result, err := demo.Run(cmd.Context(), name, out, textOptions(cmd, 5))
				if errors.Is(err, context.Canceled) {
					return errInterrupted
				}
				if err != nil {
					return err
				}
				last = result
			}
			return writeOutputs(outputs, last)
		},
	}
	cmd.Flags().StringArrayVarP(&outputs, "output", "o", nil, "write the demo's result to `file`; repeatable")
	return cmd
}
