//go:build unix

package host

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/google/go-cmp/cmp"
)

// failing returns cases of which all fail, and which the fix of a alone repairs.
func failing(n int) []pipeline.Case {
	var cases []pipeline.Case
	for i := range n {
		q := "q" + strconv.Itoa(i)
		cases = append(cases, pipeline.Case{ID: q, Inputs: map[string]any{"q": q}, Expected: "b:A:" + q})
	}
	return cases
}

func text(t testing.TB, r *blame.Result) string {
	t.Helper()
	b, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestBatch(t *testing.T) {
	h, _ := open(t, "ok")
	r := analyse(t, h, failing(5), blame.Options{})
	if r.Summary.Analyzed != 5 || r.Steps[0].Shapley.Mean != 0.5 || r.Steps[1].Shapley.Mean != -0.5 {
		t.Errorf("%s", text(t, r))
	}
	if s := h.Stats(); s.Restarts != 0 || s.Retried != nil {
		t.Errorf("%+v", s)
	}
}

// pids returns the processes that have told their number.
func pids(t testing.TB, log *lines) (out []int) {
	t.Helper()
	for line := range strings.Lines(log.String()) {
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "py: pid "); ok {
			pid, err := strconv.Atoi(n)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, pid)
		}
	}
	return out
}

// A host that is killed in the middle of a batch changes no number.
func TestKilledInTheMiddle(t *testing.T) {
	cases := failing(150)
	quiet, _ := open(t, "slow")
	want := text(t, analyse(t, quiet, cases, blame.Options{Concurrency: 8}))
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Setenv("HOST_TEST_KILLED", t.TempDir()+"/once")
			h, log := open(t, "slow", func(o *Options) { o.Workers = workers })
			got := text(t, analyse(t, h, cases, blame.Options{Concurrency: 8}))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the result is another (-undisturbed +killed):\n%s", diff)
			}
			s := h.Stats()
			if s.Restarts != 1 || len(s.Retried) == 0 {
				t.Errorf("nothing was noticed: %+v", s)
			}
			if !strings.Contains(log.String(), "host py: a process was ended by a signal: killed") {
				t.Errorf("nothing was told:\n%s", log)
			}
		})
	}
}

// A step that ends its process is the only one that fails.
func TestPoison(t *testing.T) {
	h, _ := open(t, "poison", func(o *Options) { o.Workers = 2 })
	cases := failing(30)
	cases = append(cases, pipeline.Case{ID: "poison", Inputs: map[string]any{"q": "poison"}, Expected: "x"})
	r := analyse(t, h, cases, blame.Options{Concurrency: 16})
	if r.Summary.Failures != 31 || r.Summary.Repairable != 30 || r.Summary.WithErrors != 1 {
		t.Errorf("%+v", r.Summary)
	}
	for _, c := range r.Cases {
		for _, e := range c.Errors {
			if c.ID != "poison" || e.Step != "a" || e.Message != "the process of host py ended with exit status 3, twice" {
				t.Errorf("case %s: %+v", c.ID, e)
			}
		}
	}
}

// A reply that comes twice ends the analysis, and the first one stands.
func TestTwice(t *testing.T) {
	h, _ := open(t, "twice")
	out, err := runStep(t, h, "a", "x")
	if out != `"a:x"` || err != nil {
		t.Errorf("%s, %v", out, err)
	}
	<-h.Gone()
	if err := h.Err(); err.Error() != "host py answered the request 2 twice" {
		t.Error(err)
	}
	if out, err := runStep(t, h, "b", "x"); err == nil {
		t.Errorf("it goes on with %s", out)
	}
}

// A process that doesn't answer a cancelled run is ended, so that its place is free.
func TestDeaf(t *testing.T) {
	h, log := open(t, "deaf")
	h.patience = 50 * time.Millisecond
	if _, err := runStep(t, h, "a", "x"); err == nil || err.Error() != "host py timed out after 100ms" {
		t.Error(err)
	}
	for end := time.Now().Add(20 * time.Second); h.Stats().Restarts == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the process wasn't ended")
		}
	}
	if out, err := runStep(t, h, "b", "x"); out != `"b:x"` || err != nil {
		t.Errorf("%s, %v", out, err)
	}
	if want := "host py: a process was ended: it had not answered a run for 50ms after it was cancelled; what it had in flight is asked again"; !strings.Contains(log.String(), want) {
		t.Errorf("log: %s", log)
	}
}

func TestHangTimeout(t *testing.T) {
	h, _ := open(t, "still", func(o *Options) { o.HangTimeout = 30 * time.Millisecond })
	if _, err := runStep(t, h, "a", "x"); err == nil || err.Error() != "host py gave no sign of life for 30ms (hang_timeout)" {
		t.Error(err)
	}
}

// A host that can't be started again ends the analysis; nothing waits for it.
func TestCannotBeStartedAgain(t *testing.T) {
	for _, workers := range []int{1, 3} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			once := t.TempDir() + "/once"
			h, log := open(t, "dying", func(o *Options) {
				o.Workers = workers
				o.Command = []string{"sh", "-c", `if mkdir "$1"; then exec "$0"; fi; echo no more >&2; exit 5`, o.Command[0], once}
			})
			var running sync.WaitGroup
			for i := range 10 {
				running.Go(func() {
					step := "b"
					if i == 9 {
						time.Sleep(100 * time.Millisecond) // others are answered, or wait for a process
						step = "a"
					}
					_, err := runStep(t, h, step, "x")
					if i == 9 && (err == nil || kindOf(err) != "fault") {
						t.Errorf("%v", err)
					}
				})
			}
			running.Wait()
			want := "host py ended with exit status 5 before it said what steps it has:\n  "
			if err := h.Err(); err == nil || !strings.HasPrefix(err.Error(), want) || !strings.HasSuffix(err.Error(), "  no more") {
				t.Errorf("%v\nlog:\n%s", err, log)
			}
		})
	}
}
