//go:build unix

package host

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

// stub is a host that answers from a function.
type stub struct {
	mu    sync.Mutex
	asked []string
	says  func(r *request) (string, error)
}

func stubbed(t *testing.T, manifest string, says func(r *request) (string, error)) (*Host, *stub) {
	t.Helper()
	m, err := parseManifest([]byte(manifest))
	if err != nil {
		t.Fatal(err)
	}
	s := &stub{says: says}
	return &Host{who: "the host", manifest: m, link: s, gone: make(chan struct{})}, s
}

func (s *stub) call(_ context.Context, r *request) (jsontext.Value, error) {
	s.mu.Lock()
	s.asked = append(s.asked, string(r.body))
	s.mu.Unlock()
	out, err := s.says(r)
	return jsontext.Value(out), err
}

func (s *stub) program(context.Context, *programRun) (jsontext.Value, error) { return nil, nil }
func (s *stub) close()                                                       {}

// The requests are those of the protocol, to the byte.
func TestRequests(t *testing.T) {
	h, s := stubbed(t, `{"protocol":1,"kind":"steps","steps":[
		{"name":"a\"b","needs":["q","r"],"timeout_ms":1500,"key":true,"case":true,"variants":[{"name":"v","deterministic":true,"timeout_ms":0,"case":false}]}],
		"score":{"deterministic":true}}`, func(r *request) (string, error) {
		switch {
		case strings.Contains(string(r.body), "step/key"):
			return `{"key":[1]}`, nil
		case strings.Contains(string(r.body), `"score"`):
			return `{"score":0.5}`, nil
		}
		return `{"output":null,"draws":null,"cost":null,"usage":{"tokens":3},"later":1}`, nil
	})
	var values pipeline.Values
	q, err := values.Intern(map[string]any{"x": 1})
	if err != nil {
		t.Fatal(err)
	}
	c := &pipeline.Case{ID: "c", Inputs: map[string]any{"q": 1}, Gold: map[string]any{"a": "g"}}
	args := pipeline.NewArgs(c, []string{"q", "r"}, []*pipeline.Value{q, q})
	observed := noise.Observed{Step: `a"b`, Call: "2", Draw: noise.Draw{Key: "k", Kind: noise.Bool, P: 0.5, Value: 1}}
	posterior, err := noise.NewPosterior(observed)
	if err != nil {
		t.Fatal(err)
	}
	ctx := noise.With(t.Context(), noise.World{Seed: 1<<64 - 1, Index: 3}.Given(posterior).Source(`a"b`, "2"))
	for _, variant := range []string{"", "v"} {
		impl, err := h.Impl(`a"b`, variant, Impl{})
		if err != nil {
			t.Fatal(err)
		}
		if out, err := impl.Run(ctx, args); err != nil || fmt.Sprint(out) != "null" {
			t.Errorf("%v, %v", out, err)
		}
	}
	if key, err := h.Key(`a"b`)(q); err != nil || fmt.Sprint(key) != "[1]" {
		t.Errorf("%v, %v", key, err)
	}
	score, err := h.Score(Impl{})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := score.Run(ctx, args); err != nil || out != 0.5 {
		t.Errorf("%v, %v", out, err)
	}
	const caseText = `{"id":"c","inputs":{"q":1},"expected":null,"gold":{"a":"g"},"tags":{}}`
	want := []string{
		`"method":"step/run","params":{"step":"a\"b","iteration":"2","inputs":{"q":{"x":1},"r":{"x":1}},"noise":{"seed":"18446744073709551615","world":"3","step":"a\"b","iteration":"2","observed":[{"key":"k","kind":"bool","p":0.5,"value":true}]},"case":` + caseText + `,"deadline_ms":1500}}` + "\n",
		`"method":"step/run","params":{"step":"a\"b","variant":"v","iteration":"2","inputs":{"q":{"x":1},"r":{"x":1}}}}` + "\n",
		`"method":"step/key","params":{"step":"a\"b","output":{"x":1}}}` + "\n",
		`"method":"score","params":{"case":` + caseText + `,"values":{"q":{"x":1},"r":{"x":1}},"deadline_ms":60000}}` + "\n",
	}
	if diff := cmp.Diff(want, s.asked); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// What a step is answered with reaches the engine: cost, draws, what is wrong.
func TestKeyOfAStep(t *testing.T) {
	h, _ := stubbed(t, `{"protocol":1,"kind":"steps","steps":[{"name":"a","key":true}]}`, func(*request) (string, error) { return `{}`, nil })
	var values pipeline.Values
	v, err := values.Intern("x")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Key("a")(v); err == nil || err.Error() != `the host gave a wrong key of step a: there is no "key" in {}` {
		t.Error(err)
	}
	if h.Key("b") != nil {
		t.Error("a step that isn't there has a key")
	}
}

// An input of a program that has variants is a player.
func TestInputOfAProgramIsAPlayer(t *testing.T) {
	h, _ := python(t, 1, "program.py", "input")
	cases := []pipeline.Case{{ID: "one", Inputs: map[string]any{"goal": 1}, Expected: map[string]any{"total": 202, "rounds": 3}}}
	r := analyse(t, h, cases, blame.Options{})
	if r.Cases[0].FixAlone.Get("goal") != 1 || !r.Pipeline.Steps[0].Input {
		t.Errorf("%s", text(t, r))
	}
}

// A recording of a program's step holds its inputs by name.
func TestRecordedProgram(t *testing.T) {
	h, _ := python(t, 1, "program.py")
	c := agentCases(1)[0]
	c.Recording = map[string]pipeline.Recorded{
		"look":  {Inputs: map[string]any{"n": 0, "have": []any{}}, Output: []any{5, 6}},
		"shard": {Inputs: map[string]any{"n": 0}, Output: 1}, // never asked for
	}
	c.Expected = map[string]any{"total": 211, "rounds": 1}
	r := analyse(t, h, []pipeline.Case{c}, blame.Options{})
	if !r.Cases[0].Passed {
		t.Errorf("%s", text(t, r))
	}
}

// Processes are started when they are needed, and no more than there may be.
func TestWorkers(t *testing.T) {
	h, log := open(t, "slow", func(o *Options) { o.Workers = 3 })
	if n := len(pids(t, log)); n != 1 {
		t.Errorf("%d processes before anything is asked", n)
	}
	if _, err := runStep(t, h, "a", "x"); err != nil {
		t.Fatal(err)
	}
	if n := len(pids(t, log)); n != 1 {
		t.Errorf("%d processes for one run at a time", n)
	}
	var running sync.WaitGroup
	for i := range 200 {
		running.Go(func() {
			if out, err := runStep(t, h, "a", fmt.Sprint(i)); err != nil || out != fmt.Sprintf(`"a:%d"`, i) {
				t.Errorf("%s, %v", out, err)
			}
		})
	}
	running.Wait()
	for end := time.Now().Add(20 * time.Second); len(pids(t, log)) != 3; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("there are %d processes", len(pids(t, log)))
		}
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("HOST_TEST_SEEN", "1")
	for _, test := range []struct {
		env  []string
		want string
	}{{nil, "seen <1>"}, {[]string{"HOST_TEST_SEEN"}, "seen <1>"}, {[]string{}, "seen <>"}} {
		log := &lines{}
		_, err := Open(t.Context(), Options{Command: []string{"sh", "-c", `echo "seen <$HOST_TEST_SEEN>" >&2`}, Env: test.env, Log: log.add})
		if err == nil || !strings.HasSuffix(err.Error(), "\n  "+test.want) {
			t.Errorf("%v: %v", test.env, err)
		}
	}
}

