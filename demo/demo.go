package demo

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

// Names returns the names of the demos, in the order in which they are shown.
func Names() []string { return []string{"refund", "rag", "eight"} }

// Options say how demos are run. The zero value works.
type Options struct {
	// Replicates is how often rag's study of variances estimates each case, at
	// least 2, and VarCases how many failing cases it takes, or all if there are
	// fewer. 0 is 8 and 100.
	Replicates, VarCases int
	// Text says how results are shown.
	Text report.TextOptions
}

// Check says what is wrong with the options.
func (o Options) Check() error {
	if o.Replicates < 0 || o.Replicates == 1 {
		return fmt.Errorf("the number of replicates is %d; a variance needs at least 2", o.Replicates)
	}
	if o.VarCases < 0 {
		return fmt.Errorf("the number of cases to study variances in is %d; it must be at least 1", o.VarCases)
	}
	return nil
}

// Run runs a demo, prints what it shows, and returns its result: of refund that
// of its mechanism A, of the others that of their batch under recorded noise.
// What it prints depends on nothing but the options. When ctx ends it returns what
// there is of the result, along with the context's error.
func Run(ctx context.Context, name string, w io.Writer, o Options) (*blame.Result, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	o.Replicates, o.VarCases = cmp.Or(o.Replicates, 8), cmp.Or(o.VarCases, 100)
	p := &printer{w: w}
	var r *blame.Result
	var err error
	switch name {
	case "refund":
		return runRefund(ctx, w, o.Text)
	case "rag":
		r, err = runRag(ctx, p, o)
	case "eight":
		r, err = runEight(ctx, p)
	default:
		return nil, fmt.Errorf("there is no demo %q (there are: %s)", name, strings.Join(Names(), ", "))
	}
	return r, cmp.Or(err, p.err)
}
