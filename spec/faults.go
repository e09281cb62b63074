package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/agentblame/agentblame/outside"
)

// A Fault is one thing that is wrong in a file, and where.
type Fault struct {
	File string
	Line int // from 1; 0 when no line is to blame
	Text string
}

// String returns "file:line: text".
func (f Fault) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.Text
	}
	return f.File + ":" + strconv.Itoa(f.Line) + ": " + f.Text
}

// A FaultsError is all that is wrong with a declaration or with case files.
type FaultsError struct {
	Faults []Fault
}

// shown is how many faults an error's text lists.
const shown = 50

// Error returns one fault a line; after the first fifty it says how many more
// there are.
func (e *FaultsError) Error() string {
	var lines []string
	for i, f := range e.Faults {
		if i == shown {
			lines = append(lines, fmt.Sprintf("and %d more", len(e.Faults)-shown))
			break
		}
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n")
}

// faults collects what is wrong with a file.
type faults struct {
	file string
	list []Fault
}

func (f *faults) at(line int, format string, args ...any) {
	f.list = append(f.list, Fault{f.file, line, outside.Escape(fmt.Sprintf(format, args...))})
}

// err returns the faults, by line within each file, or nil.
func (f *faults) err() error {
	if len(f.list) == 0 {
		return nil
	}
	files := map[string]int{}
	for _, x := range f.list {
		if _, known := files[x.File]; !known {
			files[x.File] = len(files)
		}
	}
	slices.SortStableFunc(f.list, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(files[a.File], files[b.File]), cmp.Compare(a.Line, b.Line))
	})
	return &FaultsError{f.list}
}
