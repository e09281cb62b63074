// Command bounds shows what is certain about a case before its exploration has
// ended: how wide the certain bounds of Shapley values are, and of differences of
// two, after a share of the replays.
//
//	go run ./bench/bounds [-o FILE.json]
//
// Failing cases are explored under budgets of 0 to 100 % of what the whole
// exploration costs. Unknown scores may then be anything from 0 to 1. The width
// of a difference is that of the paired bounds, which follow both coalitions at
// once, beside that of subtracting the two values' bounds. The output depends on
// nothing but the code.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/agentblame/agentblame/bench/saved"
)

func main() {
	file := flag.String("o", "", "write the rows as JSON to this `file`")
	flag.Parse()
	if err := run(context.Background(), os.Stdout, *file); err != nil {
		fmt.Fprintln(os.Stderr, "bounds:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, w io.Writer, file string) error {
	var all []Row
	for _, s := range subjects() {
		more, err := s.measure(ctx)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		all = append(all, more...)
	}
	if err := table(w, all); err != nil {
		return err
	}
	return saved.Rows(file, all)
}

// table prints the rows for people.
func table(w io.Writer, rows []Row) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "pipeline\tcases\treplays\twidth\twidth of difference\tsubtracted\ttop certain\tcontained\t")
	for i, r := range rows {
		if i > 0 && rows[i-1].Pipeline != r.Pipeline {
			fmt.Fprintln(t, "\t\t\t\t\t\t\t\t")
		}
		fmt.Fprintf(t, "%s\t%d\t%.0f %%\t%.3f\t%.3f\t%.3f\t%.0f %%\t%.0f %%\t\n",
			r.Pipeline, r.Cases, 100*r.Share, r.Width, r.Difference, r.Subtracted, 100*r.Certain, 100*r.Contained)
	}
	return t.Flush()
}
