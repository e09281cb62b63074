package blame

import (
	"encoding/json"
	"maps"
	"slices"
)

// stories collects the stories that a result has room for.
type stories struct {
	values      []StoryValue
	by          map[string]int // numbers by content
	valueBytes  int
	storyBytes  int
	full        bool // of those that come later none is kept
	told, spare int
}

// add takes a case's story into the result, or leaves it out for want of room.
func (s *stories) add(r *CaseResult) {
	raw := r.raw
	r.raw = nil
	if raw == nil {
		return
	}
	bytes := 0
	keys := make([]string, len(raw.values))
	for i, v := range raw.values {
		text, err := json.Marshal(v)
		if err != nil {
			return // what isn't JSON can't be told
		}
		keys[i] = string(text)
		if _, known := s.by[keys[i]]; !known {
			bytes += len(text)
		}
	}
	text, err := json.Marshal(&raw.story)
	if err != nil {
		return
	}
	if s.full || s.valueBytes+bytes > mostOfValues || s.storyBytes+len(text) > mostOfStories {
		s.full = true
		s.spare++
		return
	}
	s.valueBytes += bytes
	s.storyBytes += len(text)
	s.told++
	if s.by == nil {
		s.by = map[string]int{}
	}
	number := make([]int, len(keys))
	for i, key := range keys {
		at, known := s.by[key]
		if !known {
			at = len(s.values)
			s.by[key] = at
			s.values = append(s.values, raw.values[i])
		}
		number[i] = at
	}
	r.Story = raw.story.renumbered(func(i int) int { return number[i] })
}

// result numbers the values in the order in which the listed cases have them.
func (s *stories) result(r *Result) {
	to := make([]int, len(s.values))
	for i := range to {
		to[i] = -1
	}
	for i := range r.Cases {
		if r.Cases[i].Story == nil {
			continue
		}
		r.Cases[i].Story = r.Cases[i].Story.renumbered(func(v int) int {
			if to[v] < 0 {
				to[v] = len(r.Values)
				r.Values = append(r.Values, s.values[v])
			}
			return to[v]
		})
	}
	r.Summary.Stories, r.Summary.StoriesCut = s.told, s.spare
}

// renumbered returns a copy of a story with other numbers of values, asked for in
// an order that depends on the story alone.
func (s *Story) renumbered(to func(int) int) *Story {
	out := *s
	out.Inputs = renumber(s.Inputs, to)
	if s.Expected != nil {
		expected := to(*s.Expected)
		out.Expected = &expected
	}
	for _, calls := range []*[]StoryCall{&out.AsRun, &out.Fixed} {
		*calls = slices.Clone(*calls)
		for i := range *calls {
			c := &(*calls)[i]
			c.Inputs = renumber(c.Inputs, to)
			c.Output = to(c.Output)
		}
	}
	return &out
}

func renumber(values map[string]int, to func(int) int) map[string]int {
	if values == nil {
		return nil
	}
	out := make(map[string]int, len(values))
	for _, name := range slices.Sorted(maps.Keys(values)) {
		out[name] = to(values[name])
	}
	return out
}
