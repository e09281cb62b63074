package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// A cache holds answers that were got before, in a file of JSON lines. A line
// that was cut off by a crash is left out. Safe for concurrent use.
type cache struct {
	mu      sync.Mutex
	answers map[answerKey]answer
	file    *os.File
}

func openCache(path string) (*cache, error) {
	c := &cache{answers: map[answerKey]answer{}}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	if old, err := os.Open(path); err == nil {
		lines := bufio.NewScanner(old)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var a answer
			if json.Unmarshal(lines.Bytes(), &a) == nil && a.Method != "" {
				c.answers[a.key()] = a
			}
		}
		old.Close()
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("read cache %s: %w", path, err)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open cache: %w", err)
	}
	c.file = f
	return c, nil
}

func (c *cache) get(k answerKey) (answer, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, ok := c.answers[k]
	return a, ok
}

func (c *cache) put(a answer) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	line, err := json.Marshal(a)
	if err != nil {
		return fmt.Errorf("write cache: %w", err)
	}
	// The newline first ends a line that a crash cut off.
	if _, err := c.file.Write(append(append([]byte{'\n'}, line...), '\n')); err != nil {
		return fmt.Errorf("write cache: %w", err)
	}
	c.answers[a.key()] = a
	return nil
}

func (c *cache) close() error { return c.file.Close() }
