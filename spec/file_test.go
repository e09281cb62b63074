package spec

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/google/go-cmp/cmp"
)

// how is how an implementation is run.
type how struct {
	Name             string
	Cost             float64
	Timeout          time.Duration
	Retries          int
	Opaque, Blocking bool
}

func hows(impls []pipeline.Impl) []how {
	var out []how
	for _, i := range impls {
		out = append(out, how{i.Name, i.Cost, i.Timeout, i.Retries, i.Opaque, i.Blocking})
	}
	return out
}

func TestDefaults(t *testing.T) {
	f := declare(t, `
inputs:
  question:
    variants:
      clarified: {gold: true}
      asked: {exec: [ask], cost: 3}
  user:
steps:
  plain:
    run: {exec: [x]}
    variants:
      a: {http: "http://x"}
      b: {value: 1}
      c: x | y
  told:
    cost: 2.5
    timeout: 1m30s
    retries: 0
    deterministic: true
    concurrency: 3
    run: {http: "http://x"}
    variants:
      a: {exec: [x]}
      b: {exec: [x], cost: 0, timeout: 0.5, retries: 9, deterministic: false}
      c: {expr: 1, cost: 4}
score: {exec: [x]}
`)
	if f.Name != "pipeline" || f.Pipeline.Name != "pipeline" {
		t.Errorf("it is named %q and %q", f.Name, f.Pipeline.Name)
	}
	if diff := cmp.Diff(Settings{}, f.Blame); diff != "" {
		t.Errorf("settings (-want +got)\n%s", diff)
	}
	got := map[string][]how{"score": hows([]pipeline.Impl{f.Pipeline.Score.Impl})}
	for _, s := range f.Pipeline.Steps {
		got[s.Name] = hows(s.Impls)
	}
	minute := time.Minute
	want := map[string][]how{
		"question": {{}, {Name: "clarified"}, {"asked", 3, minute, 2, true, true}},
		"plain":    {{"", 1, minute, 2, true, true}, {"a", 1, minute, 2, true, true}, {Name: "b", Cost: 1}, {"c", 1, minute, 2, true, true}},
		"told": {
			{"", 2.5, 90 * time.Second, 0, false, true}, {"a", 2.5, 90 * time.Second, 0, false, true},
			{"b", 0, 500 * time.Millisecond, 9, true, true}, {Name: "c", Cost: 4},
		},
		"score": {{"", 0, minute, 2, true, true}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"question", "plain", "told"}, f.Pipeline.StepNames()); diff != "" {
		t.Errorf("the order of steps (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]string{"question", "user"}, f.Pipeline.Inputs); diff != "" {
		t.Errorf("inputs (-want +got)\n%s", diff)
	}
	if got := f.Pipeline.Steps[2].Concurrency; got != 3 {
		t.Errorf("the concurrency is %d", got)
	}
}

func TestSettings(t *testing.T) {
	f := declare(t, `
name: refund
inputs: [question: {variants: {clarified: {gold: true}}}, user]
steps:
  a: {run: {exec: [x]}, variants: {v: {value: 1}, w: {value: 2}}}
score: {equals: expected}
pass: 0.5
blame:
  mode: posterior
  method: permutation
  players: calls
  fixes: {a: w, question: clarified}
  worlds: 8
  seed: 9007199254740991
  delta: 0.01
  width: 0.1
  budget: 500
  concurrency: 8
  timeout: 2s
  retries: 5
  nodes: 1000
  keep_cases: 20
`)
	seed, pass, budget, timeout, retries := uint64(1<<53-1), 0.5, 500.0, 2*time.Second, 5
	want := Settings{
		Mode: "posterior", Method: "permutation", Players: "calls", Fixes: map[string]string{"a": "w", "question": "clarified"},
		Worlds: 8, Seed: &seed, Pass: &pass, Delta: 0.01, Stop: "width", Width: 0.1, Budget: &budget, Concurrency: 8,
		Timeout: &timeout, Retries: &retries, Nodes: 1000, KeepCases: 20,
	}
	if diff := cmp.Diff(want, f.Blame); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := f.Pipeline.Steps[1].Impls[0]; got.Timeout != timeout || got.Retries != retries {
		t.Errorf("the step times out after %v and is retried %d times", got.Timeout, got.Retries)
	}
}

func TestAnchorsAndMerges(t *testing.T) {
	f := declare(t, `
steps:
  a: &step
    run: &run {value: &v {x: [1, 2]}}
    cost: 3
    variants: {v: *run}
  b:
    <<: *step
    needs: [a]
    cost: 4
  c:
    <<: [{cost: 5}, *step]
score: {equals: {value: *v}, of: b}
`)
	var costs []float64
	for _, s := range f.Pipeline.Steps {
		costs = append(costs, s.Impls[0].Cost, s.Impls[1].Cost)
	}
	if diff := cmp.Diff([]float64{3, 3, 4, 4, 5, 5}, costs); diff != "" {
		t.Errorf("costs (-want +got)\n%s", diff)
	}
	if got, err := replay(t, f.Pipeline, newCase(`{}`, ""), nil); got != 1.0 || err != nil {
		t.Errorf("the score is %v, %v", got, err)
	}
}

// Aliases that would fill the memory are a fault.
func TestAliasBombs(t *testing.T) {
	var bomb, merges strings.Builder
	bomb.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x]\n")
	merges.WriteString("m0: &m0 {x: 1}\n")
	for i := range 12 {
		bomb.WriteString(strings.NewReplacer("N", string(rune('a'+i+1)), "P", string(rune('a'+i))).Replace("aN: &aN [*aP, *aP, *aP, *aP, *aP, *aP, *aP, *aP]\n"))
		merges.WriteString(strings.NewReplacer("N", string(rune('a'+i+1)), "P", string(rune('a'+i))).Replace("mN: &mN {<<: [*mP, *mP, *mP, *mP, *mP, *mP, *mP, *mP]}\n"))
	}
	declaration := strings.NewReplacer("&a0", "&aa", "&m0", "&ma").Replace(bomb.String() + merges.String())
	for _, use := range []string{"steps:\n  a: {run: {value: *am}}\n", "steps:\n  a: *mm\n"} {
		_, err := load("x.yaml", []byte(declaration+use+"score: {equals: expected}\n"))
		if err == nil || !strings.Contains(err.Error(), "aliases stand for more than 16 MiB") {
			t.Errorf("%s: got the error %.200v", use, err)
		}
	}
}

