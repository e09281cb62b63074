package noise

import (
	"fmt"
	"strings"
)

// Error is a misuse of a [Source]. Drawing methods panic with an *Error.
type Error struct {
	Step, Call, Key string
	Msg             string
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("noise: ")
	if e.Step != "" {
		fmt.Fprintf(&b, "step %s#%s: ", e.Step, e.Call)
	}
	fmt.Fprintf(&b, "key %q: %s", e.Key, e.Msg)
	return b.String()
}