func TestSplit(t *testing.T) {
	for command, want := range map[string][]string{
		"":                    nil,
		"  ":                  nil,
		"python -m my_app":    {"python", "-m", "my_app"},
		"python 'my app.py'":  {"sh", "-c", "python 'my app.py'"},
		"cd x && python y.py": {"sh", "-c", "cd x && python y.py"},
	} {
		if diff := cmp.Diff(want, Split(command)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", command, diff)
		}
	}
}

// A run that tells that it goes on isn't taken to hang. It tells so twenty times
// before it would be, as a busy machine may stop it for long.
func TestProgress(t *testing.T) {
	h, _ := open(t, "progress", func(o *Options) { o.HangTimeout = 2 * time.Second })
	if out, err := runStep(t, h, "a", "x"); err != nil || out != `"a:x"` {
		t.Errorf("%s, %v", out, err)
	}
	if s := h.Stats(); s.Restarts != 0 {
		t.Errorf("%+v", s)
	}
}

func TestLog(t *testing.T) {
	heard := &lines{}
	l := &log{name: "py", out: heard.add}
	fmt.Fprintf(l, "one\ntw")
	fmt.Fprintf(l, "o\r\n\tthree \x1b[0m\n%s\nlast", strings.Repeat("x", longestLine+1))
	l.flush()
	want := []string{"py: one", "py: two", `py:     three \x1b[0m`, "py: " + strings.Repeat("x", longestLine), "py: x", "py: last"}
	if diff := cmp.Diff(want, heard.text); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if after := l.after(); after != ": last" {
		t.Error(after)
	}
}
