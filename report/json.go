package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agentblame/agentblame/blame"
)

// JSON writes a result as indented JSON with a line break at its end: the form
// that docs/result.schema.json describes and [ReadJSON] reads. Equal results
// give equal bytes. Invisible characters are written as \u escapes, which
// changes no string but keeps them from a terminal.
func JSON(w io.Writer, r *blame.Result) error {
	text, err := encode(r, jsontext.WithIndent("  "))
	if err != nil {
		return fmt.Errorf("encoding the result: %w", err)
	}
	_, err = w.Write(text)
	return err
}

// JSONL writes the cases of a result as JSON Lines: one case a line, in the form
// that they have in [JSON].
func JSONL(w io.Writer, r *blame.Result) error {
	var out []byte
	for i := range r.Cases {
		line, err := encode(&r.Cases[i], jsontext.Multiline(false))
		if err != nil {
			return fmt.Errorf("encoding case %s: %w", r.Cases[i].ID, err)
		}
		out = append(out, line...)
	}
	_, err := w.Write(out)
	return err
}

// encode encodes a value as JSON with no more escapes than needed.
func encode(v any, layout jsontext.Options) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	// Marshal escapes < > & and lays out nothing. Names that differ only in
	// bytes that are no UTF-8 become equal, and are still two.
	text, err = jsontext.AppendFormat(nil, text, layout, jsontext.AllowDuplicateNames(true))
	if err != nil {
		return nil, err
	}
	return append(escapeInvisible(text), '\n'), nil
}

// escapeInvisible escapes what isn't visible in JSON text. Outside ASCII it can
// only be part of a string, where an escape means the same.
func escapeInvisible(text []byte) []byte {
	if !bytes.ContainsFunc(text, func(r rune) bool { return r >= 0x7f && !isVisible(r) }) {
		return text
	}
	var out []byte
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case r < 0x7f || isVisible(r):
			out = append(out, text[i:i+size]...)
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
		}
		i += size
	}
	return out
}

// ReadJSON reads a result that [JSON] has written. It is an error when the text
// is no JSON, no result, or a result of another version than [blame.Schema].
// Fields that this version doesn't know are ignored.
func ReadJSON(r io.Reader) (*blame.Result, error) {
	text, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("reading the result: %w", err)
	}
	// Decoding does this to strings; a story's values stay the bytes that they are.
	text = bytes.ToValidUTF8(text, []byte("\ufffd"))
	var head struct {
		Schema string `json:"schema"`
	}
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(text, &head); {
	case errors.As(err, &syntax):
		return nil, fmt.Errorf("not a result: it is no JSON: %w (%s)", err, place(text, syntax.Offset))
	case err != nil || head.Schema == "":
		return nil, fmt.Errorf("not a result: want a JSON object with \"schema\": %q", blame.Schema)
	}
	if err := checkSchema(head.Schema); err != nil {
		return nil, err
	}
	out := &blame.Result{}
	var kind *json.UnmarshalTypeError
	switch err := json.Unmarshal(text, out); {
	case errors.As(err, &kind):
		return nil, fmt.Errorf("reading the result: %s: want %s, have %s (%s)", kind.Field, jsonKind(kind.Type), kind.Value, place(text, kind.Offset))
	case err != nil:
		return nil, fmt.Errorf("reading the result: %w", err)
	}
	for i := range out.Values {
		if v := &out.Values[i]; v.Value != nil {
			var b bytes.Buffer
			if err := json.Compact(&b, v.Value); err != nil { // it has been read already
				return nil, fmt.Errorf("reading the result: %w", err)
			}
			v.Value = b.Bytes()
		}
	}
	return out, nil
}

// place says where in a text a decoder was when it had read so many bytes.
func place(text []byte, read int64) string {
	before := text[:min(int64(len(text)), max(0, read-1))]
	line := bytes.LastIndexByte(before, '\n') + 1
	return fmt.Sprintf("line %d, column %d", bytes.Count(before, []byte{'\n'})+1, utf8.RuneCount(before[line:])+1)
}

// jsonKind is what a Go type is in JSON.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Float64:
		return "a number"
	}
	return "a whole number"
}

// checkSchema tells another version of a result from something else.
func checkSchema(schema string) error {
	family, _, _ := strings.Cut(blame.Schema, "/")
	switch {
	case schema == blame.Schema:
		return nil
	case strings.HasPrefix(schema, family+"/"):
		return fmt.Errorf("the result is of another version: it is %.60q, and this program reads %q", schema, blame.Schema)
	}
	return fmt.Errorf("not a result: its schema is %.60q, not %q", schema, blame.Schema)
}
