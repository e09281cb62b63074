package blame

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
)

// A Story is what happened in a case: the run as it was beside the replay with
// every fix in place. Numbers of values are indexes into Result.Values.
type Story struct {
	// OtherWorld says that the fixed replay saw other noise than the run as it was:
	// that of the first world, where the factual noise isn't known.
	OtherWorld bool `json:"other_world,omitempty"`
	// Inputs are the case's inputs by name, and Expected what was expected.
	Inputs   map[string]int `json:"inputs,omitempty"`
	Expected *int           `json:"expected,omitempty"`
	// AsRun and Fixed are the calls in the order in which they were answered;
	// where calls went on at once, in the order of reports.
	AsRun []StoryCall `json:"as_run,omitempty"`
	Fixed []StoryCall `json:"fixed,omitempty"`
	// Coalitions are the scores of all coalitions, the smallest first, when there
	// are few players.
	Coalitions []StoryCoalition `json:"coalitions,omitempty"`
}

// A StoryCall is one call of a step.
type StoryCall struct {
	Step      string `json:"step"`
	Iteration string `json:"iteration"`
	// Variant is empty for the as-run implementation.
	Variant string         `json:"variant,omitempty"`
	Inputs  map[string]int `json:"inputs,omitempty"`
	Output  int            `json:"output"`
	Cost    float64        `json:"cost"`
	// Draws are the first of its draws, and DrawsCut how many there were if there
	// were more.
	Draws    []noise.Draw `json:"draws,omitempty"`
	DrawsCut int          `json:"draws_cut,omitempty"`
	// Recorded says that the output is a recorded one, Reused that the run of the
	// case as it was had made the very run already.
	Recorded bool `json:"recorded,omitempty"`
	Reused   bool `json:"reused,omitempty"`
}

// A StoryCoalition is the score of a set of fixes.
type StoryCoalition struct {
	Fixes []string `json:"fixes"`
	Score float64  `json:"score"`
}

// A StoryValue is an input or output that stories tell of: a whole value, the
// first part of its JSON text, or a failed step's error.
type StoryValue struct {
	Value json.RawMessage `json:"value,omitempty"`
	Text  string          `json:"text,omitempty"`
	// Bytes is how long the text is of which Text is the first part.
	Bytes int    `json:"bytes,omitempty"`
	Error string `json:"error,omitempty"`
}

// Limits of stories: bytes of one value, of all values, and of all stories beside
// those; players for which all coalitions are told; draws of a call.
const (
	mostOfValue      = 4 << 10
	mostOfValues     = 4 << 20
	mostOfStories    = 4 << 20
	coalitionPlayers = 5
	mostDraws        = 16
)

// rawStory is a story whose values are not numbered yet.
type rawStory struct {
	story  Story
	values []StoryValue // of which the story has the indexes
	by     map[string]int
}

// newStory begins the story of a case with the run as it was.
func (a *analysis) newStory(c *pipeline.Case, factual *replay.Trace) *rawStory {
	if !a.inBatch || a.options.NoStories || a.untold.Load() {
		return nil
	}
	s := &rawStory{by: map[string]int{}}
	for name, v := range c.Inputs {
		if s.story.Inputs == nil {
			s.story.Inputs = map[string]int{}
		}
		if text, ok := jsonOf(v); ok {
			s.story.Inputs[name] = s.json(text)
		}
	}
	if text, ok := jsonOf(c.Expected); ok && c.Expected != nil {
		expected := s.json(text)
		s.story.Expected = &expected
	}
	s.story.AsRun = s.calls(a.engine.Pipeline(), factual, nil)
	return s
}

// jsonOf returns a value of a case as JSON, as a step's output is written.
func jsonOf(v any) (string, bool) {
	var values pipeline.Values
	made, err := values.Intern(v)
	if err != nil {
		return "", false
	}
	return made.JSON(), true
}

// fixed adds the replay with every fix.
func (s *rawStory) fixed(p *pipeline.Pipeline, factual, all *replay.Trace, otherWorld bool) {
	if s == nil {
		return
	}
	s.story.OtherWorld = otherWorld
	s.story.Fixed = s.calls(p, all, factual)
}

// coalitions adds the scores of all coalitions.
func (s *rawStory) coalitions(g *caseGame) {
	n := 0
	if g != nil {
		n = len(g.names)
	}
	if s == nil || n == 0 || n > coalitionPlayers {
		return
	}
	var all []game.Coalition
	for set := range 1 << n {
		var c game.Coalition
		for i := range n {
			if set>>i&1 == 1 {
				c = c.With(i)
			}
		}
		all = append(all, c)
	}
	slices.SortStableFunc(all, game.Compare)
	for _, c := range all {
		score := 0.0
		for _, d := range g.worlds {
			score += d.Value(c) / float64(len(g.worlds))
		}
		if score != score { // unknown in some world
			s.story.Coalitions = nil
			return
		}
		s.story.Coalitions = append(s.story.Coalitions, StoryCoalition{coalitionNames(c, g.names), tidy(score)})
	}
}

// calls tells the calls of a replay; earlier is one that may have made the same runs.
func (s *rawStory) calls(p *pipeline.Pipeline, t, earlier *replay.Trace) []StoryCall {
	from := slices.Clone(t.Calls)
	if t.AtOnce {
		slices.SortFunc(from, func(x, y replay.TraceCall) int {
			return replay.ComparePlayers(replay.Player{Step: x.Step, Label: x.Label}, replay.Player{Step: y.Step, Label: y.Label})
		})
	}
	var out []StoryCall
	for _, c := range from {
		spec := p.Steps[c.Step]
		call := StoryCall{
			Step: spec.Name, Iteration: c.Label, Variant: spec.Impls[c.Variant].Name, Cost: c.Cost,
			Draws: c.Draws, Recorded: c.Pinned,
		}
		if len(c.Draws) > mostDraws {
			call.Draws, call.DrawsCut = c.Draws[:mostDraws], len(c.Draws)
		}
		for name, text := range c.Inputs(spec) {
			if call.Inputs == nil {
				call.Inputs = map[string]int{}
			}
			call.Inputs[name] = s.json(string(text))
		}
		if err := c.Output.Err(); err != nil {
			call.Output = s.value("e"+err.Error(), StoryValue{Error: start(err.Error())})
		} else {
			call.Output = s.json(c.Output.JSON())
		}
		if earlier != nil {
			same := sameCall(earlier, c)
			call.Reused = same != nil && same.Variant == c.Variant && same.Output == c.Output && slices.Equal(same.Args, c.Args)
		}
		out = append(out, call)
	}
	return out
}

// json numbers a value that is JSON.
func (s *rawStory) json(text string) int {
	v := StoryValue{Value: json.RawMessage(text)}
	if len(text) > mostOfValue {
		v = StoryValue{Text: start(text), Bytes: len(text)}
	}
	return s.value("v"+text, v)
}

func (s *rawStory) value(key string, v StoryValue) int {
	if i, ok := s.by[key]; ok {
		return i
	}
	i := len(s.values)
	s.by[key] = i
	s.values = append(s.values, v)
	return i
}

// start returns the first part of a text, whole characters only.
func start(text string) string {
	if len(text) <= mostOfValue {
		return text
	}
	cut := mostOfValue
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return strings.ToValidUTF8(text[:cut], "\ufffd")
}
