package spec

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agentblame/agentblame/host"
	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	yaml "go.yaml.in/yaml/v4"
)

// A File is a pipeline declared in YAML, ready to be analysed.
type File struct {
	// Path is the file, as given to Load, and Dir its folder.
	Path, Dir string
	// Name is the pipeline's name.
	Name string
	// Pipeline is the pipeline.
	Pipeline *pipeline.Pipeline
	// Blame is how it is to be analysed; the command line may say otherwise.
	Blame Settings
	// CaseFiles are the paths of the case files, from the folder that the
	// program runs in, patterns resolved.
	CaseFiles []string
	// Input, if not nil, is what the case file "-" is, as JSON Lines.
	Input io.Reader
	// Check is what a case of the pipeline must look like.
	Check Check
	// Hosts are the programs elsewhere that its steps run in; Close ends them.
	Hosts []*host.Host

	inline []inlineCase
}

// inlineCase is a case in the YAML file itself.
type inlineCase struct {
	line  int
	parts []part
}

// Load reads a pipeline's declaration. All that is wrong with it is in one
// [*FaultsError]. Nothing is run but hosts, which are asked what they have: whether
// other programs and services are there shows when they are asked first.
func Load(path string) (*File, error) {
	return Open(context.Background(), path, HostOptions{})
}

// Open is Load for a program that tells the user what hosts write to their logs.
// The hosts that the file declares are asked what they have; they end with
// [File.Close].
func Open(ctx context.Context, path string, hosts HostOptions) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, &FaultsError{[]Fault{{File: path, Text: outside.FileFault(err)}}}
	}
	return loadWith(ctx, path, data, hosts)
}

// loader reads one declaration.
type loader struct {
	reader
	dir           string
	inputs, steps []string // their names, in order
	fixed         []field  // what blame's fixes name
	grouped       []named  // the members of blame's groups
	hosts         *hosts
	client        *http.Client
}

func loadWith(ctx context.Context, path string, data []byte, o HostOptions) (*File, error) {
	l := &loader{reader: reader{faults: faults{file: path}}, dir: filepath.Dir(path), client: outside.NewClient(64)}
	l.hosts = &hosts{ctx: ctx, options: o, declared: map[string]*declaredHost{}}
	doc := l.document(data)
	if doc == nil {
		return nil, l.err()
	}
	f, err := l.load(path, doc)
	if err != nil {
		l.hosts.close()
	}
	return f, err
}

// load reads the declaration that a document is.
func (l *loader) load(path string, doc *yaml.Node) (*File, error) {
	if l.follow(doc).Kind != yaml.MappingNode {
		l.at(doc.Line, "a declaration must be a mapping, not %s", describe(doc))
		return nil, l.err()
	}
	f := &File{Path: path, Dir: l.dir, Name: "pipeline"}
	o := l.object(doc, "the file", inFile)
	if n := o.get("name"); n != nil {
		f.Name = l.text(n, "name")
	}
	base := defaults()
	f.Blame = l.settings(o, &base)
	base.env = l.environment(o, nil)
	l.declareHosts(o, base)
	d := l.declarations(o, base)
	f.Check.Inputs = l.inputs
	score, expected := l.score(o, base)
	f.Check.Expected = expected
	l.wire(d)
	l.fixes(d, f.Blame.Fixes)
	if len(l.list) == 0 {
		f.Pipeline = pipeline.Graph{Name: f.Name, Inputs: d.inputs, Steps: d.specs(), Score: score}.Pipeline()
		if err := f.Pipeline.Check(); err != nil {
			l.at(o.line, "%v", err)
		}
	}
	f.Check.Steps = d.needs()
	l.cases(o, f)
	if err := l.err(); err != nil {
		return nil, err
	}
	f.Hosts = l.hosts.open
	return f, nil
}

// cases reads where cases are, and those that stand in the file itself.
func (l *loader) cases(o object, f *File) {
	n := o.get("cases")
	if n == nil {
		return
	}
	b := newBatch(f.Check)
	b.file = l.file
	for _, e := range l.elements(n) {
		if e = l.follow(e); e.Kind == yaml.ScalarNode {
			f.CaseFiles = append(f.CaseFiles, l.caseFiles(e)...)
			continue
		}
		faults, line := len(l.list), e.Line
		parts := l.caseParts(e)
		if len(l.list) == faults {
			b.add(line, parts)
			f.inline = append(f.inline, inlineCase{line, parts})
		}
	}
	l.list = append(l.list, b.list...)
}

// caseFiles returns the files that a path or pattern stands for.
func (l *loader) caseFiles(n *yaml.Node) []string {
	pattern := l.text(n, "an entry of cases")
	if pattern == "" {
		return nil
	}
	path := pattern
	if !filepath.IsAbs(path) {
		path = filepath.Join(l.dir, filepath.FromSlash(path))
	}
	if _, err := os.Stat(path); err == nil {
		return []string{path}
	}
	if !strings.ContainsAny(pattern, "*?[") {
		l.at(n.Line, "cases: there is no file %q", pattern)
		return nil
	}
	found, err := filepath.Glob(path)
	if err != nil || len(found) == 0 {
		l.at(n.Line, "cases: no file is like %q", pattern)
	}
	return found
}

// Cases reads the pipeline's cases: those in the declaration, those of its case
// files, and those of other files, given by their paths. They are checked whole;
// the error lists all faults.
func (f *File) Cases(others ...string) ([]pipeline.Case, error) {
	b := newBatch(f.Check)
	b.file = f.Path
	for _, c := range f.inline {
		b.add(c.line, c.parts)
	}
	for _, path := range slices.Concat(f.CaseFiles, others) {
		if path == "-" && f.Input != nil {
			b.file = "standard input"
			b.readAs(".jsonl", f.Input)
			continue
		}
		b.read(path)
	}
	return b.done()
}
