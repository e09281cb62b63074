package main

import (
	"fmt"
	"runtime"

	"github.com/agentblame/agentblame/blame"
	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "agentblame %s\nresult schema %s\n%s %s/%s\n",
				version(), blame.Schema, runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return err
		},
	}
}
