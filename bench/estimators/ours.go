package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/agentblame/agentblame/game"
	"github.com/agentblame/agentblame/game/estimate"
)

// oursPrefix marks our methods among all.
const oursPrefix = "ours "

// ask runs one of our estimators.
func (j job) ask(ctx context.Context, method string) (answer, error) {
	a := answer{Game: j.game.key, Budget: j.budget() + 2, Seed: j.seed, Method: oursPrefix + method}
	estimator, ok := estimate.ByName(method)
	if !ok {
		return a, fmt.Errorf("no estimator %q of ours, there are %q", method, estimate.Names())
	}
	g := estimate.FromTable(j.game.table)
	var asked []uint64
	values := g.Values
	g.Values = func(ctx context.Context, c []game.Coalition) ([]float64, error) {
		for _, c := range c {
			asked = append(asked, c.Mask())
		}
		return values(ctx, c)
	}
	start := time.Now()
	e, err := estimator(ctx, g, j.budget(), uint64(j.seed))
	if err != nil {
		return a, fmt.Errorf("%s: %w", j.game.name, err)
	}
	a.Seconds = time.Since(start).Seconds()
	a.Values, a.Asked = e.Values, len(asked)+2
	if p := j.game.pipeline; p != nil {
		a.Runs = p.runs(asked)
	}
	return a, nil
}

// program returns a hash of the running program, by which answers of ours are
// kept: they are good until any line of code changes.
func program() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("hash program: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("hash program: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("hash program: %w", err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))[:16], nil
}
