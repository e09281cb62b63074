package spec

import (
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// column is what a CSV column holds: a key of the case, and for inputs, gold and
// tags a name under it.
type column struct {
	key, name string
	// json says that cells are JSON texts; they are strings otherwise.
	json bool
	text string // the heading
}

// readCSV reads a table of cases: a heading, then one case a row.
func (b *batch) readCSV(input io.Reader) error {
	table := csv.NewReader(input)
	table.FieldsPerRecord = -1 // counted here, to go on after a bad row
	heading, err := table.Read()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return b.csvFault(err)
	}
	columns := b.columns(heading)
	b.checkHeading(columns)
	defer func() { b.lacking = nil }()
	for {
		row, err := table.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return b.csvFault(err)
		}
		line, _ := table.FieldPos(0)
		if len(row) != len(columns) {
			b.at(line, "the row has %d cells, but the heading has %d columns", len(row), len(columns))
			continue
		}
		b.addRow(line, columns, row)
	}
}

// csvFault records a fault of the table's form; other errors are passed on.
func (b *batch) csvFault(err error) error {
	var parse *csv.ParseError
	if !errors.As(err, &parse) {
		return err
	}
	b.at(parse.Line, "not CSV: %v", parse.Err)
	return nil
}

func (b *batch) columns(heading []string) []column {
	out := make([]column, len(heading))
	seen := map[[2]string]bool{}
	for i, text := range heading {
		c := column{text: strings.TrimSpace(text)}
		name, isJSON := strings.CutSuffix(c.text, ":json")
		c.json = isJSON
		before, after, dotted := strings.Cut(name, ".")
		switch {
		case name == "":
			b.at(1, "column %d has no name", i+1)
		case !utf8.ValidString(name):
			b.at(1, "the name of column %d isn't valid UTF-8", i+1)
		case name == "id" || name == "expected" || name == "seed":
			c.key = name
		case dotted && (before == "gold" || before == "tags"):
			c.key, c.name = before, after
		default:
			c.key, c.name = "inputs", name
		}
		if at := [2]string{c.key, c.name}; seen[at] {
			b.at(1, "two columns are named %q", name)
		} else {
			seen[at] = true
		}
		out[i] = c
	}
	return out
}

// checkHeading tells once what is wrong with the columns, rather than in every
// row. Those that mean nothing are read over.
func (b *batch) checkHeading(columns []column) {
	b.lacking = map[[2]string]bool{}
	has := func(key, name string) bool {
		return slices.ContainsFunc(columns, func(c column) bool { return c.key == key && c.name == name })
	}
	for _, name := range b.check.Inputs {
		if !has("inputs", name) {
			b.at(1, "no column is named after the input %q", name)
			b.lacking[[2]string{"inputs", name}] = true
		}
	}
	if len(b.expected) > 0 && !has("expected", "") {
		b.at(1, "no column is named expected, which the score reads")
		b.lacking[[2]string{"expected"}] = true
	}
	golds := b.check.goldNames()
	for i, c := range columns {
		switch {
		case c.key == "inputs" && b.check.Inputs != nil && !slices.Contains(b.check.Inputs, c.name):
			b.at(1, "column %s: the pipeline has no input %q%s", c.text, c.name, pipeline.Suggest(c.name, b.check.Inputs))
		case c.key == "gold" && b.check.Steps != nil && !slices.Contains(golds, c.name):
			b.at(1, "column %s: gold is for %q, which is neither a step nor an input%s", c.text, c.name, pipeline.Suggest(c.name, golds))
		default:
			continue
		}
		columns[i].key = ""
	}
}

func (b *batch) addRow(line int, columns []column, row []string) {
	var parts []part
	nested := map[string][]part{}
	good := true
	for i, c := range columns {
		cell := row[i]
		if c.key == "" || cell == "" && (c.key != "inputs" || c.json) {
			continue // an empty cell says nothing, except that a text is empty
		}
		var v jsontext.Value
		var err error
		switch {
		case c.json:
			v, err = readJSON([]byte(cell))
		case c.key == "seed":
			v = jsontext.Value(strings.TrimSpace(cell))
		default:
			v, err = jsontext.AppendQuote(nil, cell)
		}
		if err != nil {
			b.at(line, "column %s: %s", c.text, ending(err))
			good = false
			continue
		}
		if c.name == "" {
			parts = append(parts, part{c.key, line, v})
		} else {
			nested[c.key] = append(nested[c.key], part{c.name, line, v})
		}
	}
	if !good {
		return
	}
	for _, key := range []string{"inputs", "gold", "tags"} {
		if members := nested[key]; members != nil {
			parts = append(parts, part{key, line, joinObject(members)})
		}
	}
	b.add(line, parts)
}

// joinObject makes an object of its members.
func joinObject(members []part) jsontext.Value {
	out := jsontext.Value{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out, _ = jsontext.AppendQuote(out, m.key) // a name from a valid heading
		out = append(append(out, ':'), m.value...)
	}
	return append(out, '}')
}
