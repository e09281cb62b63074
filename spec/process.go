package spec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/agentblame/agentblame/outside"
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
	program, err := outside.FindProgram(p.argv[0], p.dir)
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
	cmd.Env = outside.Environment(p.env)
	cmd.Stdin = bytes.NewReader(question)
	cmd.Stdout, cmd.Stderr = out, &log
	cmd.WaitDelay = grace
	outside.Contain(cmd)
	cmd.Cancel = func() error { return outside.Terminate(cmd) } // and after the delay it is killed
	// The thread that starts a process must outlive it where the kernel is to
	// end the process when its parent dies: see outside.Contain.
	runtime.LockOSThread()
	err = cmd.Run()
	runtime.UnlockOSThread()
	if cmd.Process != nil {
		outside.KillGroup(cmd)
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

// failure words why a process didn't end well.
func (p *process) failure(cmd *exec.Cmd, err error, log *tail) error {
	state := cmd.ProcessState
	if state == nil { // it never started
		for _, lasting := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.ENOEXEC} {
			if errors.Is(err, lasting) {
				return &pipeline.FaultError{Err: fmt.Errorf("%s: starting the program %q: %s", p.where, p.argv[0], outside.FileFault(err))}
			}
		}
		// Too many processes or open files, no memory, a text being written.
		return pipeline.Transient(fmt.Errorf("starting %s: %s", p.name, outside.FileFault(err)))
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
		return fmt.Sprintf("gave something after its JSON output: %s (logs belong on standard error)", outside.Excerpt(strings.TrimSpace(string(out[fault.offset:])), 80))
	}
	return fmt.Sprintf("gave output that isn't JSON (%s): %s", fault.text, outside.Excerpt(text, 80))
}
