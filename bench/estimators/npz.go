package main

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/agentblame/agentblame/game"
)

// readNPZ reads a published game: an archive of NumPy arrays, of which values
// are float64[2ⁿ] and coalitions bool[2ⁿ, n], one row for each value.
func readNPZ(path string) (game.Table, error) {
	z, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("open game: %w", err)
	}
	defer z.Close()
	arrays := map[string]array{}
	for _, f := range z.File {
		name := strings.TrimSuffix(f.Name, ".npy")
		if name != "values" && name != "coalitions" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, f.Name, err)
		}
		a, err := readNPY(r)
		r.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", path, f.Name, err)
		}
		arrays[name] = a
	}
	t, err := tableOf(arrays["values"], arrays["coalitions"])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// tableOf puts the values in the order of bit masks.
func tableOf(values, coalitions array) (game.Table, error) {
	if len(values.shape) != 1 || len(coalitions.shape) != 2 || values.shape[0] != coalitions.shape[0] {
		return nil, fmt.Errorf("values of shape %v and coalitions of shape %v make no game", values.shape, coalitions.shape)
	}
	n := coalitions.shape[1]
	if n < 1 || n > game.MaxTablePlayers || values.shape[0] != 1<<n {
		return nil, fmt.Errorf("%d values for %d players", values.shape[0], n)
	}
	t, seen := make(game.Table, 1<<n), make([]bool, 1<<n)
	for row, v := range values.data {
		mask := 0
		for i, x := range coalitions.data[row*n : (row+1)*n] {
			if x != 0 {
				mask |= 1 << i
			}
		}
		if seen[mask] {
			return nil, fmt.Errorf("coalition %b comes twice", mask)
		}
		t[mask], seen[mask] = v, true
	}
	return t, nil
}

// An array is a NumPy array, row by row.
type array struct {
	shape []int
	data  []float64
}

// mostEntries limits the memory of an array: 2²⁴ coalitions of 24 players.
const mostEntries = 24 << 24

var (
	npyType    = regexp.MustCompile(`'descr':\s*'([^']*)'`)
	npyFortran = regexp.MustCompile(`'fortran_order':\s*True`)
	npyShape   = regexp.MustCompile(`'shape':\s*\(([^)]*)\)`)
)

// readNPY reads an array of float64 or bool in NumPy's format.
func readNPY(r io.Reader) (array, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	head := make([]byte, 8)
	if _, err := io.ReadFull(b, head); err != nil || string(head[:6]) != "\x93NUMPY" {
		return array{}, fmt.Errorf("no NumPy array: %q", head)
	}
	size := 2
	if head[6] >= 2 {
		size = 4
	}
	length := make([]byte, 4)
	if _, err := io.ReadFull(b, length[:size]); err != nil {
		return array{}, fmt.Errorf("header: %w", err)
	}
	if n := binary.LittleEndian.Uint32(length); n > 1<<16 {
		return array{}, fmt.Errorf("header of %d bytes", n)
	}
	header := make([]byte, binary.LittleEndian.Uint32(length))
	if _, err := io.ReadFull(b, header); err != nil {
		return array{}, fmt.Errorf("header: %w", err)
	}
	kind, shape := npyType.FindSubmatch(header), npyShape.FindSubmatch(header)
	if kind == nil || shape == nil || npyFortran.Match(header) {
		return array{}, fmt.Errorf("header %q", header)
	}
	a, count := array{}, 1
	for part := range strings.SplitSeq(string(shape[1]), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		d, err := strconv.Atoi(part)
		if err != nil || d < 0 || (d > 0 && count > mostEntries/d) {
			return array{}, fmt.Errorf("shape (%s)", shape[1])
		}
		a.shape, count = append(a.shape, d), count*d
	}
	var width int
	var entry func([]byte) float64
	switch string(kind[1]) {
	case "<f8":
		width, entry = 8, func(x []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(x)) }
	case "|b1":
		width, entry = 1, func(x []byte) float64 { return float64(x[0]) }
	default:
		return array{}, fmt.Errorf("entries of type %s", kind[1])
	}
	buf := make([]byte, width)
	for range count {
		if _, err := io.ReadFull(b, buf); err != nil {
			return array{}, fmt.Errorf("entry %d of %d: %w", len(a.data), count, err)
		}
		a.data = append(a.data, entry(buf))
	}
	return a, nil
}
