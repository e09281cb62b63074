package main

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/game"
)

// npy writes an array in NumPy's format.
func npy(t testing.TB, version byte, kind, shape string, data any) []byte {
	t.Helper()
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", kind, shape)
	header += strings.Repeat(" ", 63-(len(header)+10)%64) + "\n"
	var b bytes.Buffer
	b.WriteString("\x93NUMPY")
	b.Write([]byte{version, 0})
	var err error
	if version == 1 {
		err = binary.Write(&b, binary.LittleEndian, uint16(len(header)))
	} else {
		err = binary.Write(&b, binary.LittleEndian, uint32(len(header)))
	}
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString(header)
	if err := binary.Write(&b, binary.LittleEndian, data); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func npz(t *testing.T, files map[string][]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "game.npz")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z := zip.NewWriter(f)
	for name, data := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestReadNPZ(t *testing.T) {
	// Rows by size: ∅, {1}, {0}, {0,1}.
	rows := []byte{0, 0, 0, 1, 1, 0, 1, 1}
	for version := byte(1); version <= 2; version++ {
		got, err := readNPZ(npz(t, map[string][]byte{
			"values.npy":     npy(t, version, "<f8", "(4,)", []float64{0, 2, 1, 5}),
			"coalitions.npy": npy(t, version, "|b1", "(4, 2)", rows),
			"n_players.npy":  []byte("not read"),
		}))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(game.Table{0, 1, 2, 5}, got); d != "" {
			t.Error(d)
		}
	}
}

func TestReadNPZErrors(t *testing.T) {
	values := npy(t, 1, "<f8", "(4,)", []float64{0, 2, 1, 5})
	rows := npy(t, 1, "|b1", "(4, 2)", []byte{0, 0, 0, 1, 1, 0, 1, 1})
	for name, files := range map[string]map[string][]byte{
		"no game":          {"values.npy": values},
		"comes twice":      {"values.npy": values, "coalitions.npy": npy(t, 1, "|b1", "(4, 2)", []byte{0, 0, 0, 1, 1, 0, 0, 0})},
		"entry 3 of 4":     {"values.npy": npy(t, 1, "<f8", "(4,)", []float64{0, 2, 1}), "coalitions.npy": rows},
		"type <i4":         {"values.npy": npy(t, 1, "<i4", "(4,)", []int32{0, 2, 1, 5}), "coalitions.npy": rows},
		"no NumPy array":   {"values.npy": []byte("values!!"), "coalitions.npy": rows},
		"8 values for 2":   {"values.npy": npy(t, 1, "<f8", "(8,)", make([]float64, 8)), "coalitions.npy": npy(t, 1, "|b1", "(8, 2)", make([]byte, 16))},
		"shape (99999999,": {"values.npy": npy(t, 1, "<f8", "(99999999, 99999)", []float64{1}), "coalitions.npy": rows},
	} {
		_, err := readNPZ(npz(t, files))
		if err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one of %q", err, name)
		}
	}
	if _, err := readNPZ(filepath.Join(t.TempDir(), "none.npz")); err == nil {
		t.Error("no error without a file")
	}
}

func FuzzReadNPY(f *testing.F) {
	f.Add(npy(f, 1, "<f8", "(2,)", []float64{1, 2}))
	f.Add(npy(f, 2, "|b1", "(1, 3)", []byte{1, 0, 1}))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := readNPY(bytes.NewReader(data))
		if err != nil {
			return
		}
		count := 1
		for _, d := range a.shape {
			count *= d
		}
		if count != len(a.data) {
			t.Errorf("%d entries of shape %v", len(a.data), a.shape)
		}
	})
}

func TestPublished(t *testing.T) {
	dir := os.Getenv("AGENTBLAME_SHARED")
	if dir == "" {
		t.Skip("SKIPPED: published games not read, AGENTBLAME_SHARED is not set")
	}
	games, err := published(filepath.Join(dir, "games"), "CaliforniaHousing_LocalExplanation-8")
	if err != nil {
		t.Fatal(err)
	}
	if len(games) != 2 {
		t.Fatalf("%d games", len(games))
	}
	for _, g := range games {
		if g.players != 8 || len(g.phi) != 8 || g.key == "" {
			t.Errorf("game %s of %d players", g.name, g.players)
		}
	}
}
