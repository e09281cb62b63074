package scaffold

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"github.com/agentblame/agentblame/examples"
)

//go:embed cases.jsonl python typescript go
var projects embed.FS

// A Kind says what a project is written in.
type Kind string

const (
	// Exec is agentblame.yaml with steps that are a Python program without an SDK.
	Exec Kind = "exec"
	// Python, TypeScript and Go are projects with the SDK or library of the language.
	Python     Kind = "python"
	TypeScript Kind = "typescript"
	Go         Kind = "go"
)

// A File is a file of a project.
type File struct {
	Name string
	Text []byte
}

// schemaComment is the line that tells editors of the YAML's schema; a project
// of its own has no copy of it.
const schemaComment = "# yaml-language-server: $schema=../../docs/agentblame.schema.json\n"

// Project returns the files of a project, in the order of their names.
func Project(k Kind) ([]File, error) {
	if k == Exec {
		return read(examples.PythonExec, "python-exec")
	}
	files, err := read(projects, string(k))
	if err != nil {
		return nil, err
	}
	cases, err := projects.ReadFile("cases.jsonl")
	if err != nil {
		return nil, err
	}
	files = append(files, File{"cases.jsonl", cases})
	if k == Go {
		// A go.mod among the embedded files would make them another module's.
		files = append(files, File{"go.mod", []byte("module support\n\ngo 1.26\n")})
	}
	return files, nil
}

func read(from fs.FS, folder string) ([]File, error) {
	entries, err := fs.ReadDir(from, folder)
	if err != nil {
		return nil, fmt.Errorf("there is no project in %s: %w", folder, err)
	}
	var files []File
	for _, e := range entries {
		text, err := fs.ReadFile(from, folder+"/"+e.Name())
		if err != nil {
			return nil, err
		}
		name := e.Name()
		if name == "gitignore" { // an embedded folder leaves out names with a dot
			name = ".gitignore"
		}
		files = append(files, File{name, []byte(strings.TrimPrefix(string(text), schemaComment))})
	}
	return files, nil
}
