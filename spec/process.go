package spec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// An ask puts a question, a JSON object on one line, to something outside of
// this program and returns its answer.
type ask func(ctx context.Context, question []byte) (jsontext.Value, error)

// temporary is the exit status that says "try again later" (EX_TEMPFAIL of
// sysexits.h).
const temporary = 75

// grace is how long a process that was asked to end may take before it is killed.
const grace = time.Second

// process is a program that is run once for each question: the question on its
// standard input, the answer on its standard output.
type process struct {
	name  string // for messages
	argv  []string
	dir   string
	env   []string // the names of the variables it gets; nil: all
	limit int      // of its output, in bytes
	// timeout is for messages: the engine ends the context.
	timeout time.Duration
	where   string // the line of the declaration
}

// ask runs the program. Its process group ends with the run, however that ends.
func (p *process) ask(ctx context.Context, question []byte) (jsontext.Value, error) {
	program, err := p.find()
	if err != nil {
		return nil, &pipeline.FaultError{Err: fmt.Errorf("%s: %w", p.where, err)}
	}
	running, stop := context.WithCancel(ctx)
	defer stop()
	out := &capture{limit: p.limit, full: stop}
	var log tail
	cmd := exec.CommandContext(running, program, p.argv[1:]...)
	cmd.Args[0] = p.argv[0]
	cmd.Dir = p.dir
	cmd.Env = p.environment()
	cmd.Stdin = bytes.NewReader(question)
	cmd.Stdout, cmd.Stderr = out, &log
	cmd.WaitDelay = grace
	contain(cmd)
	// The thread that starts a process must outlive it where the kernel is to
	// end the process when its parent dies: see contain.
	runtime.LockOSThread()
	err = cmd.Run()
	runtime.UnlockOSThread()
	if cmd.Process != nil {
		killGroup(cmd)
	}
	if out.over {
		return nil, fmt.Errorf("%s printed more than %d bytes (max_output)", p.name, p.limit)
	}
	if ctx.Err() != nil {
		return nil, stopped(ctx, p.name, p.timeout)
	}
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return nil, p.failure(cmd, err, &log)
	}
	v, err := readJSON(out.bytes.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%s %s", p.name, misprint(out.bytes.Bytes(), err, &log))
	}
	return v, nil
}

// find finds the program: in the declaration's folder when it is given with a
// slash, else in the PATH of this program.
func (p *process) find() (string, error) {
	name := p.argv[0]
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(p.dir, full)
		}
		if info, err := os.Stat(full); err != nil {
			return "", fmt.Errorf("the program %q: %s", name, openFault(err))
		} else if info.IsDir() {
			return "", fmt.Errorf("the program %q is a folder", name)
		}
		return full, nil
	}
	full, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("the program %q is not in PATH", name)
	}
	return filepath.Abs(full)
}

func (p *process) environment() []string {
	if p.env == nil {
		return nil
	}
	env := []string{}
	for _, name := range p.env {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// failure words why a process didn't end well.
func (p *process) failure(cmd *exec.Cmd, err error, log *tail) error {
	state := cmd.ProcessState
	if state == nil { // it never started
		for _, lasting := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOEXEC} {
			if errors.Is(err, lasting) {
				return &pipeline.FaultError{Err: fmt.Errorf("%s: starting the program %q: %s", p.where, p.argv[0], openFault(err))}
			}
		}
		// Too many processes or open files, no memory, a text being written.
		return pipeline.Transient(fmt.Errorf("starting %s: %s", p.name, openFault(err)))
	}
	if state.Success() {
		return fmt.Errorf("talking to %s: %w", p.name, err)
	}
	if code := state.ExitCode(); code >= 0 {
		err := fmt.Errorf("%s ended with exit status %d%s", p.name, code, log.after())
		if code == temporary {
			return pipeline.Transient(err)
		}
		return err
	}
	return fmt.Errorf("%s was ended by a signal: %s%s", p.name, strings.TrimPrefix(state.String(), "signal: "), log.after())
}

// stopped words the end of a context.
func stopped(ctx context.Context, who string, timeout time.Duration) error {
	if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%s was stopped: %w", who, context.Cause(ctx))
	}
	if timeout > 0 {
		return pipeline.Transient(fmt.Errorf("%s timed out after %v", who, timeout))
	}
	return pipeline.Transient(fmt.Errorf("%s ran out of time", who))
}

// misprint words what is wrong with an answer.
func misprint(out []byte, err error, log *tail) string {
	var fault *notJSON
	if !errors.As(err, &fault) {
		return err.Error()
	}
	text := strings.TrimSpace(string(out))
	switch {
	case fault.nothing:
		return "gave no output" + log.after()
	case fault.rest:
		return fmt.Sprintf("gave something after its JSON output: %s (logs belong on standard error)", excerpt(strings.TrimSpace(string(out[fault.offset:])), 80))
	}
	return fmt.Sprintf("gave output that isn't JSON (%s): %s", fault.text, excerpt(text, 80))
}
