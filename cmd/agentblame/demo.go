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
	var options demo.Options
	cmd := &cobra.Command{
		Use:   "demo [" + strings.Join(demo.Names(), "|") + "]",
		Short: "See it work on worked pipelines",
		Long: `Runs the worked pipelines and prints what agentblame finds:

  refund   four steps answer from a superseded policy: causes that are each
           enough on their own, and two that only count together
  rag      200 questions to a pipeline of four sampling LLM steps: blame under
           recorded, abducted and fresh noise, and what sharing noise is worth
  eight    an agent of eight steps: exact and estimated blame of one failure, 400
           failures, and batches that stop when the step to blame is known`,
		Example:   "  agentblame demo\n  agentblame demo rag -o result.json",
		ValidArgs: demo.Names(),
		Args:      usage(cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkOutputs(outputs); err != nil {
				return err
			}
			if err := positive(cmd, "replicates", "var-cases"); err != nil {
				return err
			}
			if err := options.Check(); err != nil {
				return usageError{err}
			}
			options.Text = textOptions(cmd, 5, false)
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
				result, err := demo.Run(cmd.Context(), name, out, options)
				if errors.Is(err, context.Canceled) {
					if result == nil {
						return errInterrupted
					}
					return errors.Join(writeOutputs(outputs, result), errInterrupted)
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
	completeEndings(cmd)
	cmd.Flags().IntVar(&options.Replicates, "replicates", 8, "how often rag's study of variances estimates each case")
	cmd.Flags().IntVar(&options.VarCases, "var-cases", 100, "how many failing cases rag's study of variances takes")
	return cmd
}
