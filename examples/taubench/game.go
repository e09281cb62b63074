package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agentblame/agentblame/examples/taubench/retail"
	"github.com/agentblame/agentblame/pipeline"
)

// state is a database as what has changed since it was loaded, in JSON: equal
// states are equal texts, so that replays merge.
type state string

// A write is one place in a run's writes. Its calls are JSON, "" for none.
type write struct {
	Before state  `json:"before"`
	AsRun  string `json:"as_run"`
	Gold   string `json:"gold"`
}

// A place is a write in a case's inputs, where the state isn't known yet.
type place struct {
	Tool  string `json:"tool"`
	AsRun string `json:"as_run"`
	Gold  string `json:"gold"`
}

// input is what a case gives to the pipeline.
type input struct {
	Writes []place `json:"writes"`
}

// shop executes calls on states of one database.
type shop struct{ db *retail.DB }

// do executes a call; "" leaves the state as it is.
func (s shop) do(before state, call string) (state, error) {
	if call == "" {
		return before, nil
	}
	changes, err := retail.ParseObject([]byte(before))
	if err != nil {
		return "", err
	}
	db, err := s.db.With(changes)
	if err != nil {
		return "", err
	}
	var c retail.Call
	if err := json.Unmarshal([]byte(call), &c); err != nil {
		return "", err
	}
	db.Call(c.Name, c.Args) // an error of the tool changes nothing, as in the run
	return stateOf(db), nil
}

func stateOf(db *retail.DB) state { return state(db.Changes().String()) }

// repairGame makes a pipeline whose steps are the tools that write, and a case
// of each run.
func repairGame(db *retail.DB, runs []retail.Run) (*pipeline.Pipeline, []pipeline.Case, error) {
	s := shop{db}
	steps := map[string]*pipeline.Step[write, state]{}
	var inOrder []pipeline.AnyStep
	var cases []pipeline.Case
	ids := map[string]int{}
	for _, r := range runs {
		in := input{}
		for _, slot := range retail.Slots(r) {
			p := place{Tool: slot.Tool, AsRun: text(slot.AsRun), Gold: text(slot.Gold)}
			if slot.Kind() == retail.Keep {
				p.Gold = p.AsRun
			}
			in.Writes = append(in.Writes, p)
			if steps[p.Tool] == nil {
				steps[p.Tool] = pipeline.NewStep(p.Tool, func(_ context.Context, w write) (state, error) {
					return s.do(w.Before, w.AsRun)
				}).Variant("gold", func(_ context.Context, w write) (state, error) {
					return s.do(w.Before, w.Gold)
				})
				inOrder = append(inOrder, steps[p.Tool])
			}
		}
		id := fmt.Sprintf("task-%d", r.TaskID)
		if ids[id]++; ids[id] > 1 {
			id = fmt.Sprintf("%s.%d", id, ids[id])
		}
		cases = append(cases, pipeline.Case{
			ID:       id,
			Inputs:   map[string]any{"writes": in.Writes},
			Expected: db.After(r.Task.Gold...).Digest(),
		})
	}
	replay := func(ctx context.Context, in input) (state, error) {
		at := stateOf(db)
		for _, p := range in.Writes {
			var err error
			if p.AsRun == p.Gold { // nothing to fix: the call is right, and not a player
				at, err = s.do(at, p.AsRun)
			} else {
				at, err = steps[p.Tool].Do(ctx, write{at, p.AsRun, p.Gold})
			}
			if err != nil {
				return "", fmt.Errorf("%s: %w", p.Tool, err)
			}
		}
		return at, nil
	}
	score := func(_ context.Context, c pipeline.Case, at state) (float64, error) {
		changes, err := retail.ParseObject([]byte(at))
		if err != nil {
			return 0, err
		}
		after, err := db.With(changes)
		if err != nil {
			return 0, err
		}
		if after.Digest() == c.Expected {
			return 1, nil
		}
		return 0, nil
	}
	return pipeline.New("taubench-retail", replay, score, inOrder...), cases, nil
}

func text(c *retail.Call) string {
	if c == nil {
		return ""
	}
	b, _ := json.Marshal(c) // a call that was read from JSON
	return string(b)
}
