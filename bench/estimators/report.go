package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// A Row is what one method made of one kind of games with one allowance.
type Row struct {
	Set     string  `json:"set"`  // published or pipelines
	Axis    string  `json:"axis"` // coalitions or runs
	Per     int     `json:"per"`  // of these, per player
	Method  string  `json:"method"`
	Games   int     `json:"games"`
	Answers int     `json:"answers"` // games × seeds
	Refused int     `json:"refused"` // answers that the method did not give
	Geo     float64 `json:"geometric_mean"`
	Mean    float64 `json:"mean"`
	Median  float64 `json:"median"`
	Seconds float64 `json:"seconds"` // mean
	// Ratio is the geometric mean of ours over the method's, and Wins the share
	// of answers at which ours is closer, where both answered. Draws count half.
	Ratio float64 `json:"ours_over_this"`
	Wins  float64 `json:"ours_wins"`
}

// hindsight is the peer that comes closest, chosen for each answer afterwards.
const hindsight = "best peer in hindsight"

// A trial is one game and seed at one allowance: errors and times by method.
// Methods that refused are not in it.
type trial struct {
	game    string
	err     map[string]float64
	seconds map[string]float64
}

// withHindsight adds the best peer.
func (t *trial) withHindsight() {
	best := math.Inf(1)
	for m, e := range t.err {
		if !strings.HasPrefix(m, oursPrefix) {
			best = min(best, e)
		}
	}
	if !math.IsInf(best, 1) {
		t.err[hindsight] = best
	}
}

// rows sums trials up: one row a method, those first that ours loses to most.
func rows(trials []trial, ours string, methods []string) []Row {
	var out []Row
	for _, m := range append(slices.Clone(methods), hindsight) {
		r := Row{Method: m}
		var errs []float64
		games := map[string]bool{}
		both, ratio, wins, logs := 0, 0.0, 0.0, 0.0
		for _, t := range trials {
			e, ok := t.err[m]
			if !ok {
				r.Refused++
				continue
			}
			games[t.game] = true
			errs = append(errs, e)
			logs += math.Log(e)
			r.Mean += e
			r.Seconds += t.seconds[m]
			if o, ok := t.err[ours]; ok {
				both++
				ratio += math.Log(o / e)
				if o < e {
					wins++
				} else if o == e {
					wins += 0.5
				}
			}
		}
		if len(errs) == 0 {
			continue
		}
		k := float64(len(errs))
		slices.Sort(errs)
		r.Games, r.Answers = len(games), len(errs)
		r.Geo, r.Mean, r.Median, r.Seconds = math.Exp(logs/k), r.Mean/k, errs[len(errs)/2], r.Seconds/k
		if both > 0 {
			r.Ratio, r.Wins = math.Exp(ratio/float64(both)), wins/float64(both)
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Row) int { return cmp.Compare(b.Ratio, a.Ratio) })
	return out
}

// losses lists where a peer has the smaller geometric mean.
func losses(all []Row, ours string) []Row {
	var out []Row
	for _, r := range all {
		if r.Ratio > 1 && r.Method != ours && !strings.HasPrefix(r.Method, oursPrefix) {
			out = append(out, r)
		}
	}
	return out
}

// write prints the rows, losses first.
func write(w io.Writer, all []Row, ours string) error {
	lost := losses(all, ours)
	fmt.Fprintf(w, "%q against each, by the geometric mean of Σ(φ̂−φ)²/Σφ². Lost: %d of %d.\n", ours, len(lost), contests(all))
	for _, r := range lost {
		fmt.Fprintf(w, "  lost: %s, %d %s a player: %s is ahead by ×%.2f (%.2g to %.2g), ours closer in %.0f %%\n",
			r.Set, r.Per, r.Axis, r.Method, r.Ratio, r.Geo, r.Geo*r.Ratio, 100*r.Wins)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	last := ""
	for _, r := range all {
		if title := fmt.Sprintf("%s, %d %s a player", r.Set, r.Per, r.Axis); title != last {
			last = title
			if err := t.Flush(); err != nil {
				return fmt.Errorf("print rows: %w", err)
			}
			fmt.Fprintf(w, "\n%s\n", title)
			fmt.Fprintln(t, "geo. mean\tmean\tmedian\tours/this\tours wins\tgames\tanswers\trefused\tseconds\t method")
		}
		fmt.Fprintf(t, "%.2e\t%.2e\t%.2e\t%.3f\t%.0f %%\t%d\t%d\t%d\t%.3f\t %s\n",
			r.Geo, r.Mean, r.Median, r.Ratio, 100*r.Wins, r.Games, r.Answers, r.Refused, r.Seconds, r.Method)
	}
	if err := t.Flush(); err != nil {
		return fmt.Errorf("print rows: %w", err)
	}
	return nil
}

// contests counts the comparisons with peers.
func contests(all []Row) int {
	n := 0
	for _, r := range all {
		if !strings.HasPrefix(r.Method, oursPrefix) {
			n++
		}
	}
	return n
}
