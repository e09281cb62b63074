package blame_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
)

// told returns what a story says with its values in place of their numbers.
func told(t *testing.T, r *blame.Result, s *blame.Story) (out struct {
	Inputs, Expected string
	AsRun, Fixed     []string
}) {
	t.Helper()
	value := func(i int) string {
		v := r.Values[i]
		if v.Error != "" {
			return "error " + v.Error
		}
		return string(v.Value) + v.Text
	}
	values := func(at map[string]int) string {
		all := map[string]string{}
		for name, i := range at {
			all[name] = value(i)
		}
		return strings.TrimPrefix(fmt.Sprint(all), "map")
	}
	out.Inputs = values(s.Inputs)
	if s.Expected != nil {
		out.Expected = value(*s.Expected)
	}
	for to, calls := range map[*[]string][]blame.StoryCall{&out.AsRun: s.AsRun, &out.Fixed: s.Fixed} {
		for _, c := range calls {
			line := fmt.Sprintf("%s#%s(%s)%s = %s", c.Step, c.Iteration, c.Variant, values(c.Inputs), value(c.Output))
			if c.Reused {
				line += " reused"
			}
			*to = append(*to, line)
		}
	}
	return out
}

func TestStory(t *testing.T) {
	search := pipeline.NewStep("search", func(_ context.Context, q string) (string, error) { return "old " + q, nil }).
		Variant("fix", func(_ context.Context, q string) (string, error) { return "new " + q, nil })
	check := pipeline.NewStep("check", func(_ context.Context, page string) (string, error) { return "", fmt.Errorf("can't read %s", page) }).
		Variant("fix", func(_ context.Context, page string) (string, error) { return page, nil })
	p := pipeline.New("story", func(ctx context.Context, q string) (string, error) {
		page, err := search.Do(ctx, q)
		if err != nil {
			return "", err
		}
		if text, err := check.Do(ctx, page); err == nil {
			return text, nil
		}
		return "nothing", nil
	}, func(_ context.Context, c pipeline.Case, out string) (float64, error) {
		if out == c.Expected {
			return 1, nil
		}
		return 0, nil
	}, search, check)
	r := batchOf(t, p, []pipeline.Case{
		{ID: "a", Inputs: map[string]any{"q": "page"}, Expected: "new page", Tags: map[string]string{"lang": "en"}},
		{ID: "b", Inputs: map[string]any{"q": "page"}, Expected: "nothing"},
	}, blame.Options{})
	c := r.Cases[0]
	got := told(t, r, c.Story)
	want := got
	want.Inputs, want.Expected = `[q:"page"]`, `"new page"`
	want.AsRun = []string{`search#1()[input:"page"] = "old page"`, `check#1()[input:"old page"] = error can't read old page`}
	want.Fixed = []string{`search#1(fix)[input:"page"] = "new page"`, `check#1(fix)[input:"new page"] = "new page"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	coalitions := []blame.StoryCoalition{{[]string{}, 0}, {[]string{"search"}, 0}, {[]string{"check"}, 0}, {[]string{"search", "check"}, 1}}
	if diff := cmp.Diff(coalitions, c.Story.Coalitions); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c.Tags["lang"] != "en" || r.Cases[1].Story != nil || r.Summary.Stories != 1 || r.Summary.StoriesCut != 0 {
		t.Errorf("tags %v, story of a passing case %v, %d stories, %d cut", c.Tags, r.Cases[1].Story, r.Summary.Stories, r.Summary.StoriesCut)
	}
	without := batchOf(t, p, []pipeline.Case{{ID: "a", Inputs: map[string]any{"q": "page"}, Expected: "new page"}}, blame.Options{NoStories: true})
	if without.Cases[0].Story != nil || without.Values != nil || without.Summary.Stories != 0 {
		t.Error("there is a story, though none was asked for")
	}
}

// Laws of stories: numbers of values are valid and in order of appearance, values
// are unique, and none of it depends on how much goes on at once.
func TestStoriesOfAnyPipeline(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := drawTables(t, shape{steps: 4, variants: 2, levels: 3, noisy: true})
		cases := p.cases(6)
		o := blame.Options{Mode: rapid.SampledFrom([]blame.Mode{blame.Recorded, blame.Posterior, blame.Prior}).Draw(t, "mode"), Worlds: 2, Harm: -1, Concurrency: 1}
		one := batchOf(t, p.pipeline(), cases, o)
		o.Concurrency = 8
		many := batchOf(t, p.pipeline(), cases, o)
		if diff := cmp.Diff(one, many, cmpopts.IgnoreUnexported(blame.CaseResult{})); diff != "" {
			t.Fatalf("(-one +many at once):\n%s", diff)
		}
		next, seen := 0, map[string]bool{}
		visit := func(i int) {
			if i > next || i < 0 {
				t.Fatalf("value %d comes after %d values", i, next)
			}
			next = max(next, i+1)
		}
		for _, c := range one.Cases {
			if c.Story == nil {
				continue
			}
			one.Summary.Stories--
			for _, at := range c.Story.Inputs { // one input
				visit(at)
			}
			if c.Story.Expected != nil {
				visit(*c.Story.Expected)
			}
			for _, call := range append(append([]blame.StoryCall{}, c.Story.AsRun...), c.Story.Fixed...) {
				if call.Output >= len(one.Values) {
					t.Fatalf("there is no value %d", call.Output)
				}
				next = max(next, call.Output+1)
				for _, at := range call.Inputs {
					next = max(next, at+1)
				}
			}
		}
		if next != len(one.Values) || one.Summary.Stories != 0 {
			t.Fatalf("%d of %d values are told of; %d stories too many", next, len(one.Values), one.Summary.Stories)
		}
		for _, v := range one.Values {
			text, err := json.Marshal(v)
			if err != nil || seen[string(text)] {
				t.Fatalf("value %s twice, error %v", text, err)
			}
			seen[string(text)] = true
		}
	})
}

// Long values are cut, and stories end when there is no room for more.
func TestStoriesHaveLimits(t *testing.T) {
	long := pipeline.NewStep("long", func(_ context.Context, q string) (string, error) { return strings.Repeat(q+"é", 3000), nil }).
		Variant("fix", func(_ context.Context, q string) (string, error) { return "short", nil })
	p := pipeline.New("long", long.Do, func(_ context.Context, _ pipeline.Case, out string) (float64, error) {
		if out == "short" {
			return 1, nil
		}
		return 0, nil
	}, long)
	var cases []pipeline.Case
	for i := range 1500 {
		cases = append(cases, pipeline.Case{ID: fmt.Sprint(i), Inputs: map[string]any{"q": fmt.Sprintf("%04d", i)}})
	}
	r := batchOf(t, p, cases, blame.Options{})
	total := 0
	for _, v := range r.Values {
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		total += len(text)
		if len(v.Text) > 4<<10 || v.Text != "" && v.Bytes != 3000*6+2 {
			t.Fatalf("%d bytes of %d", len(v.Text), v.Bytes)
		}
		if strings.Contains(v.Text, "\ufffd") {
			t.Fatal("a character is cut in half")
		}
	}
	if total > 4<<20 || total < 3<<20 || r.Summary.Stories+r.Summary.StoriesCut != 1500 || r.Summary.StoriesCut < 400 {
		t.Errorf("%d bytes, %d stories, %d cut", total, r.Summary.Stories, r.Summary.StoriesCut)
	}
}
