package spec

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
	yaml "go.yaml.in/yaml/v4"
)

// ReadCases reads a file of cases. Its ending says what it is: .jsonl or .ndjson
// (one case a line), .json (an array), .yaml or .yml (a list), .csv (see
// [Check] and the package's documentation for columns). The file is read and
// checked whole; the error lists all faults.
func ReadCases(path string, check Check) ([]pipeline.Case, error) {
	b := newBatch(check)
	b.read(path)
	return b.done()
}

func (b *batch) done() ([]pipeline.Case, error) {
	if err := b.err(); err != nil {
		return nil, err
	}
	return b.cases, nil
}

// read adds a file's cases.
func (b *batch) read(path string) {
	b.file = path
	f, err := os.Open(path)
	if err != nil {
		b.at(0, "%s", outside.FileFault(err))
		return
	}
	defer f.Close()
	b.readFrom(path, f)
}

// readFrom adds the cases of an open file.
func (b *batch) readFrom(path string, from io.Reader) {
	b.file = path
	b.readAs(strings.ToLower(filepath.Ext(path)), from)
}

// readAs adds the cases of a text of the kind that an ending names.
func (b *batch) readAs(ending string, from io.Reader) {
	cases, faults := len(b.cases), len(b.list)
	input := bufio.NewReaderSize(from, 64<<10)
	if mark, err := input.Peek(3); err == nil && string(mark) == "\ufeff" {
		input.Discard(3)
	}
	var err error
	switch ending {
	case ".jsonl", ".ndjson":
		err = b.readLines(input)
	case ".json":
		err = b.readArray(input)
	case ".yaml", ".yml":
		err = b.readYAML(input)
	case ".csv":
		err = b.readCSV(input)
	default:
		b.at(0, "a file of cases ends in .jsonl, .ndjson, .json, .yaml, .yml or .csv, not %q", ending)
	}
	if err != nil {
		b.at(0, "reading: %s", outside.FileFault(err))
	} else if len(b.cases) == cases && len(b.list) == faults {
		b.at(0, "there are no cases in it")
	}
}

// readLines reads JSON Lines. Lines may be of any length; blank ones are skipped.
func (b *batch) readLines(input *bufio.Reader) error {
	for line := 1; ; line++ {
		text, err := input.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		last := err != nil
		if text = bytes.TrimSpace(text); len(text) > 0 {
			v, err := readJSON(text)
			switch {
			case err != nil:
				b.at(line, "not JSON: %v", err)
			case v.Kind() != '{':
				b.at(line, "a case must be an object, not %s", outside.Excerpt(string(text), 40))
			default:
				b.add(line, splitObject(v, line))
			}
		}
		if last {
			return nil
		}
	}
}

// readArray reads a JSON array of cases.
func (b *batch) readArray(input io.Reader) error {
	text, err := io.ReadAll(input)
	if err != nil {
		return err
	}
	at := lineFinder{text: text, line: 1}
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	if dec.PeekKind() != '[' {
		if len(bytes.TrimSpace(text)) > 0 {
			b.at(1, "a .json file of cases must be an array; a file with one case a line is called .jsonl")
		}
		return nil
	}
	dec.ReadToken()
	for dec.PeekKind() != ']' {
		v, err := dec.ReadValue()
		if err != nil {
			fault := jsonFault(text, err)
			b.at(at.find(int(fault.offset)), "not JSON: %v", fault)
			return nil
		}
		line := at.find(int(dec.InputOffset()) - len(v))
		if v.Kind() != '{' {
			b.at(line, "a case must be an object, not %s", outside.Excerpt(string(v), 40))
			continue
		}
		b.add(line, splitObject(v, line))
	}
	dec.ReadToken()
	if rest := bytes.TrimSpace(text[dec.InputOffset():]); len(rest) > 0 {
		b.at(at.find(len(text)-len(rest)), "there is something after the array: %s", outside.Excerpt(string(rest), 40))
	}
	return nil
}

// lineFinder finds the lines of ever greater offsets.
type lineFinder struct {
	text   []byte
	offset int
	line   int
}

func (f *lineFinder) find(offset int) int {
	if offset = min(offset, len(f.text)); offset > f.offset {
		f.line += bytes.Count(f.text[f.offset:offset], []byte{'\n'})
		f.offset = offset
	}
	return f.line
}

// readYAML reads a YAML list of cases.
func (b *batch) readYAML(input io.Reader) error {
	text, err := io.ReadAll(input)
	if err != nil {
		return err
	}
	r := reader{faults: faults{file: b.file}}
	if doc := r.document(text); doc != nil {
		if doc.Kind != yaml.SequenceNode {
			r.at(doc.Line, "a YAML file of cases must be a list, not %s", describe(doc))
		} else {
			for _, n := range doc.Content {
				b.addNode(&r, n)
			}
		}
	}
	b.list = append(b.list, r.list...)
	return nil
}

// addNode adds the case that a YAML node is; what is wrong with the YAML goes to
// the node's reader.
func (b *batch) addNode(r *reader, n *yaml.Node) {
	before := len(r.list)
	if parts := r.caseParts(n); len(r.list) == before {
		b.add(n.Line, parts)
	}
}

// caseParts takes apart the case that a YAML node is.
func (r *reader) caseParts(n *yaml.Node) []part {
	var parts []part
	for _, f := range r.fields(n, "a case") {
		if v := r.json(f.value, f.key); v != nil {
			parts = append(parts, part{f.key, f.line, v})
		}
	}
	return parts
}
