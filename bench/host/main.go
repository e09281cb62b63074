// Command host measures what running steps in another process costs.
//
//	go run ./bench/host
//	go run ./bench/host -command "python my_app.py" -step planner -inputs '{"question":"x"}'
//
// It prints how many trivial step runs go through one Python process in a second,
// with the SDK and without, beside a bare echo of JSON lines between the same two
// programs, and how long 32 runs of 100 ms take on 4 processes. With -command it
// measures a host of one's own beside the echo.
package main

import (
	"bufio"
	"context"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agentblame/agentblame/host"
	"github.com/agentblame/agentblame/noise"
	"github.com/agentblame/agentblame/pipeline"
)

//go:embed steps.py sdk.py
var scripts embed.FS

func main() {
	command := flag.String("command", "", "a host whose step is measured, in place of the benchmark's")
	step := flag.String("step", "trivial", "the step")
	inputs := flag.String("inputs", `{"text":"how long may I return it?"}`, "its inputs")
	python := flag.String("python", "python3", "the interpreter")
	sdk := flag.String("sdk", filepath.Join("sdk", "python", "src"), "where the Python SDK is")
	flag.Parse()
	if err := run(*command, *step, *inputs, *python, *sdk); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// measured is a host that is measured.
type measured struct {
	what       string
	argv       []string
	throughput []float64 // step runs a second, of each turn
}

func run(command, step, inputs, python, sdk string) error {
	dir, err := os.MkdirTemp("", "bench-host")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, scripts); err != nil {
		return err
	}
	sdk, err = filepath.Abs(sdk)
	if err != nil {
		return err
	}
	os.Setenv("PYTHONPATH", sdk)
	raw := []string{python, filepath.Join(dir, "steps.py")}
	hosts := []measured{{what: "a Python host without an SDK", argv: raw}, {what: "the Python SDK", argv: []string{python, filepath.Join(dir, "sdk.py")}}}
	if command != "" {
		hosts = []measured{{what: command, argv: host.Split(command)}}
	}
	// One after the other, several times, so that what else the machine does hits
	// all alike.
	var echoes []float64
	for range 5 {
		perSecond, err := echo(append(raw, "echo"), inputs, time.Second)
		if err != nil {
			return fmt.Errorf("echo: %w", err)
		}
		echoes = append(echoes, perSecond)
		for i := range hosts {
			h := &hosts[i]
			if perSecond, err = throughput(h.argv, step, inputs, time.Second); err != nil {
				return fmt.Errorf("step runs, %s: %w", h.what, err)
			}
			h.throughput = append(h.throughput, perSecond)
		}
	}
	bare := median(echoes)
	fmt.Printf("%8.0f a second  bare echo of JSON lines\n", bare)
	for _, h := range hosts {
		ran := median(h.throughput)
		fmt.Printf("%8.0f a second  step runs, %s: %.0f %% of the echo\n", ran, h.what, 100*ran/bare)
	}
	if command != "" {
		return nil
	}
	for _, h := range hosts {
		took, err := slow(h.argv, inputs)
		if err != nil {
			return fmt.Errorf("slow steps, %s: %w", h.what, err)
		}
		ideal := 100 * time.Millisecond
		fmt.Printf("%8v           32 runs of 100 ms at once, 4 processes, %s: %.2f × the ideal\n", took.Round(time.Millisecond), h.what, float64(took)/float64(ideal))
	}
	return nil
}

func median(of []float64) float64 {
	slices.Sort(of)
	return of[len(of)/2]
}

// window is how many requests are in flight.
const window = 64

// echo measures a bare echo of requests: lines written, lines read, and nothing
// looked at on this side.
func echo(argv []string, inputs string, length time.Duration) (perSecond float64, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	defer cmd.Wait()
	defer in.Close()
	line := []byte(`{"jsonrpc":"2.0","id":12345,"method":"step/run","params":{"step":"trivial","iteration":"1","inputs":` + inputs +
		`,"noise":{"seed":"7","world":"0","step":"trivial","iteration":"1"},"deadline_ms":60000}}` + "\n")
	lines := bufio.NewReader(out)
	places := make(chan struct{}, window)
	stop := make(chan struct{})
	failed := make(chan error, 1)
	go func() {
		w := bufio.NewWriter(in)
		for {
			select {
			case <-stop:
				return
			case places <- struct{}{}:
			default:
				if err := w.Flush(); err != nil {
					failed <- err
					return
				}
				select {
				case <-stop:
					return
				case places <- struct{}{}:
				}
			}
			w.Write(line)
		}
	}()
	defer close(stop)
	read := func() error {
		_, err := lines.ReadSlice('\n')
		<-places
		return err
	}
	if err := read(); err != nil { // it has started
		return 0, err
	}
	n, start := 0, time.Now()
	for time.Since(start) < length {
		if err := read(); err != nil {
			return 0, err
		}
		n++
	}
	return float64(n) / time.Since(start).Seconds(), nil
}

// throughput measures step runs as a replay makes them.
func throughput(argv []string, step, inputs string, length time.Duration) (perSecond float64, err error) {
	h, err := host.Open(context.Background(), host.Options{Command: argv})
	if err != nil {
		return 0, err
	}
	defer h.Close()
	impl, args, err := prepare(h, step, inputs)
	if err != nil {
		return 0, err
	}
	var n atomic.Int64
	var callers sync.WaitGroup
	errs := make(chan error, window)
	start := time.Now()
	for range window {
		callers.Go(func() {
			for time.Since(start) < length {
				ctx := noise.With(context.Background(), noise.World{Seed: 7}.Source(step, "1"))
				if _, err := impl.Run(ctx, args); err != nil {
					errs <- err
					return
				}
				n.Add(1)
			}
		})
	}
	callers.Wait()
	select {
	case err := <-errs:
		return 0, err
	default:
	}
	return float64(n.Load()) / time.Since(start).Seconds(), nil
}

func prepare(h *host.Host, step, inputs string) (pipeline.Impl, pipeline.Args, error) {
	impl, err := h.Impl(step, "", host.Impl{})
	if err != nil {
		return impl, pipeline.Args{}, err
	}
	var parts map[string]json.RawMessage
	if err := json.Unmarshal([]byte(inputs), &parts); err != nil {
		return impl, pipeline.Args{}, err
	}
	var values pipeline.Values
	var names []string
	var given []*pipeline.Value
	for name, text := range parts {
		v, err := values.InternJSON(text)
		if err != nil {
			return impl, pipeline.Args{}, err
		}
		names, given = append(names, name), append(given, v)
	}
	return impl, pipeline.NewArgs(&pipeline.Case{ID: "bench"}, names, given), nil
}

// slow measures 32 runs of 100 ms, once the processes are up.
func slow(argv []string, inputs string) (time.Duration, error) {
	h, err := host.Open(context.Background(), host.Options{Command: argv, Workers: 4})
	if err != nil {
		return 0, err
	}
	defer h.Close()
	impl, args, err := prepare(h, "slow", inputs)
	if err != nil {
		return 0, err
	}
	round := func() error {
		var callers sync.WaitGroup
		errs := make(chan error, 32)
		for range 32 {
			callers.Go(func() {
				if _, err := impl.Run(context.Background(), args); err != nil {
					errs <- err
				}
			})
		}
		callers.Wait()
		close(errs)
		return <-errs
	}
	for range 5 { // until all processes are up
		if err := round(); err != nil {
			return 0, err
		}
	}
	start := time.Now()
	err = round()
	return time.Since(start), err
}
