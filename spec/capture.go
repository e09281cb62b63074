package spec

import (
	"bytes"
	"errors"
	"strings"

	"github.com/agentblame/agentblame/outside"
)

// capture keeps what is written to it, up to a limit. At the first byte beyond
// it calls full and refuses the rest.
type capture struct {
	limit int
	full  func()
	bytes bytes.Buffer
	over  bool
}

func (c *capture) Write(p []byte) (int, error) {
	if c.over || len(p) > c.limit-c.bytes.Len() {
		c.over = true
		c.full()
		return 0, errors.New("more output than is allowed")
	}
	return c.bytes.Write(p)
}

// tail keeps the end of what is written to it.
type tail struct {
	bytes []byte
	cut   bool // something came before
}

// tailSize is how much a tail keeps.
const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if n > tailSize {
		p, t.cut = p[n-tailSize:], true
	}
	if over := len(t.bytes) + len(p) - tailSize; over > 0 {
		t.bytes, t.cut = append(t.bytes[:0], t.bytes[over:]...), true
	}
	t.bytes = append(t.bytes, p...)
	return n, nil
}

// after returns the text as the end of a message: its first line and its last,
// where programs in most languages say what went wrong.
func (t *tail) after() string {
	text := string(t.bytes)
	if _, rest, more := strings.Cut(text, "\n"); t.cut && more {
		text = rest // the first line is half a line
	}
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	first, _, more := strings.Cut(text, "\n")
	message := ": " + outside.Excerpt(strings.TrimSpace(first), 200)
	if more {
		last := text[strings.LastIndexByte(text, '\n')+1:]
		between := " … "
		if strings.Count(text, "\n") == 1 {
			between = " / "
		}
		message += between + outside.Excerpt(strings.TrimSpace(last), 200)
	}
	return message
}
