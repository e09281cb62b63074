//go:build unix

package spec

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// script loads a pipeline of one step that is a shell script.
func script(t testing.TB, text, options string) *File {
	t.Helper()
	dir := write(t, map[string]string{
		"step.sh": text,
		"agentblame.yaml": `
inputs: [q]
steps:
  a:
    needs: [q]
    run: {exec: [sh, step.sh]}
` + options + `
score: {equals: expected}
`})
	f, err := Load(filepath.Join(dir, "agentblame.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestProcess(t *testing.T) {
	tests := []struct {
		name, script, options string
		want, err, kind       string
	}{
		{name: "a number", script: `echo 42`, want: "42"},
		{name: "no line end, white space", script: `printf '\n {"a": [1, 2]} '`, want: `{"a":[1,2]}`},
		{name: "big integers keep their digits", script: `echo 123456789012345678901234567890`, want: "123456789012345678901234567890"},
		{name: "the question", script: `cat`, want: `{"inputs":{"q":"hi"},"noise":{"iteration":"1","seed":7,"step":"a","world":2}}`},
		{name: "the question is one line", script: `wc -l`, want: "1"},
		{name: "a deterministic step gets no noise", script: `cat`, options: "    deterministic: true", want: `{"inputs":{"q":"hi"}}`},
		{name: "it runs in the file's folder", script: `test -f agentblame.yaml && echo true`, want: "true"},
		{name: "standard error is ignored", script: `echo 1; echo oh >&2`, want: "1"},
		{name: "exit status", script: `exit 3`, err: "sh ended with exit status 3", kind: "error"},
		{name: "exit status with a message", script: `echo boom >&2; exit 1`, err: "sh ended with exit status 1: boom", kind: "error"},
		{name: "two lines", script: `echo boom >&2; echo bang >&2; exit 1`, err: "sh ended with exit status 1: boom / bang", kind: "error"},
		{name: "more lines", script: `printf 'Traceback:\n  line\n\tline\nValueError: x\n\n' >&2; exit 1`, err: "sh ended with exit status 1: Traceback: … ValueError: x", kind: "error"},
		{name: "control characters", script: `printf '\033[31mred\033[0m\r\a \342\200\256 \377' >&2; exit 1`, err: `sh ended with exit status 1: \x1b[31mred\x1b[0m\r\a \u202e \xff`, kind: "error"},
		{name: "a flood on standard error", script: `head -c 50000000 /dev/zero | tr '\0' 'x' >&2; echo >&2; echo last >&2; exit 1`, err: "sh ended with exit status 1: last", kind: "error"},
		{name: "try again later", script: `exit 75`, err: "sh ended with exit status 75", kind: "transient"},
		{name: "a signal", script: `kill -KILL $$`, err: "sh was ended by a signal: killed", kind: "error"},
		{name: "another signal", script: `echo oh >&2; kill -SEGV $$`, err: "sh was ended by a signal: segmentation fault: oh", kind: "error"},
		{name: "nothing", script: `true`, err: "sh gave no output", kind: "error"},
		{name: "white space only", script: `echo; echo no answer >&2`, err: "sh gave no output: no answer", kind: "error"},
		{name: "not JSON", script: `printf 'loading model…\n{"a": 1}'`, err: `sh gave output that isn't JSON (invalid character 'l' at start of value): loading model…\n{"a": 1}`, kind: "error"},
		{name: "half JSON", script: `printf '{"a": 1'`, err: `sh gave output that isn't JSON (it ends in the middle of a value): {"a": 1`, kind: "error"},
		{name: "two values", script: `echo '{"a": 1}'; echo done`, err: `sh gave something after its JSON output: done (logs belong on standard error)`, kind: "error"},
		{name: "NaN", script: `echo '{"score": NaN}'`, err: `sh gave output that isn't JSON (JSON has no NaN): {"score": NaN}`, kind: "error"},
		{name: "infinity", script: `echo -Infinity`, err: `sh gave output that isn't JSON (JSON has no Infinity): -Infinity`, kind: "error"},
		{name: "a name twice", script: `echo '{"a": 1, "a": 2}'`, err: `sh gave output that isn't JSON (the name "a" is given twice in one object): {"a": 1, "a": 2}`, kind: "error"},
		{name: "not UTF-8", script: `printf '"\377"'`, err: `sh gave output that isn't JSON (invalid UTF-8): "\xff"`, kind: "error"},
		{name: "50 MB", script: `head -c 50000000 /dev/zero | tr '\0' '1'`, err: "sh printed more than 16777216 bytes (max_output)", kind: "error"},
		{name: "without end", script: `yes`, err: "sh printed more than 16777216 bytes (max_output)", kind: "error"},
		{name: "just the limit", script: `printf 12345`, options: "    max_output: 5", want: "12345"},
		{name: "just above the limit", script: `printf 123456`, options: "    max_output: 5", err: "sh printed more than 5 bytes (max_output)", kind: "error"},
		{name: "the environment", script: `echo "\"$SPEC_TEST $HOME\""`, options: "    env: [SPEC_TEST]", want: `"here "`},
		{name: "an empty environment", script: `echo "\"$SPEC_TEST\""`, options: "    env: []", want: `""`},
		{name: "the whole environment", script: `echo "\"$SPEC_TEST\""`, want: `"here"`},
	}
	t.Setenv("SPEC_TEST", "here")
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := script(t, test.script, test.options)
			got, err := runStep(t, t.Context(), f, "a", "", newCase(`{}`, ""), map[string]any{"q": "hi"})
			message := ""
			if err != nil {
				message = err.Error()
			}
			if test.kind == "" {
				test.kind = "ok"
			}
			if diff := cmp.Diff([]string{test.want, test.err, test.kind}, []string{got, message, kindOf(err)}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestProcessIgnoresItsInput(t *testing.T) {
	f := script(t, `exec <&-; echo 1`, "")
	got, err := runStep(t, t.Context(), f, "a", "", newCase(`{}`, ""), map[string]any{"q": strings.Repeat("x", 4<<20)})
	if got != "1" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestPrograms(t *testing.T) {
	dir := write(t, map[string]string{
		"step":   "#!/bin/sh\necho 1\n",
		"nobody": "#!/nowhere/sh\necho 1\n",
		"plain":  "no program",
		"agentblame.yaml": `
steps:
  here: {run: {exec: [./step]}}
  shell: {run: "echo '\"a b\"' | tr b c"}
  list: {run: [./step]}
  broken: {run: "echo oh >&2; exit 4"}
  missing: {run: {exec: [no-such-program-here]}}
  gone: {run: {exec: [./gone]}}
  folder: {run: {exec: [./]}}
  nobody: {run: {exec: [./nobody]}}
  plain: {run: {exec: [./plain]}}
score: {equals: expected}
`})
	if err := os.Chmod(filepath.Join(dir, "plain"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "agentblame.yaml")
	f, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ step, want, err, kind string }{
		{step: "here", want: "1", kind: "ok"},
		{step: "shell", want: `"a c"`, kind: "ok"},
		{step: "list", want: "1", kind: "ok"},
		{step: "broken", err: `"echo oh >&2; exit 4" ended with exit status 4: oh`, kind: "error"},
		{step: "missing", err: `line 7 of the pipeline's file: the program "no-such-program-here" is not in PATH`, kind: "fault"},
		{step: "gone", err: `line 8 of the pipeline's file: the program "./gone": there is no such file`, kind: "fault"},
		{step: "folder", err: `line 9 of the pipeline's file: the program "./" is a folder`, kind: "fault"},
		{step: "nobody", err: `line 10 of the pipeline's file: starting the program "./nobody": there is no such file`, kind: "fault"},
		{step: "plain", err: `line 11 of the pipeline's file: starting the program "./plain": permission denied`, kind: "fault"},
	} {
		t.Run(test.step, func(t *testing.T) {
			got, err := runStep(t, t.Context(), f, test.step, "", newCase(`{}`, ""), nil)
			message := ""
			if err != nil {
				message = err.Error()
			}
			if diff := cmp.Diff([]string{test.want, test.err, test.kind}, []string{got, message, kindOf(err)}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// awaitPID waits for a script to write a process' number into a file.
func awaitPID(t *testing.T, path string) int {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if text, err := os.ReadFile(path); err == nil && strings.HasSuffix(string(text), "\n") {
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatalf("nobody wrote %s", path)
	return 0
}

// awaitEnd waits until a process has ended, or is a zombie that nobody has
// fetched.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if syscall.Kill(pid, 0) != nil {
			return
		}
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if i := strings.LastIndexByte(string(stat), ')'); err == nil && strings.HasPrefix(string(stat[i+1:]), " Z") {
			return
		}
	}
	t.Errorf("process %d still runs", pid)
}

func TestProcessGroupEnds(t *testing.T) {
	for _, test := range []struct{ name, script string }{
		{"a child", `sleep 1000 & echo $! > pid; wait`},
		{"a child that holds on to the output", `sleep 1000 & echo $! > pid; sleep 1000`},
		{"a child that ignores the request to end", `sh -c 'trap "" TERM; echo $$ > pid; while :; do sleep 0.1; done' & wait`},
		{"the process ignores the request to end", `trap "" TERM; echo $$ > pid; while :; do sleep 0.1; done`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := script(t, test.script, "    timeout: 90")
			ctx, cancel := context.WithCancelCause(t.Context())
			go func() {
				awaitPID(t, filepath.Join(f.Dir, "pid"))
				cancel(errors.New("interrupted"))
			}()
			_, err := runStep(t, ctx, f, "a", "", newCase(`{}`, ""), map[string]any{"q": 1})
			if err == nil || err.Error() != "sh was stopped: interrupted" || kindOf(err) != "error" {
				t.Errorf("got the error %v (%s)", err, kindOf(err))
			}
			awaitEnd(t, awaitPID(t, filepath.Join(f.Dir, "pid")))
		})
	}
}

func TestProcessTimesOut(t *testing.T) {
	f := script(t, `sleep 1000`, "    timeout: 1m30s")
	if got := f.Pipeline.Steps[0].Impls[0].Timeout; got != 90*time.Second {
		t.Fatalf("the time-out is %v", got)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := runStep(t, ctx, f, "a", "", newCase(`{}`, ""), map[string]any{"q": 1})
	if err == nil || err.Error() != "sh timed out after 1m30s" || kindOf(err) != "transient" {
		t.Errorf("got the error %v (%s)", err, kindOf(err))
	}
}

// What a process leaves behind doesn't hold up its answer, and ends with it.
func TestProcessLeavesOneBehind(t *testing.T) {
	f := script(t, `sleep 1000 & echo $! > pid; echo 1`, "")
	got, err := runStep(t, t.Context(), f, "a", "", newCase(`{}`, ""), map[string]any{"q": 1})
	if got != "1" || err != nil {
		t.Errorf("got %s, %v", got, err)
	}
	awaitEnd(t, awaitPID(t, filepath.Join(f.Dir, "pid")))
}

// TestProcessOfTheDead checks that a step's process ends when this program is
// killed: it kills a copy of the test program that runs a step.
func TestProcessOfTheDead(t *testing.T) {
	if dir := os.Getenv("SPEC_TEST_VICTIM"); dir != "" {
		f, err := Load(filepath.Join(dir, "agentblame.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		runStep(t, t.Context(), f, "a", "", newCase(`{}`, ""), map[string]any{"q": 1})
		return
	}
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("only Linux ends the processes of a program that was killed")
	}
	f := script(t, `echo $$ > pid; exec sleep 1000`, "")
	victim := exec.Command(os.Args[0], "-test.run=^TestProcessOfTheDead$")
	victim.Env = append(os.Environ(), "SPEC_TEST_VICTIM="+f.Dir)
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	pid := awaitPID(t, filepath.Join(f.Dir, "pid"))
	victim.Process.Kill()
	victim.Wait()
	awaitEnd(t, pid)
}

func TestTail(t *testing.T) {
	var log tail
	for i := range 3000 {
		log.Write([]byte(strconv.Itoa(i) + "\n"))
	}
	log.Write([]byte(strings.Repeat("x", 100)))
	if len(log.bytes) != tailSize {
		t.Errorf("it keeps %d bytes", len(log.bytes))
	}
	if got := log.after(); !strings.HasSuffix(got, "… "+strings.Repeat("x", 100)) || !strings.HasPrefix(got, ": 2") {
		t.Errorf("got %s", got)
	}
}
