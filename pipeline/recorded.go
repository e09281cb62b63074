package pipeline

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A RecordedError is the error of a step as it was recorded.
type RecordedError struct {
	Message string
	Data    map[string]any
}

func (e *RecordedError) Error() string { return e.Message }

// Kind implements what [Values.InternError] asks for.
func (e *RecordedError) Kind() string {
	text := func(name string) string {
		s, _ := e.Data[name].(string)
		return s
	}
	return ErrorKind(text("module"), text("type"))
}

// Details returns the data as a JSON object; nil if there is none.
func (e *RecordedError) Details() jsontext.Value {
	if e.Data == nil {
		return nil
	}
	text, err := json.Marshal(e.Data, json.Deterministic(true))
	if err != nil {
		return nil // what was read from a case is JSON
	}
	return text
}

// ErrorKind is the kind of an error of another language: the name of its type, and
// of the module that has it, where there are any.
func ErrorKind(module, name string) string {
	if module == "" {
		return name
	}
	return fmt.Sprintf("%s.%s", module, name)
}