// A version tells what would run differently, and nothing else.
func TestVersions(t *testing.T) {
	version := func(step string) string {
		dir := write(t, map[string]string{"a.py": "one", "b.py": "two", "same.py": "one"})
		path := filepath.Join(dir, "agentblame.yaml")
		if err := os.WriteFile(path, []byte("inputs: [q, r]\nsteps:\n  a: {needs: [q], "+step+"}\nscore: {equals: expected}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		return f.Pipeline.Steps[0].Impls[0].Version
	}
	same := [][2]string{
		{`run: {exec: [python3, a.py]}`, `run: [python3, a.py], cost: 3, timeout: 3, retries: 1, env: [A], max_output: 9`},
		{`run: {value: {a: 1}}`, `run: {"value": {"a": 1}}`},
	}
	for _, pair := range same {
		if version(pair[0]) != version(pair[1]) {
			t.Errorf("%s and %s have different versions", pair[0], pair[1])
		}
	}
	seen := map[string]string{}
	for _, step := range []string{
		`run: {exec: [python3, a.py]}`, `run: {exec: [python3, b.py]}`, `run: {exec: [python3, same.py]}`, `run: {exec: [python3, a.py, ""]}`,
		`run: {exec: [python3, a.py]}, deterministic: true`, `run: {exec: [python3, a.py]}, version: v2`, `run: {exec: [python3, a.py]}, version: v3`,
		`run: {exec: "python3 a.py"}`, `run: {http: "http://x/a"}`, `run: {http: "http://x/b"}`,
		`run: {http: {url: "http://x/a", headers: {A: b}}}`, `run: {http: {url: "http://x/a", headers: {A: c}}}`,
		`run: {value: 1}`, `run: {value: "1"}`, `run: {gold: true}`, `run: {expr: "1"}`, `run: {expr: "q"}`,
	} {
		v := version(step)
		if other, taken := seen[v]; taken {
			t.Errorf("%s and %s have one version", step, other)
		}
		seen[v] = step
	}
	if v := version(`run: {value: 1}, version: v2`); !strings.HasPrefix(v, "v2-") {
		t.Errorf("the version %s doesn't begin with the one given", v)
	}
}

// A script that has changed is another version.
func TestVersionOfScripts(t *testing.T) {
	dir := write(t, map[string]string{"a.py": "one", "agentblame.yaml": "steps:\n  a: {run: [python3, a.py]}\nscore: {equals: expected}\n"})
	version := func() string {
		f, err := Load(filepath.Join(dir, "agentblame.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		return f.Pipeline.Steps[0].Impls[0].Version
	}
	before := version()
	if err := os.WriteFile(filepath.Join(dir, "a.py"), []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	if version() == before {
		t.Error("the version is the same")
	}
}

func TestGold(t *testing.T) {
	f := declare(t, `
inputs: {question: {variants: {clarified: {gold: true}}}}
steps:
  a: {needs: [question], run: {expr: "question + 1"}, variants: {oracle: {gold: true}}}
score: {equals: expected}
`)
	c := newCase(`{"question": 1}`, `100000000000000000000001`)
	if got, err := replay(t, f.Pipeline, c, nil); got != 0.0 || err != nil {
		t.Errorf("as run: %v, %v", got, err)
	}
	for _, step := range []string{"a", "question"} {
		_, err := replay(t, f.Pipeline, c, map[string]string{step: ""})
		if want := "case q1 has no gold for " + step; err == nil || err.Error() != want {
			t.Errorf("got the error %v, want %s", err, want)
		}
	}
	c.Gold = newCase(`{"a": 100000000000000000000001, "question": 5}`, "").Inputs
	if got, err := replay(t, f.Pipeline, c, map[string]string{"a": ""}); got != 1.0 || err != nil {
		t.Errorf("with the oracle: %v, %v", got, err)
	}
	c.Expected = 6
	if got, err := replay(t, f.Pipeline, c, map[string]string{"question": "clarified"}); got != 1.0 || err != nil {
		t.Errorf("with the clarified question: %v, %v", got, err)
	}
}

// The example in Python is repaired by the planner, the retriever, or the writer
// and the reviewer together.
func TestPythonExample(t *testing.T) {
	f, err := Load("../examples/python-exec/agentblame.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := f.Cases()
	if err != nil {
		t.Fatal(err)
	}
	for fixes, want := range map[string]float64{"": 0, "writer reviewer": 1} {
		t.Run("with fixes "+fixes, func(t *testing.T) {
			t.Parallel() // starting Python takes its time
			set := map[string]string{}
			for _, name := range strings.Fields(fixes) {
				set[name] = ""
			}
			got, err := replay(t, f.Pipeline, cases[0], set)
			if err != nil || got != want {
				t.Errorf("got %v, %v; want %v", got, err, want)
			}
		})
	}
}

func TestLoadNothing(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.yaml"))
	if err == nil || !strings.HasSuffix(err.Error(), "none.yaml: there is no such file") {
		t.Errorf("got the error %v", err)
	}
}
