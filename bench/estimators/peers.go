package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
)

//go:embed peers.py
var script string

// packages are what the peers need. All versions that matter are fixed.
func packages() []string {
	xgboost := "xgboost-cpu"
	if runtime.GOOS != "linux" {
		xgboost = "xgboost"
	}
	return []string{"shapiq==1.8.0", "shap==0.51.0", "numpy", "scipy", "scikit-learn", xgboost, "lightgbm"}
}

// python returns the newest Python from 3.12 on: of the path, or of pyenv.
func python(ctx context.Context) (string, error) {
	names := []string{"python3.14", "python3.13", "python3.12", "python3"}
	home, _ := os.UserHomeDir()
	versions, _ := filepath.Glob(filepath.Join(home, ".pyenv", "versions", "3.1[2-9]*", "bin", "python"))
	slices.Reverse(versions)
	for _, name := range append(names, versions...) {
		check := exec.CommandContext(ctx, name, "-c", "import sys, venv; sys.exit(sys.version_info < (3, 12))")
		if check.Run() == nil {
			return name, nil
		}
	}
	return "", errors.New("no Python 3.12 or later found, which shapiq 1.8 needs: name one with -python")
}

// environment makes the virtual environment with the peers, unless it is there,
// and returns its Python.
func environment(ctx context.Context, dir, base string, log io.Writer) (string, error) {
	bin := filepath.Join(dir, "bin", "python")
	if runtime.GOOS == "windows" {
		bin = filepath.Join(dir, "Scripts", "python.exe")
	}
	if exec.CommandContext(ctx, bin, "-c", "import shapiq, shap, lightgbm, xgboost").Run() == nil {
		return bin, nil
	}
	if base == "" {
		var err error
		if base, err = python(ctx); err != nil {
			return "", err
		}
	}
	fmt.Fprintf(log, "installing the peers into %s, once\n", dir)
	if out, err := exec.CommandContext(ctx, base, "-m", "venv", dir).CombinedOutput(); err != nil {
		return "", fmt.Errorf("make a virtual environment: %w: %s", err, tail(out))
	}
	install := append([]string{"-m", "pip", "install", "--quiet", "--only-binary", ":all:"}, packages()...)
	if out, err := exec.CommandContext(ctx, bin, install...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("install the peers (needs a network): %w: %s", err, tail(out))
	}
	return bin, nil
}

// tail returns the end of a program's output.
func tail(out []byte) string {
	s := strings.TrimSpace(string(out))
	return s[max(0, len(s)-400):]
}

// peers is the running Python process.
type peers struct {
	Versions map[string]string `json:"versions"`
	Methods  []string          `json:"methods"`

	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	log *lastLines
}

// lastLines keeps the end of what the process writes to standard error.
type lastLines struct {
	mu  sync.Mutex
	end []byte
}

func (l *lastLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end = append(l.end, p...)
	l.end = l.end[max(0, len(l.end)-4096):]
	return len(p), nil
}

func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return tail(l.end)
}

// startPeers starts the process, on one core.
func startPeers(ctx context.Context, bin string) (*peers, error) {
	p := &peers{cmd: exec.CommandContext(ctx, bin, "-c", script), log: &lastLines{}}
	p.cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1", "MKL_NUM_THREADS=1", "TQDM_DISABLE=1")
	p.cmd.Stderr = p.log
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start peers: %w", err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start peers: %w", err)
	}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start peers: %w", err)
	}
	p.in, p.out = in, bufio.NewReaderSize(out, 1<<20)
	if err := p.read(p); err != nil {
		return nil, fmt.Errorf("start peers: %w", err)
	}
	return p, nil
}

func (p *peers) read(v any) error {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("peers stopped: %w: %s", err, p.log)
	}
	if err := json.Unmarshal(line, v); err != nil {
		return fmt.Errorf("peers answered %.80q: %w", line, err)
	}
	return nil
}

// id is a short hash of all versions, by which answers are kept.
func (p *peers) id() string {
	var parts []string
	for name, version := range p.Versions {
		parts = append(parts, name+" "+version)
	}
	sort.Strings(parts)
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n") + script))
	return fmt.Sprintf("%x", sum)[:16]
}

// ask has the methods answer a job, and hands each answer on.
func (p *peers) ask(j job, table string, methods []string, got func(answer) error) error {
	request, err := json.Marshal(map[string]any{
		"id": 0, "table": table, "n": j.game.players, "budget": j.budget() + 2, "seed": j.seed,
		"methods": methods, "trace": j.game.pipeline != nil,
	})
	if err != nil {
		return fmt.Errorf("ask peers: %w", err)
	}
	if _, err := p.in.Write(append(request, '\n')); err != nil {
		return fmt.Errorf("ask peers: %w: %s", err, p.log)
	}
	for range methods {
		var a struct {
			answer
			Order []uint64 `json:"asked"`
		}
		if err := p.read(&a); err != nil {
			return fmt.Errorf("ask peers: %w", err)
		}
		a.Game, a.Budget, a.Seed = j.game.key, j.budget()+2, j.seed
		if j.game.pipeline != nil {
			a.Runs = j.game.pipeline.runs(a.Order)
		}
		if err := got(a.answer); err != nil {
			return err
		}
	}
	return nil
}

// stop ends the process.
func (p *peers) stop() error {
	p.in.Close()
	return p.cmd.Wait()
}
