package spec

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"github.com/agentblame/agentblame/outside"
	"github.com/go-json-experiment/json/jsontext"
)

// notJSON says why a text isn't one JSON value, and where.
type notJSON struct {
	offset int64
	text   string
	// rest says that there is a value, and something else after it.
	rest bool
	// nothing says that there is only white space.
	nothing bool
}

func (e *notJSON) Error() string { return e.text }

// readJSON reads a text that must be one JSON value with nothing but white space
// around it. The value shares the text's memory.
func readJSON(text []byte) (jsontext.Value, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, &notJSON{text: "there is nothing", nothing: true}
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(text))
	v, err := dec.ReadValue()
	if err != nil {
		return nil, jsonFault(text, err)
	}
	end := dec.InputOffset()
	if rest := bytes.TrimLeft(text[end:], " \t\r\n"); len(rest) > 0 {
		return nil, &notJSON{
			offset: int64(len(text) - len(rest)), rest: true,
			text: fmt.Sprintf("there is something after the JSON value: %s", outside.Excerpt(string(rest), 80)),
		}
	}
	return v, nil
}

// jsonFault words a decoder's error.
func jsonFault(text []byte, err error) *notJSON {
	var syntax *jsontext.SyntacticError
	if !errors.As(err, &syntax) {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return &notJSON{offset: int64(len(text)), text: ending(err)}
	}
	at := min(syntax.ByteOffset, int64(len(text)))
	for _, word := range []string{"NaN", "Infinity"} {
		if bytes.HasPrefix(text[at:], []byte(word)) {
			return &notJSON{offset: at, text: "JSON has no " + word}
		}
	}
	cause := syntax.Err
	if errors.Is(cause, jsontext.ErrDuplicateName) {
		cause = fmt.Errorf("the name %q is given twice in one object", syntax.JSONPointer.LastToken())
	}
	return &notJSON{offset: at, text: ending(cause)}
}

// ending words the end of a text that is cut short as users see it.
func ending(err error) string {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return "it ends in the middle of a value"
	}
	return strings.TrimPrefix(strings.TrimPrefix(err.Error(), "json: "), "jsontext: ")
}

// tree is how a JSON text is turned into Go values: objects are map[string]any,
// arrays []any, null nil, true and false bool; numbers and strings come out as
// the functions say.
type tree struct {
	number func(text string) any
	text   func(string) any
}

// decode decodes a valid JSON text.
func (t tree) decode(text []byte) (any, error) {
	return t.value(jsontext.NewDecoder(bytes.NewBuffer(text)))
}

func (t tree) value(dec *jsontext.Decoder) (any, error) {
	token, err := dec.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		out := map[string]any{}
		for dec.PeekKind() != '}' {
			name, err := dec.ReadToken()
			if err != nil {
				return nil, err
			}
			key := name.String() // before the next read overwrites it
			if out[key], err = t.value(dec); err != nil {
				return nil, err
			}
		}
		_, err := dec.ReadToken()
		return out, err
	case '[':
		out := []any{}
		for dec.PeekKind() != ']' {
			e, err := t.value(dec)
			if err != nil {
				return nil, err
			}
			out = append(out, e)
		}
		_, err := dec.ReadToken()
		return out, err
	case '"':
		return t.text(token.String()), nil
	case '0':
		return t.number(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil // null
}

// plainTree decodes for expressions: whole numbers are int where they fit, and
// *big.Int where a float64 would lose digits; all others are float64.
func plainTree() tree {
	return tree{number: plainNumber, text: func(s string) any { return s }}
}

func plainNumber(text string) any {
	if i, err := strconv.Atoi(text); err == nil {
		return i
	}
	f, err := strconv.ParseFloat(text, 64)
	if !strings.ContainsAny(text, ".eE") {
		if exact, ok := new(big.Int).SetString(text, 10); ok && (err != nil || new(big.Float).SetInt(exact).Cmp(big.NewFloat(f)) != 0) {
			return exact
		}
	}
	if f == float64(int(f)) && f > -1<<53 && f < 1<<53 {
		return int(f)
	}
	return f
}

// canonical writes a JSON value the way the engine does with every output, so
// that what a case says can be compared with it.
func canonical(v jsontext.Value) (jsontext.Value, error) {
	c := v.Clone()
	err := c.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.AllowInvalidUTF8(true))
	return c, err
}
