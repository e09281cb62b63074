package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agentblame/agentblame/scaffold"
	"github.com/spf13/cobra"
)

func newInit() *cobra.Command {
	var force, python, typeScript, goLibrary bool
	cmd := &cobra.Command{
		Use:   "init [folder]",
		Short: "Write a small working project to change into your own",
		Long: `Writes a small working project into a folder, or here: a pipeline of four steps,
a fix for each, and cases of which some fail. Replace the bodies of the steps with
your own.

With --python, --typescript or --go it is support mail that is to reach the right
team, the same in each, and its README.md says what to install and to run. With
none of them the steps are programs in Python that need no package.

A file that is there is not overwritten, and then nothing is written.`,
		Example: `  agentblame init myproject && cd myproject && agentblame blame
  agentblame init --python mail         on the Python SDK
  agentblame init --typescript mail     on the TypeScript SDK
  agentblame init --go mail             a Go program with agentblame as a library`,
		Args: usage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) == 1 {
				dir = args[0]
			}
			read, err := chosen(python, typeScript, goLibrary)
			if err != nil {
				return err
			}
			project, err := read()
			if err != nil {
				return err
			}
			err = project.Write(dir, force)
			var exists *scaffold.ExistsError
			if errors.As(err, &exists) {
				return usageError{fmt.Errorf("%w, so nothing was written; name another folder, or overwrite with --force", err)}
			}
			if err != nil {
				return err
			}
			names := project.Names()
			last := len(names) - 1
			fmt.Fprintf(cmd.ErrOrStderr(), "wrote %s and %s in %s; next: %s\n", strings.Join(names[:last], ", "), names[last], dir, project.Next(dir))
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVar(&python, "python", false, "a project on the Python SDK")
	f.BoolVar(&typeScript, "typescript", false, "a project on the TypeScript SDK")
	f.BoolVar(&goLibrary, "go", false, "a Go program that has agentblame as a library")
	f.BoolVar(&force, "force", false, "overwrite files that are there")
	return cmd
}

// chosen returns what reads the project that the flags ask for.
func chosen(python, typeScript, goLibrary bool) (func() (scaffold.Project, error), error) {
	read, asked := scaffold.Programs, 0
	if python {
		read, asked = scaffold.Python, asked+1
	}
	if typeScript {
		read, asked = scaffold.TypeScript, asked+1
	}
	if goLibrary {
		read, asked = scaffold.Go, asked+1
	}
	if asked > 1 {
		return nil, usageError{errors.New("a project is in one language: give one of --python, --typescript and --go")}
	}
	return read, nil
}
