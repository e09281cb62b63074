package report

import (
	"encoding/json"
	"time"

	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
)

// traceCase is a replay as a line of JSON. Unlike a result it tells times.
type traceCase struct {
	ID     string       `json:"id"`
	Score  *float64     `json:"score,omitempty"`
	Error  string       `json:"error,omitempty"` // why there is no score
	Calls  []traceCall  `json:"calls"`
	Errors []traceError `json:"errors,omitempty"`
}

type traceCall struct {
	Step      string                     `json:"step"`
	Iteration string                     `json:"iteration"`
	Variant   string                     `json:"variant,omitempty"`
	Inputs    map[string]json.RawMessage `json:"inputs"`
	Output    json.RawMessage            `json:"output,omitempty"`
	Error     string                     `json:"error,omitempty"`
	Draws     []noise.Draw               `json:"draws,omitempty"`
	Notes     map[string]json.RawMessage `json:"notes,omitempty"`
	Cost      float64                    `json:"cost"`
	MS        float64                    `json:"ms"`
	Cached    bool                       `json:"cached,omitempty"`
	Recorded  bool                       `json:"recorded,omitempty"`
}

type traceError struct {
	Step    string `json:"step,omitempty"`
	Variant string `json:"variant,omitempty"`
	Message string `json:"message"`
	// Traceback is where the error comes from.
	Traceback string `json:"traceback,omitempty"`
}

// TraceLine returns a replay as one line of JSON, with its line break.
func TraceLine(e *replay.Engine, c *pipeline.Case, t *replay.Trace) []byte {
	line := traceCase{ID: c.ID, Calls: []traceCall{}}
	if t.Err != nil {
		line.Error = t.Err.Error()
	} else {
		line.Score = &t.Score
	}
	for _, call := range t.Calls {
		line.Calls = append(line.Calls, callOf(e.Pipeline().Steps[call.Step], call))
	}
	for _, f := range t.Failures {
		line.Errors = append(line.Errors, traceError{f.Step, f.Variant, f.Message, f.Traceback})
	}
	b, err := json.Marshal(line)
	if err != nil {
		// Values are JSON already; what is left is a draw that can't be told.
		b, _ = json.Marshal(traceCase{ID: c.ID, Calls: []traceCall{}, Error: "encoding the trace: " + err.Error()})
	}
	return append(b, '\n')
}

func callOf(s *pipeline.Spec, c replay.TraceCall) traceCall {
	out := traceCall{
		Step: s.Name, Iteration: c.Label, Variant: s.Impls[c.Variant].Name, Draws: c.Draws,
		Cost: c.Cost, MS: float64(c.Duration.Round(time.Microsecond)) / float64(time.Millisecond),
		Cached: c.Cached, Recorded: c.Pinned, Inputs: map[string]json.RawMessage{},
	}
	for name, value := range c.Inputs(s) {
		out.Inputs[name] = json.RawMessage(value)
	}
	for name, value := range c.Notes {
		if out.Notes == nil {
			out.Notes = map[string]json.RawMessage{}
		}
		out.Notes[name] = json.RawMessage(value)
	}
	if err := c.Output.Err(); err != nil {
		out.Error = err.Error()
	} else {
		out.Output = json.RawMessage(c.Output.JSON())
	}
	return out
}
