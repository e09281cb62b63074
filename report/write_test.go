package report_test

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

func TestWriteTakesTheFormatFromTheEnding(t *testing.T) {
	r := refund(t, blame.Options{})
	var jsonl, table strings.Builder
	if err := report.JSONL(&jsonl, r); err != nil {
		t.Fatal(err)
	}
	if err := report.CSV(&table, r); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a.json": asJSON(t, r), "b.jsonl": jsonl.String(), "c.csv": table.String(), "d.out.JSON": asJSON(t, r)}
	folder := t.TempDir()
	for name, text := range want {
		path := filepath.Join(folder, name)
		if err := report.Write(path, r); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != text {
			t.Errorf("%s holds\n%s\nwant\n%s", name, got, text)
		}
	}
	if left := list(t, folder); len(left) != len(want) {
		t.Errorf("files left in the folder: %v", left)
	}
}

func TestWriteNamesTheEndingsThereAre(t *testing.T) {
	for _, path := range []string{"result.yaml", "result", "json", ""} {
		for _, err := range []error{report.Write(filepath.Join(t.TempDir(), path), &blame.Result{}), report.CheckPath(path)} {
			if err == nil || !strings.Contains(err.Error(), "unknown ending; there are .json, .jsonl, .csv") {
				t.Errorf("%q: error %v", path, err)
			}
		}
	}
	if err := report.CheckPath("out/result.XML"); err == nil || !strings.Contains(err.Error(), "(a JUnit report is out/result.junit.xml)") {
		t.Errorf("an ending .xml: error %v", err)
	}
	for _, path := range []string{"-", "a.json", "/x/b.csv", "/x/c.junit.xml"} {
		if err := report.CheckPath(path); err != nil {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestWriteIsAllOrNothing(t *testing.T) {
	r := refund(t, blame.Options{})
	folder := t.TempDir()

	missing := filepath.Join(folder, "none", "a.json")
	if err := report.Write(missing, r); err == nil {
		t.Error("a folder that isn't there gives no error")
	}

	taken := filepath.Join(folder, "taken.json")
	if err := os.Mkdir(taken, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := report.Write(taken, r); err == nil || !strings.Contains(err.Error(), "is a folder") {
		t.Errorf("writing over a folder: error %v", err)
	}

	bad := refund(t, blame.Options{})
	nan := 0.0
	nan /= nan
	bad.Cases[0].Cost = nan // has no JSON form
	for _, name := range []string{"bad.json", "bad.jsonl", "bad.csv"} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte("before"), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := report.Write(path, bad); err == nil {
			t.Errorf("%s: no error", name)
		}
		if got := read(t, path); got != "before" {
			t.Errorf("%s holds %q after a failure", name, got)
		}
	}
	if left := list(t, folder); len(left) != 4 {
		t.Errorf("files left in the folder: %v", left)
	}
}

func TestWriteKeepsPermissionsAndLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("permissions and links are of another kind there")
	}
	r := refund(t, blame.Options{})
	folder := t.TempDir()
	private := filepath.Join(folder, "private.json")
	if err := os.WriteFile(private, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(folder, "link.json")
	if err := os.Symlink("private.json", link); err != nil {
		t.Fatal(err)
	}
	if err := report.Write(link, r); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	info, err := os.Stat(private)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file's mode is %v, %v", info.Mode(), err)
	}
	if read(t, private) != asJSON(t, r) {
		t.Error("the file behind the link isn't written")
	}

	// A new file gets what any new file gets.
	other := filepath.Join(folder, "other")
	if err := os.WriteFile(other, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := report.Write(filepath.Join(folder, "new.json"), r); err != nil {
		t.Fatal(err)
	}
	a, _ := os.Stat(other)
	b, err := os.Stat(filepath.Join(folder, "new.json"))
	if err != nil || a.Mode() != b.Mode() {
		t.Errorf("a new result has mode %v, another new file %v (%v)", b.Mode(), a.Mode(), err)
	}
}

// What is no regular file is written to, and is still there afterwards.
func TestWriteToADevice(t *testing.T) {
	link := filepath.Join(t.TempDir(), "null.json")
	if err := os.Symlink(os.DevNull, link); err != nil {
		t.Skip(err)
	}
	before, err := os.Stat(os.DevNull)
	if err != nil {
		t.Skip(err)
	}
	if err := report.Write(link, refund(t, blame.Options{})); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(os.DevNull); err != nil || after.Mode() != before.Mode() {
		t.Errorf("%s is now %v, %v", os.DevNull, after, err)
	}
}

func TestWriteToStandardOutput(t *testing.T) {
	r := refund(t, blame.Options{})
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	was := os.Stdout
	os.Stdout = out
	defer func() { os.Stdout = was }()
	written := make(chan error, 1)
	go func() {
		written <- report.Write("-", r)
		out.Close()
	}()
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if string(text) != asJSON(t, r) {
		t.Errorf("standard output has\n%s", text)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func list(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
