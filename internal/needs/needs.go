// Package needs gets tests what Go doesn't bring: the built command, npm packages,
// a folder that outlives the test. What can't be had skips the test with a loud
// word, or fails it where CI is set and everything must be tested.
package needs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Missing ends a test for want of something; what tells what remains untested.
func Missing(t testing.TB, what, format string, args ...any) {
	t.Helper()
	format = strings.ToUpper(what) + " ISN'T TESTED: " + format
	if os.Getenv("CI") != "" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// Command builds the agentblame command and returns its path.
func Command(t testing.TB) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "agentblame")
	build := exec.Command("go", "build", "-o", bin, "github.com/agentblame/agentblame/cmd/agentblame")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building agentblame: %v\n%s", err, out)
	}
	return bin
}

// Modules brings the npm packages that a folder's package-lock.json names, unless
// they are there.
func Modules(t testing.TB, dir, what string) {
	t.Helper()
	if !HaveNode() {
		Missing(t, what, "there is no node or no npm")
	}
	lock, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(dir, "node_modules", ".lock")
	if have, err := os.ReadFile(mark); err == nil && bytes.Equal(have, lock) {
		return
	}
	out, err := Fetch(dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	switch {
	case err != nil && Unreachable(out):
		Missing(t, what, "npm can't be reached:\n%s", out)
	case err != nil:
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	if err := os.WriteFile(mark, lock, 0o666); err != nil {
		t.Fatal(err)
	}
}

// HaveNode says whether Node and npm are there.
func HaveNode() bool {
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			return false
		}
	}
	return true
}

// Fetch runs a command that downloads, in dir, and twice more while what it needs
// can't be reached. It returns the last run's output.
func Fetch(dir, name string, args ...string) (out []byte, err error) {
	for range 3 {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err = cmd.CombinedOutput(); err == nil || !Unreachable(out) {
			break
		}
	}
	return out, err
}

// Unreachable says whether npm's or pip's output tells of a network that is down.
func Unreachable(out []byte) bool {
	return slices.ContainsFunc([]string{
		"ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "ENOTCACHED",
		"NewConnectionError", "NameResolutionError", "ConnectTimeoutError", "ReadTimeoutError", "ProxyError",
	}, func(sign string) bool { return bytes.Contains(out, []byte(sign)) })
}

// Cache is a folder for what is worth keeping from one test run to the next. It
// may not exist.
func Cache(name string) string {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	return filepath.Join(cache, "agentblame", name)
}

// Read reads the files below dir that end in one of the endings: go test's cache
// knows only what a test itself has read, and must not answer when that has
// changed. It fails when there are fewer than least.
func Read(t testing.TB, least int, endings []string, dirs ...string) {
	t.Helper()
	read := 0
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() && (d.Name() == "node_modules" || d.Name() == "dist") {
				return filepath.SkipDir
			}
			if err != nil || d.IsDir() || !slices.Contains(endings, filepath.Ext(path)) {
				return err
			}
			read++
			_, err = os.ReadFile(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < least {
		t.Fatalf("there are only %d files %v in %v", read, endings, dirs)
	}
}
