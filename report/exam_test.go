package report_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/demo"
	"github.com/agentblame/agentblame/pipeline"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; go test -update takes the new one):\n%s", path, diff)
	}
}

// batch really analyses cases. Errors are the test's failure.
func batch(t testing.TB, p *pipeline.Pipeline, cases []pipeline.Case, o blame.Options) *blame.Result {
	t.Helper()
	r, err := blame.Batch(context.Background(), p, cases, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func refund(t testing.TB, o blame.Options) *blame.Result {
	return batch(t, demo.Refund("A"), []pipeline.Case{demo.RefundCase()}, o)
}

// A sheet is what the steps of [exam] hand on: the case's word, and the letters
// of the steps whose fix has run.
type sheet struct{ Word, Fixed string }

// exam is a pipeline whose cases say themselves what repairs them: the word
// "a|b|cd" passes when the fix of the first step runs, or of the second, or of
// the third and fourth. Words may also say
//
//	!a  the first step fails as it runs today
//	?a  and that for a reason that may pass
//	~a  the first step's fix takes half a point
//	^a  the first step's fix takes all points
//	%   there are points for parts of a repair
//	&   the second step is called twice
//	+   and once more when its fix runs
func exam(names [4]string) *pipeline.Pipeline {
	var steps [4]*pipeline.Step[sheet, sheet]
	for i, name := range names {
		letter := string(rune('a' + i))
		asRun := func(_ context.Context, in sheet) (sheet, error) {
			switch {
			case strings.Contains(in.Word, "!"+letter):
				return sheet{}, fmt.Errorf("stumbled over \x1b[31m%s\x1b[0m\nand fell \u202eover", in.Word)
			case strings.Contains(in.Word, "?"+letter):
				return sheet{}, pipeline.Transient(errors.New("rate limit"))
			}
			return in, nil
		}
		steps[i] = pipeline.NewStep(name, asRun).Variant("mend-"+letter, func(_ context.Context, in sheet) (sheet, error) {
			in.Fixed += letter
			return in, nil
		})
	}
	run := func(ctx context.Context, word string) (sheet, error) {
		at := sheet{Word: word}
		var err error
		for i, s := range steps {
			times := 1
			if i == 1 && strings.Contains(word, "&") {
				times = 2
			}
			for k := 0; k < times; k++ {
				if at, err = s.Do(ctx, at); err != nil {
					return at, fmt.Errorf("no sheet: %w", err)
				}
				if k == 0 && i == 1 && strings.Contains(word, "+") && strings.Contains(at.Fixed, "b") {
					times++
				}
			}
		}
		return at, nil
	}
	return pipeline.New("exam", run, grade, steps[0], steps[1], steps[2], steps[3])
}

func grade(_ context.Context, _ pipeline.Case, s sheet) (float64, error) {
	word := regexp.MustCompile(`[!?].`).ReplaceAllString(s.Word, "")
	word, spoils, _ := strings.Cut(word, "^")
	if spoils != "" && strings.Contains(s.Fixed, spoils) {
		return 0, nil
	}
	word, harm, _ := strings.Cut(word, "~")
	best := 0.0
	for way := range strings.SplitSeq(strings.Trim(word, "%&+"), "|") {
		have := 0
		for _, letter := range way {
			if strings.ContainsRune(s.Fixed, letter) {
				have++
			}
		}
		switch {
		case have == len(way):
			best = 1
		case strings.Contains(word, "%"):
			best = max(best, float64(have)/float64(len(way)))
		}
	}
	if harm != "" && strings.Contains(s.Fixed, harm) {
		best = max(0, best-0.5)
	}
	return best, nil
}

// papers are cases, "id: word" each.
func papers(lines ...string) []pipeline.Case {
	var out []pipeline.Case
	for _, line := range lines {
		id, word, _ := strings.Cut(line, ": ")
		out = append(out, pipeline.Case{ID: id, Inputs: map[string]any{"word": word}})
	}
	return out
}

var usual = [4]string{"rewrite", "retrieve", "answer", "verify"}
