package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentblame/agentblame/game"
)

// A testGame is a game whose Shapley values are known.
type testGame struct {
	name     string
	players  int
	table    game.Table
	phi      []float64
	key      string    // hash of the table
	pipeline *pipeline // nil for published games
}

func newGame(name string, t game.Table, p *pipeline) testGame {
	sum := sha256.Sum256(tableBytes(t))
	return testGame{
		name: name, players: t.Players(), table: t, phi: t.Shapley(nil), key: fmt.Sprintf("%x", sum)[:16], pipeline: p,
	}
}

// tableBytes are the values as little-endian float64.
func tableBytes(t game.Table) []byte {
	var b bytes.Buffer
	b.Grow(8 * len(t))
	if err := binary.Write(&b, binary.LittleEndian, []float64(t)); err != nil {
		panic(err) // a buffer takes all
	}
	return b.Bytes()
}

// published reads the games of a directory whose names contain the text.
func published(dir, match string) ([]testGame, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.npz"))
	if err != nil {
		return nil, fmt.Errorf("list games: %w", err)
	}
	var games []testGame
	for _, f := range files {
		name := strings.TrimSuffix(filepath.Base(f), ".npz")
		if !strings.Contains(name, match) {
			continue
		}
		t, err := readNPZ(f)
		if err != nil {
			return nil, err
		}
		games = append(games, newGame(name, t, nil))
	}
	return games, nil
}

// generated makes the games of the pipelines whose names contain the text.
func generated(match string) []testGame {
	var games []testGame
	for _, p := range pipelines() {
		if strings.Contains(p.name, match) {
			games = append(games, newGame(p.name, p.table(), p))
		}
	}
	return games
}

// writeTable writes the table where the peers can read it, unless it is there,
// and returns the path.
func (g *testGame) writeTable(dir string) (string, error) {
	path := filepath.Join(dir, g.key+".f64")
	if info, err := os.Stat(path); err == nil && info.Size() == int64(8*len(g.table)) {
		return path, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("write table: %w", err)
	}
	if err := os.WriteFile(path, tableBytes(g.table), 0o644); err != nil {
		return "", fmt.Errorf("write table: %w", err)
	}
	return path, nil
}
