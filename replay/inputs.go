package replay

import (
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Inputs returns the inputs of a call by name, as JSON. That of a Go function,
// which has one without a name, is called "input".
func (c TraceCall) Inputs(s *pipeline.Spec) map[string]jsontext.Value {
	out := map[string]jsontext.Value{}
	for i, v := range c.Args {
		if s.Whole && json.Unmarshal([]byte(v.JSON()), &out) == nil {
			continue
		}
		name := "input"
		if i < len(s.Needs) {
			name = s.Needs[i]
		}
		out[name] = jsontext.Value(v.JSON())
	}
	return out
}
