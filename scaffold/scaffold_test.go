package scaffold

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// all are the projects by name.
func all(t *testing.T) map[string]Project {
	t.Helper()
	out := map[string]Project{}
	for name, read := range map[string]func() (Project, error){"python": Python, "typescript": TypeScript, "golang": Go, "programs": Programs} {
		p, err := read()
		if err != nil {
			t.Fatal(err)
		}
		out[name] = p
	}
	return out
}

// contents are the files below a folder, by name.
func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if f.IsDir() {
			out[f.Name()] = "a folder"
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[f.Name()] = string(text)
	}
	return out
}

// A project is what its folder here holds, whole, and the common cases.
func TestWhole(t *testing.T) {
	projects := all(t)
	for _, name := range []string{"python", "typescript", "golang"} {
		want := map[string]string{}
		for file, text := range contents(t, name) {
			switch file {
			case "gitignore":
				file = ".gitignore"
			case "go.mod.txt":
				file = "go.mod"
			}
			if text != "a folder" { // __pycache__, node_modules
				want[file] = text
			}
		}
		want["cases.jsonl"] = contents(t, ".")["cases.jsonl"]
		dir := filepath.Join(t.TempDir(), "new", "project")
		if err := projects[name].Write(dir, false); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, contents(t, dir)); diff != "" {
			t.Errorf("%s (-here +written):\n%s", name, diff)
		}
	}
}

// The languages' YAML differs in what starts the host, and in nothing that is read.
func TestSameWiring(t *testing.T) {
	python, typeScript := contents(t, "python")["agentblame.yaml"], contents(t, "typescript")["agentblame.yaml"]
	read := func(yaml string) (lines []string) {
		for line := range strings.Lines(yaml) {
			if !strings.HasPrefix(line, "#") && !strings.Contains(line, "command:") {
				lines = append(lines, line)
			}
		}
		return lines
	}
	if diff := cmp.Diff(read(python), read(typeScript)); diff != "" {
		t.Errorf("(-Python +TypeScript):\n%s", diff)
	}
}

// Whatever is in the way of one file, nothing is written.
func TestNothingIsOverwritten(t *testing.T) {
	for name, p := range all(t) {
		for _, file := range p.Names() {
			for what, put := range map[string]func(path string) error{
				"file":   func(path string) error { return os.WriteFile(path, []byte("mine"), 0o666) },
				"folder": func(path string) error { return os.Mkdir(path, 0o777) },
				"link":   func(path string) error { return os.Symlink("nowhere", path) },
			} {
				dir := t.TempDir()
				path := filepath.Join(dir, file)
				if err := put(path); err != nil {
					t.Fatal(err)
				}
				err := p.Write(dir, false)
				var exists *ExistsError
				if !errors.As(err, &exists) || !cmp.Equal(exists.Paths, []string{path}) {
					t.Errorf("%s, a %s %s: %v", name, what, file, err)
				}
				if there, _ := os.ReadDir(dir); len(there) != 1 {
					t.Errorf("%s, a %s %s: there is now %v", name, what, file, there)
				}
			}
		}
	}
}

// What can't be finished leaves no new file.
func TestAllOrNothing(t *testing.T) {
	p := all(t)["python"]
	names := p.Names()
	dir := t.TempDir()
	last := filepath.Join(dir, names[len(names)-1])
	if err := os.Mkdir(last, 0o777); err != nil { // can't be overwritten
		t.Fatal(err)
	}
	if err := p.Write(dir, true); err == nil || !strings.Contains(err.Error(), "overwriting a file of the project") {
		t.Error(err)
	}
	if there, _ := os.ReadDir(dir); len(there) != 1 {
		t.Errorf("there is now %v", there)
	}
}

func TestOverwrite(t *testing.T) {
	for name, p := range all(t) {
		fresh, dir := t.TempDir(), t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, p.Names()[0]), []byte(strings.Repeat("mine", 10000)), 0o666); err != nil {
			t.Fatal(err)
		}
		for target, overwrite := range map[string]bool{fresh: false, dir: true} {
			if err := p.Write(target, overwrite); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if diff := cmp.Diff(contents(t, fresh), contents(t, dir)); diff != "" {
			t.Errorf("%s (-fresh +overwritten):\n%s", name, diff)
		}
	}
}

func TestExistsError(t *testing.T) {
	for want, paths := range map[string][]string{
		"a is there already":           {"a"},
		"a and b are there already":    {"a", "b"},
		"a, b and c are there already": {"a", "b", "c"},
	} {
		if got := (&ExistsError{paths}).Error(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// No file tells of the place where it was written.
func TestNoMachinePaths(t *testing.T) {
	for name, p := range all(t) {
		for _, f := range p.files {
			for _, part := range []string{"/home/", "/root/", "/tmp/", "/Users/", "C:\\"} {
				if strings.Contains(f.text, part) {
					t.Errorf("%s: %s has %s", name, f.name, part)
				}
			}
		}
	}
}
