package scaffold

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// An ExistsError says which files of a project are there already. Nothing was
// written.
type ExistsError struct{ Paths []string }

func (e *ExistsError) Error() string {
	if len(e.Paths) == 1 {
		return e.Paths[0] + " is there already"
	}
	last := len(e.Paths) - 1
	return strings.Join(e.Paths[:last], ", ") + " and " + e.Paths[last] + " are there already"
}

// Write writes the project into a folder, which it makes. A file that is there is
// an *ExistsError, unless it is to be overwritten. After an error no file is there
// that wasn't before; of those to be overwritten, some may have been.
func (p Project) Write(dir string, overwrite bool) (err error) {
	if !overwrite {
		if there := p.there(dir); len(there) > 0 {
			return &ExistsError{there}
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("making the project's folder: %w", err)
	}
	var made []string
	defer func() {
		if err != nil {
			for _, path := range made {
				os.Remove(path)
			}
		}
	}()
	for _, f := range p.files {
		path := filepath.Join(dir, f.name)
		// A file that has come meanwhile isn't overwritten either.
		out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		switch {
		case err == nil:
			made = append(made, path)
		case !errors.Is(err, fs.ErrExist):
			return fmt.Errorf("writing the project: %w", err)
		case !overwrite:
			return &ExistsError{[]string{path}}
		default:
			if out, err = os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0); err != nil {
				return fmt.Errorf("overwriting a file of the project: %w", err)
			}
		}
		_, err = out.WriteString(f.text)
		if err = errors.Join(err, out.Close()); err != nil {
			return fmt.Errorf("writing the project: %w", err)
		}
	}
	return nil
}

// there returns which of the project's files a folder has, as anything: a folder
// or a link of that name, too.
func (p Project) there(dir string) []string {
	var there []string
	for _, f := range p.files {
		path := filepath.Join(dir, f.name)
		if _, err := os.Lstat(path); err == nil {
			there = append(there, path)
		}
	}
	return there
}
