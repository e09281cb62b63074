package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// A format is a form of a file, told by its ending.
type format struct {
	ending string
	write  func(io.Writer, *blame.Result) error
}

// formats returns all formats. Where one ending ends in another, it comes first.
func formats() []format {
	return []format{
		{".json", JSON},
		{".jsonl", JSONL},
		{".csv", CSV},
		{".html", HTML},
		{".md", Markdown},
		{".junit.xml", JUnit},
	}
}

// Endings returns the endings that [Write] knows, ".json" first.
func Endings() []string {
	var out []string
	for _, f := range formats() {
		out = append(out, f.ending)
	}
	return out
}

// CheckPath says whether [Write] knows a format for the path, so that a wrong
// ending is found before an analysis has been paid for.
func CheckPath(path string) error {
	_, err := formatOf(path)
	return err
}

func formatOf(path string) (format, error) {
	if path == "-" {
		return formats()[0], nil
	}
	name := strings.ToLower(filepath.Base(path))
	for _, f := range formats() {
		if strings.HasSuffix(name, f.ending) {
			return f, nil
		}
	}
	hint := ""
	if strings.HasSuffix(name, ".xml") {
		hint = " (a JUnit report is " + path[:len(path)-len(".xml")] + ".junit.xml)"
	}
	return format{}, fmt.Errorf("%s: unknown ending; there are %s%s", path, strings.Join(Endings(), ", "), hint)
}

// Write writes a result to a file, in the format that its ending names (see
// [Endings]; .JSON is .json). The path "-" is JSON on standard output.
//
// The file appears as a whole or not at all: it is written beside its place and
// renamed. A file that is there keeps its permissions, a symbolic link its name.
// What is no regular file (a pipe, /dev/stdout) is written to as it is.
func Write(path string, r *blame.Result) error {
	f, err := formatOf(path)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := f.write(&b, r); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if path == "-" {
		_, err := os.Stdout.Write(b.Bytes())
		return err
	}
	return writeFile(path, b.Bytes())
}

func writeFile(path string, text []byte) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder", path)
	case !info.Mode().IsRegular():
		return os.WriteFile(path, text, 0o666)
	default:
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	}
	temp, err := createBeside(path)
	if err != nil {
		return err
	}
	if info != nil {
		err = temp.Chmod(info.Mode().Perm())
	}
	if err == nil {
		_, err = temp.Write(text)
	}
	if err == nil {
		err = temp.Sync()
	}
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}

// createBeside makes a new file in a path's folder, with the permissions that
// any new file gets (os.CreateTemp's would be for the owner alone).
func createBeside(path string) (*os.File, error) {
	folder := filepath.Dir(path)
	for {
		temp := filepath.Join(folder, fmt.Sprintf(".agentblame-%08x.tmp", rand.Uint32()))
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}
