package host

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/agentblame/agentblame/outside"
)

// process is a child process whose standard input and output are a stream.
type process struct {
	io.Reader
	io.Writer
	cmd    *exec.Cmd
	log    *log
	in     io.Closer
	out    io.Closer
	exited chan struct{} // closed when the process has ended
	stop   sync.Once
}

// startProcess starts a host's command. Its log lines go to log.
func startProcess(o *Options, log *log) (*process, error) {
	program, err := outside.FindProgram(o.Command[0], o.Dir)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(program, o.Command[1:]...)
	cmd.Args[0] = o.Command[0]
	cmd.Dir = o.Dir
	cmd.Env = outside.Environment(o.Env)
	if cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	// Tells an SDK that standard output is for messages before the first print.
	cmd.Env = append(cmd.Env, "AGENTBLAME_HOST=1")
	cmd.Stderr = log
	cmd.WaitDelay = grace // what the process has started may keep standard error open
	outside.Contain(cmd)
	// Pipes of our own: those of exec are closed when the process ends, with what
	// it has written last perhaps unread.
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		inRead.Close()
		inWrite.Close()
		return nil, err
	}
	cmd.Stdin, cmd.Stdout = inRead, outWrite
	p := &process{Reader: outRead, Writer: inWrite, in: inWrite, out: outRead, cmd: cmd, log: log, exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		// The thread that starts a process must outlive it where the kernel is to
		// end the process when its parent dies: see outside.Contain.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		inRead.Close()
		outWrite.Close()
		if err != nil {
			started <- err
			return
		}
		release := guard(cmd)
		started <- nil
		cmd.Wait()
		outside.KillGroup(cmd)
		release()
		log.flush()
		close(p.exited)
		// Whoever has left the group may keep the pipe open.
		time.AfterFunc(grace, func() { outRead.Close() })
	}()
	if err := <-started; err != nil {
		inWrite.Close()
		outRead.Close()
		return nil, fmt.Errorf("starting the program %q: %s", o.Command[0], outside.FileFault(err))
	}
	return p, nil
}

// grace is how long a process that was asked to end may take.
const grace = time.Second

// Close ends the process: the end of its input first, then a request, then by
// killing. It may be called while the stream is read.
func (p *process) Close() error {
	p.stop.Do(func() {
		p.in.Close()
		select {
		case <-p.exited:
		case <-time.After(grace):
			outside.Terminate(p.cmd)
			select {
			case <-p.exited:
			case <-time.After(grace):
				p.kill()
			}
		}
		<-p.exited
		p.out.Close()
	})
	return nil
}

// kill ends the process and its group at once.
func (p *process) kill() {
	p.cmd.Process.Kill()
	outside.KillGroup(p.cmd)
}

// ending says how the process ended, once it has.
func (p *process) ending() string {
	select {
	case <-p.exited:
	case <-time.After(grace):
		return "closed its standard output"
	}
	state := p.cmd.ProcessState
	if code := state.ExitCode(); code >= 0 {
		return fmt.Sprintf("ended with exit status %d", code)
	}
	return "was ended by a signal: " + strings.TrimPrefix(state.String(), "signal: ")
}

// endedWell says whether the process has ended without a fault.
func (p *process) endedWell() bool {
	select {
	case <-p.exited:
		return p.cmd.ProcessState.Success()
	default:
		return false
	}
}
