package main

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sort"

	"golang.org/x/sync/errgroup"

	"github.com/agentblame/agentblame/bench/stopping/stream"
	"github.com/agentblame/agentblame/confseq"
)

// Row is what one rule did on one kind of stream.
type Row struct {
	Data     string  `json:"data"`
	Rule     string  `json:"rule"`
	Delta    float64 `json:"delta"`
	Streams  int     `json:"streams"`
	Horizon  int     `json:"horizon"` // cases after which a stream was given up
	Median   *int    `json:"median"`  // cases until the declaration; null if fewer streams were declared
	Q90      *int    `json:"q90"`
	Declared float64 `json:"declared"` // share of streams
	Wrong    float64 `json:"wrong"`    // share of streams
	Valid    bool    `json:"valid"`    // whether the rule claims to err with probability delta at most
}

// outcome of one stream: the count and the step declared, or a count beyond the horizon.
type outcome struct {
	count, declared int
}

// compare runs every rule on every setting, on all cores. Stream i of a setting is the same for every rule.
func compare(settings []setting, streams int, delta float64) ([]Row, error) {
	var rows []Row
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	type task struct {
		setting setting
		options confseq.Options
		results []outcome
	}
	var tasks []task
	for _, s := range settings {
		for _, name := range confseq.Names()[1:] { // the first is another name of the second
			o := confseq.Options{Players: stream.Steps, Delta: delta, Low: -1, High: 1, Spread: 1, Batch: s.batch}
			rule, err := confseq.New(name, o)
			if err != nil && s.batch > 0 {
				continue // has no version for a finite batch
			}
			if err != nil {
				return nil, fmt.Errorf("rule %s on %s: %w", name, s.name, err)
			}
			rows = append(rows, Row{
				Data: s.name, Rule: name, Delta: delta, Streams: streams, Horizon: s.horizon, Valid: rule.Promise().Valid,
			})
			tasks = append(tasks, task{s, o, make([]outcome, streams)})
		}
	}
	const chunk = 100
	for i, t := range tasks {
		for from := 0; from < streams; from += chunk {
			g.Go(func() error {
				for j := from; j < min(from+chunk, streams); j++ {
					var err error
					if t.results[j], err = watch(rows[i].Rule, t.options, t.setting, uint64(j)); err != nil {
						return fmt.Errorf("rule %s on %s: %w", rows[i].Rule, t.setting.name, err)
					}
				}
				return nil
			})
		}
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	for i, t := range tasks {
		rows[i].summarize(t.results, t.setting.best)
	}
	return rows, nil
}

// watch feeds one stream to a new rule until it stops or the horizon is reached.
func watch(name string, o confseq.Options, s setting, seed uint64) (outcome, error) {
	rule, err := confseq.New(name, o)
	if err != nil {
		return outcome{}, err
	}
	r, source, x := rand.New(rand.NewPCG(seed, 1)), s.source(), make([]float64, stream.Steps)
	for rule.Count() < s.horizon {
		source(r, x)
		if err := rule.Add(x); err != nil {
			return outcome{}, err
		}
		if _, ok := rule.Stopped(); ok {
			return outcome{rule.Count(), rule.Leaders()[0]}, nil
		}
	}
	return outcome{s.horizon + 1, -1}, nil
}

func (r *Row) summarize(results []outcome, best int) {
	counts := make([]int, len(results))
	declared, wrong := 0, 0
	for i, o := range results {
		counts[i] = o.count
		if o.declared >= 0 {
			declared++
			if o.declared != best {
				wrong++
			}
		}
	}
	r.Declared, r.Wrong = float64(declared)/float64(len(results)), float64(wrong)/float64(len(results))
	sort.Ints(counts)
	quantile := func(p float64) *int {
		if c := counts[int(p*float64(len(counts)-1))]; c <= r.Horizon {
			return &c
		}
		return nil
	}
	r.Median, r.Q90 = quantile(.5), quantile(.9)
}
