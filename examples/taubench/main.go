// Taubench finds what broke real agent runs: the failed runs of a GPT-4o
// customer-service agent on the retail domain of τ-bench.
//
// Each run's writes to the shop's database are replayed as a pipeline whose
// players are the calls: a wrong call's fix is the gold call, an extra call's is
// not to make it, a missing call's is to make it. The score is 1 when the
// database comes out as the gold actions leave it.
//
//	go run ./examples/taubench -data DIR [-runs FILE] [-o result.json]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/examples/taubench/retail"
	"github.com/agentblame/agentblame/report"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "taubench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	flags := flag.NewFlagSet("taubench", flag.ContinueOnError)
	data := flags.String("data", "", "folder with orders.json, products.json, users.json and the runs")
	runsFile := flags.String("runs", "", "file of runs (default runs-failed.json in the data folder)")
	output := flags.String("o", "", "write the result to this file")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return nil
	} else if err != nil {
		return err
	}
	if *data == "" {
		return errors.New("-data DIR is needed: the folder with the database and the runs")
	}
	if *output != "" {
		if err := report.CheckPath(*output); err != nil {
			return err
		}
	}
	if *runsFile == "" {
		*runsFile = filepath.Join(*data, "runs-failed.json")
	}
	db, err := retail.Load(*data)
	if err != nil {
		return err
	}
	runs, err := retail.LoadRuns(*runsFile)
	if err != nil {
		return err
	}
	if err := showReplays(out, db, *data, *runsFile); err != nil {
		return err
	}
	p, cases, err := repairGame(db, runs)
	if err != nil {
		return err
	}
	result, err := blame.Batch(ctx, p, cases, blame.Options{Calls: true})
	if err != nil {
		return err
	}
	showRepairs(out, result)
	if err := report.Text(out, result, report.TextOptions{Cases: len(cases)}); err != nil {
		return err
	}
	if err := showLabels(out, filepath.Join(*data, "labels.json"), runs, result); err != nil {
		return err
	}
	if *output != "" {
		return report.Write(*output, result)
	}
	return nil
}

// showReplays runs the recorded conversations again and tells how many answers
// and rewards come out as recorded: the check that the environment is the real one.
func showReplays(out io.Writer, db *retail.DB, dir, runsFile string) error {
	files := []string{filepath.Join(dir, "runs.json")}
	if filepath.Clean(runsFile) != files[0] {
		files = append(files, runsFile)
	}
	for _, file := range files {
		runs, err := retail.LoadRuns(file)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		answers, same, rewards := 0, 0, 0
		for _, r := range runs {
			replayed := retail.Replay(db, r)
			answers += replayed.Answers
			same += replayed.Answers - len(replayed.Differences)
			if retail.Reward(db, r) == r.Reward {
				rewards++
			}
		}
		fmt.Fprintf(out, "%s: %d/%d tool outputs and %d/%d rewards come out as recorded\n",
			filepath.Base(file), same, answers, rewards, len(runs))
	}
	return nil
}

// showRepairs counts what the fixes can do for the runs with a wrong database.
func showRepairs(out io.Writer, r *blame.Result) {
	alone := 0
	for _, c := range r.Cases {
		if len(c.MinimalRepairs) > 0 && len(c.MinimalRepairs[0]) == 1 {
			alone++
		}
	}
	s := r.Summary
	fmt.Fprintf(out, "%d of %d runs end with a wrong database: %d repairable, %d by one fix and %d only jointly; %d not repairable by these fixes\n\n",
		s.Failures, s.Cases, s.Repairable, alone, s.Repairable-alone, s.Unfixable)
}
