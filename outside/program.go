package outside

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// FindProgram finds a program: from the folder when it is given with a slash, else
// in the PATH of this program. The path is absolute.
func FindProgram(name, dir string) (string, error) {
	if strings.ContainsRune(name, '/') || strings.ContainsRune(name, filepath.Separator) {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(dir, full)
		}
		info, err := os.Stat(full)
		switch {
		case err != nil:
			return "", fmt.Errorf("the program %q: %s", name, FileFault(err))
		case info.IsDir():
			return "", fmt.Errorf("the program %q is a folder", name)
		}
		return filepath.Abs(full)
	}
	full, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("the program %q is not in PATH", name)
	}
	return filepath.Abs(full)
}

// FileFault says why a file can't be used, without naming it again.
func FileFault(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no such file"
	}
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err.Error()
	}
	return err.Error()
}

// Environment returns this program's environment variables of those names, as
// exec.Cmd takes them; nil means all.
func Environment(names []string) []string {
	if names == nil {
		return nil
	}
	env := []string{}
	for _, name := range names {
		if value, set := os.LookupEnv(name); set {
			env = append(env, name+"="+value)
		}
	}
	return env
}
