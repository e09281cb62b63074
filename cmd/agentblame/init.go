package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentblame/agentblame/examples"
	"github.com/spf13/cobra"
)

func newInit() *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:   "init [folder]",
		Short: "Write a small working project: agentblame.yaml, steps.py, cases.jsonl",
		Long: `Writes a pipeline of four steps in Python, with a fix for each, and a case that
fails. It works as it is; replace the bodies of the steps with your own.`,
		Example: "  agentblame init myproject && cd myproject && agentblame blame",
		Args:    usage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			if err := writeProject(dir, force); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "wrote agentblame.yaml, steps.py and cases.jsonl in %s; next: agentblame blame -c %s\n",
				dir, filepath.Join(dir, "agentblame.yaml"))
			return nil
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "overwrite files that are there")
	return cmd
}

// schemaComment is the line that tells editors of the YAML's schema; a project
// of its own has no copy of it.
const schemaComment = "# yaml-language-server: $schema=../../docs/agentblame.schema.json\n"

func writeProject(dir string, force bool) error {
	project, err := fs.Sub(examples.PythonExec, "python-exec")
	if err != nil {
		return err
	}
	names, err := fs.Glob(project, "*")
	if err != nil {
		return err
	}
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil && !force {
			return usageError{fmt.Errorf("%s is there already; --force overwrites it", filepath.Join(dir, name))}
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("making the project's folder: %w", err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(project, name)
		if err != nil {
			return err
		}
		text = []byte(strings.TrimPrefix(string(text), schemaComment))
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return fmt.Errorf("writing the project: %w", err)
		}
	}
	return nil
}
