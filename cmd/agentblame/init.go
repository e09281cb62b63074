package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentblame/agentblame/scaffold"
	"github.com/spf13/cobra"
)

func newInit() *cobra.Command {
	var force bool
	asked := map[scaffold.Kind]*bool{}
	cmd := &cobra.Command{
		Use:   "init [folder]",
		Short: "Write a small working project, in Python, TypeScript or Go or for any program",
		Long: `Writes a small pipeline with a fix for each step and cases of which some fail, into
a folder or here. It works as it is; replace the bodies of the steps with your own.

Without a flag the pipeline is in agentblame.yaml and its steps are a program
(steps.py) that needs nothing installed. --python and --typescript use the SDK of
the language, --go the library. A README.md in the project says what to run.`,
		Example: `  agentblame init myproject && cd myproject && agentblame blame
  agentblame init --python myproject`,
		Args: usage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			kind := scaffold.Exec
			for _, k := range []scaffold.Kind{scaffold.Python, scaffold.TypeScript, scaffold.Go} {
				if !*asked[k] {
					continue
				}
				if kind != scaffold.Exec {
					return usageError{fmt.Errorf("--%s and --%s: a project is in one language", kind, k)}
				}
				kind = k
			}
			files, err := scaffold.Project(kind)
			if err != nil {
				return err
			}
			if err := writeProject(dir, files, force); err != nil {
				return err
			}
			var names []string
			for _, f := range files {
				names = append(names, f.Name)
			}
			next := "see " + filepath.Join(dir, "README.md")
			if kind == scaffold.Exec {
				next = "agentblame blame -c " + filepath.Join(dir, "agentblame.yaml")
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s in %s; next: %s\n", strings.Join(names, ", "), dir, next)
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&force, "force", false, "overwrite files that are there")
	asked[scaffold.Python] = f.Bool("python", false, "steps with the Python SDK")
	asked[scaffold.TypeScript] = f.Bool("typescript", false, "steps with the TypeScript SDK")
	asked[scaffold.Go] = f.Bool("go", false, "a pipeline in Go")
	return cmd
}

// writeProject writes all files, or none if one is there already.
func writeProject(dir string, files []scaffold.File, force bool) error {
	for _, f := range files {
		if _, err := os.Stat(filepath.Join(dir, f.Name)); err == nil && !force {
			return usageError{fmt.Errorf("%s is there already; --force overwrites it", filepath.Join(dir, f.Name))}
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("making the project's folder: %w", err)
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Text, 0o666); err != nil {
			return fmt.Errorf("writing the project: %w", err)
		}
	}
	return nil
}
