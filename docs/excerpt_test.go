package docs

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	yaml "go.yaml.in/yaml/v4"

	"github.com/agentblame/agentblame/spec"
)

// In the line before a block of code a comment can say what it is:
//
//	<!-- from: FILE -->        an excerpt of a file of the repository
//	<!-- output: COMMAND -->   an excerpt of what "agentblame …" or a program of examples/ prints
//	<!-- fragment -->          YAML that isn't a whole pipeline
//
// A line with nothing but "…" (perhaps as a comment) stands for lines left out.

// missing returns the first stretch of an excerpt that isn't in the text after
// the one before it, or "".
func missing(text, excerpt string) string {
	lines := strings.Split(text, "\n")
	var stretch []string
	find := func() bool {
		if len(stretch) == 0 {
			return true
		}
		for i := range lines {
			if len(lines)-i >= len(stretch) && slices.Equal(lines[i:i+len(stretch)], stretch) {
				lines = lines[i+len(stretch):]
				return true
			}
		}
		return false
	}
	for _, line := range strings.Split(strings.TrimSuffix(excerpt, "\n"), "\n") {
		if strings.TrimLeft(line, " \t#/") != "…" {
			stretch = append(stretch, line)
			continue
		}
		if !find() {
			return strings.Join(stretch, "\n")
		}
		stretch = nil
	}
	if !find() {
		return strings.Join(stretch, "\n")
	}
	return ""
}

func TestMissing(t *testing.T) {
	const text = "a\nb\nc\nd\n"
	for excerpt, want := range map[string]string{
		"a\nb\n":           "",
		"b\n…\nd\n":        "",
		"a\n  # …\nc\nd\n": "",
		"a\nc\n":           "a\nc",
		"c\n// …\nb\n":     "b",
		"e\n":              "e",
	} {
		if got := missing(text, excerpt); got != want {
			t.Errorf("%q: %q is missing, want %q", excerpt, got, want)
		}
	}
}

// Excerpts of files are what the files hold.
func TestExcerpts(t *testing.T) {
	checked := 0
	for _, p := range pages(t) {
		fenced, _ := blocks(p.text)
		for _, b := range fenced {
			file, ok := strings.CutPrefix(b.marker, "from: ")
			if !ok {
				continue
			}
			checked++
			if lost := missing(read(t, filepath.Join("..", filepath.FromSlash(file))), b.text); lost != "" {
				t.Errorf("%s:%d: this isn't in %s:\n%s", p.path, b.line, file, lost)
			}
		}
	}
	if checked < 2 {
		t.Errorf("only %d excerpts were checked", checked)
	}
}

// checkOutputs compares outputs in pages with what the programs print.
func checkOutputs(t *testing.T, cli command) {
	checked := 0
	for _, p := range pages(t) {
		fenced, _ := blocks(p.text)
		for _, b := range fenced {
			line, ok := strings.CutPrefix(b.marker, "output: ")
			if !ok {
				continue
			}
			checked++
			var out string
			if args, ok := strings.CutPrefix(line, "agentblame "); ok {
				out = cli.output(t, strings.Fields(args)...)
			} else {
				out = build(t, line).output(t)
			}
			if lost := missing(out, b.text); lost != "" {
				t.Errorf("%s:%d: %s doesn't print this:\n%s\nbut:\n%s", p.path, b.line, line, lost, out)
			}
		}
	}
	if checked < 2 {
		t.Errorf("only %d outputs were checked", checked)
	}
}

// YAML that declares steps loads as a pipeline, with what it leaves out added,
// and with the case files that it names.
func TestPipelinesLoad(t *testing.T) {
	checked := 0
	for _, p := range pages(t) {
		fenced, _ := blocks(p.text)
		for _, b := range fenced {
			if b.lang != "yaml" || !strings.Contains("\n"+b.text, "\nsteps:") {
				continue
			}
			text := b.text
			if file, ok := strings.CutPrefix(b.marker, "from: "); ok {
				text = read(t, filepath.Join("..", filepath.FromSlash(file)))
			} else if b.marker == "fragment" {
				continue
			}
			checked++
			if err := loads(t, text); err != nil {
				t.Errorf("%s:%d: %v", p.path, b.line, err)
			}
		}
	}
	if checked < 2 {
		t.Errorf("only %d pipelines were checked", checked)
	}
}

// loads writes a declaration and empty case files and loads it.
func loads(t *testing.T, text string) error {
	t.Helper()
	dir := t.TempDir()
	var given struct{ Cases []any }
	if err := yaml.Unmarshal([]byte(text), &given); err != nil {
		return err
	}
	for _, c := range given.Cases {
		if name, ok := c.(string); ok {
			write(t, filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(name, "*", "some"))), "")
		}
	}
	added := map[string]string{"inputs": "[question]", "score": "{equals: expected}"}
	for _, key := range slices.Sorted(maps.Keys(added)) {
		if !strings.Contains("\n"+text, "\n"+key+":") {
			text += "\n" + key + ": " + added[key] + "\n"
		}
	}
	path := filepath.Join(dir, "agentblame.yaml")
	write(t, path, text)
	_, err := spec.Load(path)
	return err
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
