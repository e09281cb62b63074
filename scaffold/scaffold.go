// Package scaffold holds the small working projects that agentblame init writes.
//
// Those in Python, TypeScript and Go are one pipeline with the same cases, and so
// the same numbers: support mail goes in, the team that answers it comes out. Their
// files are real ones, in folders named after the languages; Go's isn't named go, since
// go install would make a program of that name.
package scaffold

import (
	"embed"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/agentblame/agentblame/examples"
)

//go:embed cases.jsonl
//go:embed python/README.md python/agentblame.yaml python/app.py python/gitignore python/requirements.txt
//go:embed typescript/README.md typescript/agentblame.yaml typescript/app.ts typescript/gitignore typescript/package.json typescript/tsconfig.json
//go:embed golang/README.md golang/gitignore golang/go.mod.txt golang/main.go
var files embed.FS

// A Project is what is written into a folder.
type Project struct {
	files []file
	next  func(dir string) string
}

// A file has the name that it gets in the project, and its text.
type file struct{ name, text string }

// Names returns the names of the project's files, in the order in which they are
// written.
func (p Project) Names() []string {
	var names []string
	for _, f := range p.files {
		names = append(names, f.name)
	}
	return names
}

// Next says what to do with the project in a folder.
func (p Project) Next(dir string) string { return p.next(dir) }

// Python is a pipeline on the Python SDK.
func Python() (Project, error) {
	return project("python", "app.py", "agentblame.yaml", "requirements.txt")
}

// TypeScript is a pipeline on the TypeScript SDK.
func TypeScript() (Project, error) {
	return project("typescript", "app.ts", "agentblame.yaml", "package.json", "tsconfig.json")
}

// Go is a program that uses this module as a library.
func Go() (Project, error) {
	return project("golang", "main.go", "go.mod")
}

// stored are the names here of files that would have a meaning here, too.
var stored = strings.NewReplacer("go.mod", "go.mod.txt", ".gitignore", "gitignore")

// project reads a language's own files, and those that all have.
func project(language string, own ...string) (Project, error) {
	p := Project{next: func(dir string) string {
		return "what " + filepath.Join(dir, "README.md") + " says of what to install and run"
	}}
	for _, name := range append(own, "README.md", ".gitignore") {
		if err := p.add(files, name, language+"/"+stored.Replace(name)); err != nil {
			return Project{}, err
		}
	}
	if err := p.add(files, "cases.jsonl", "cases.jsonl"); err != nil {
		return Project{}, err
	}
	return p, nil
}

// schemaComment is the line that tells editors of the YAML's schema; a project
// of its own has no copy of it.
const schemaComment = "# yaml-language-server: $schema=../../docs/agentblame.schema.json\n"

// Programs is a pipeline whose steps are programs, one process a run: the example
// python-exec.
func Programs() (Project, error) {
	p := Project{next: func(dir string) string {
		return "agentblame blame -c " + filepath.Join(dir, "agentblame.yaml")
	}}
	for _, name := range []string{"agentblame.yaml", "steps.py", "cases.jsonl"} {
		if err := p.add(examples.PythonExec, name, "python-exec/"+name); err != nil {
			return Project{}, err
		}
	}
	p.files[0].text = strings.TrimPrefix(p.files[0].text, schemaComment)
	return p, nil
}

func (p *Project) add(from embed.FS, name, path string) error {
	text, err := from.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the project's %s: %w", name, err)
	}
	p.files = append(p.files, file{name, string(text)})
	return nil
}
