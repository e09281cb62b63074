package demo

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

// Names returns the names of the demos, in the order in which they are shown.
func Names() []string { return []string{"refund"} }

// Run runs a demo, prints what it shows, and returns its result.
func Run(ctx context.Context, name string, w io.Writer, o report.TextOptions) (*blame.Result, error) {
	switch name {
	case "refund":
		return runRefund(ctx, w, o)
	}
	return nil, fmt.Errorf("there is no demo %q (there are: %s)", name, strings.Join(Names(), ", "))
}
