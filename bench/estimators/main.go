// Command estimators compares package estimate with the estimators of shapiq and
// shap, run by their own code, on games whose Shapley values are known:
//
//	go run ./bench/estimators -games DIR [-o FILE.json] [-seeds 10] [-quick]
//
// Games are the full tables in DIR (shapiq's benchmark: .npz files of values and
// coalitions) and generated pipelines of six kinds. All methods get the same
// games, budgets and seeds. A budget of k is k·n coalitions of n players,
// besides ∅ and N, whose values all are given or ask, and at most 0.7·2ⁿ. The
// error is Σ(φ̂−φ)²/Σφ², which counts as at least 1e-14. For pipelines there is a
// second account: the step runs that replaying a method's coalitions takes, with
// the same memory of runs for all.
//
// The peers are installed from PyPI into a virtual environment of their own
// (-venv), and run in one Python process beside ours. All answers are kept in
// -cache, the peers' by their versions and ours by the hash of this program, so
// that a run may be cut short (-for, or by the interrupt key) and gone on with.
// The tables show the games and seeds that all methods have answered. ShaplEIG
// is left out, because it needs torch, and ProxySPEX and SPEX, because one
// answer takes minutes or large numbers of coalitions.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/agentblame/agentblame/bench/saved"
)

// options are the flags.
type options struct {
	games, match, out, venv, cache, python, ours, budgets string
	seeds                                                 int
	quick, alone                                          bool
	limit                                                 time.Duration
}

func main() {
	var o options
	home, err := os.UserCacheDir()
	if err != nil {
		home = os.TempDir()
	}
	home = filepath.Join(home, "agentblame")
	shared := os.Getenv("AGENTBLAME_SHARED")
	if shared != "" {
		shared = filepath.Join(shared, "games")
	}
	flag.StringVar(&o.games, "games", shared, "`directory` of published games (.npz)")
	flag.StringVar(&o.match, "match", "", "only games whose names contain this `text`")
	flag.StringVar(&o.out, "o", "", "write the rows as JSON to this `file`")
	flag.IntVar(&o.seeds, "seeds", 10, "number of seeds")
	flag.StringVar(&o.budgets, "budgets", "2,4,10,20,50,100,200", "coalitions a player")
	flag.BoolVar(&o.quick, "quick", false, "few games, 2 seeds, budgets 2, 10 and 50: some two minutes")
	flag.BoolVar(&o.alone, "alone", false, "without the peers")
	flag.StringVar(&o.ours, "ours", "auto,gp,sparse,leverage,stratified,antithetic", "methods of ours; the first is the one compared")
	flag.StringVar(&o.venv, "venv", filepath.Join(home, "peers"), "`directory` of the peers' virtual environment")
	flag.StringVar(&o.cache, "cache", filepath.Join(home, "estimators"), "`directory` of answers")
	flag.StringVar(&o.python, "python", "", "Python that makes the virtual environment (default: the newest found)")
	flag.DurationVar(&o.limit, "for", 0, "stop asking after this time and print what is known")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "estimators:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.quick {
		o.seeds, o.budgets = 2, "2,10,50"
	}
	pers, err := numbers(o.budgets)
	if err != nil {
		return err
	}
	games, err := load(o)
	if err != nil {
		return err
	}
	b := &board{jobs: jobs(games, pers, o.seeds)}
	ours, err := openOurs(o)
	if err != nil {
		return err
	}
	defer ours.close()
	for _, m := range strings.Split(o.ours, ",") {
		b.methods = append(b.methods, oursPrefix+m)
	}
	peers, theirs, err := openPeers(ctx, o)
	if err != nil {
		// Without network there is no comparison, but ours can be shown.
		fmt.Fprintln(os.Stderr, "missing: the peers:", err)
	}
	if theirs != nil {
		defer theirs.close()
		b.methods = append(b.methods, peers.Methods...)
	}
	b.get = func(k answerKey) (answer, bool) {
		if a, ok := ours.get(k); ok || theirs == nil {
			return a, ok
		}
		return theirs.get(k)
	}
	if err := ask(ctx, o, b, ours, peers, theirs); err != nil {
		return err
	}
	all := b.report(pers, b.methods[0])
	if peers != nil {
		fmt.Printf("peers: %v\n", peers.Versions)
	}
	if err := write(os.Stdout, all, b.methods[0]); err != nil {
		return err
	}
	return saved.Rows(o.out, all)
}

// numbers reads a list of positive numbers.
func numbers(list string) ([]int, error) {
	var out []int
	for _, part := range strings.Split(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("budget %q is no positive number", part)
		}
		out = append(out, n)
	}
	return out, nil
}

// load reads and generates the games.
func load(o options) ([]testGame, error) {
	var games []testGame
	if o.games == "" {
		fmt.Fprintln(os.Stderr, "missing: published games; name their directory with -games. Only generated pipelines are compared.")
	} else {
		var err error
		if games, err = published(o.games, o.match); err != nil {
			return nil, err
		}
		if len(games) == 0 && o.match == "" {
			fmt.Fprintf(os.Stderr, "missing: published games; there is no .npz file in %s\n", o.games)
		}
	}
	games = append(games, generated(o.match)...)
	if len(games) == 0 {
		return nil, fmt.Errorf("no game's name contains %q", o.match)
	}
	if o.quick {
		var some []testGame
		for k, g := range games {
			if k%5 == 0 {
				some = append(some, g)
			}
		}
		games = some
	}
	return games, nil
}

func openOurs(o options) (*cache, error) {
	id, err := program()
	if err != nil {
		return nil, err
	}
	return openCache(filepath.Join(o.cache, "ours-"+id+".jsonl"))
}

// openPeers makes the environment, starts the process and opens its answers.
// All are nil if there are no peers to compare with.
func openPeers(ctx context.Context, o options) (*peers, *cache, error) {
	if o.alone {
		return nil, nil, nil
	}
	bin, err := environment(ctx, o.venv, o.python, os.Stderr)
	if err != nil {
		return nil, nil, err
	}
	p, err := startPeers(ctx, bin)
	if err != nil {
		return nil, nil, err
	}
	c, err := openCache(filepath.Join(o.cache, "peers-"+p.id()+".jsonl"))
	if err != nil {
		return nil, nil, errors.Join(err, p.stop())
	}
	return p, c, nil
}

// ask gets all answers that are missing: the peers' in their process, ours on
// the other cores. The time limit and an interrupt end it without an error.
func ask(ctx context.Context, o options, b *board, ours *cache, peers *peers, theirs *cache) error {
	if o.limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, o.limit)
		defer cancel()
	}
	var oursLeft, theirsLeft atomic.Int64
	for _, j := range b.jobs {
		oursLeft.Add(int64(len(missing(j, strings.Split(o.ours, ","), oursPrefix, ours))))
		if peers != nil {
			theirsLeft.Add(int64(len(missing(j, peers.Methods, "", theirs))))
		}
	}
	fmt.Fprintf(os.Stderr, "%d games, %d answers each of %d methods; missing: %d of ours, about %.0f min, and %d of peers, about %.0f min\n",
		len(games(b.jobs)), len(b.jobs), len(b.methods), oursLeft.Load(), float64(oursLeft.Load())*0.35/60, theirsLeft.Load(), float64(theirsLeft.Load())*0.06/60)
	done := make(chan struct{})
	defer close(done)
	go func() {
		for tick := time.Tick(30 * time.Second); ; {
			select {
			case <-done:
				return
			case <-tick:
				fmt.Fprintf(os.Stderr, "left: %d of ours, %d of peers\n", oursLeft.Load(), theirsLeft.Load())
			}
		}
	}()
	var all errgroup.Group
	if peers != nil {
		all.Go(func() error {
			defer peers.stop() // an interrupt has stopped it already
			for _, j := range b.jobs {
				methods := missing(j, peers.Methods, "", theirs)
				if ctx.Err() != nil || len(methods) == 0 {
					continue
				}
				path, err := j.game.writeTable(filepath.Join(o.cache, "tables"))
				if err != nil {
					return err
				}
				err = peers.ask(j, path, methods, func(a answer) error {
					theirsLeft.Add(-1)
					return theirs.put(a)
				})
				if err != nil && ctx.Err() == nil {
					return err
				}
			}
			return nil
		})
	}
	all.Go(func() error {
		var workers errgroup.Group
		workers.SetLimit(max(1, runtime.GOMAXPROCS(0)-1))
		for _, j := range b.jobs {
			for _, m := range missing(j, strings.Split(o.ours, ","), oursPrefix, ours) {
				workers.Go(func() error {
					a, err := j.ask(ctx, m)
					if ctx.Err() != nil {
						return nil
					}
					if err != nil {
						return err
					}
					oursLeft.Add(-1)
					return ours.put(a)
				})
			}
		}
		return workers.Wait()
	})
	return all.Wait()
}

// missing returns the methods whose answer to the job is not known.
func missing(j job, methods []string, prefix string, c *cache) []string {
	var out []string
	for _, m := range methods {
		if _, ok := c.get(j.key(prefix + m)); !ok {
			out = append(out, m)
		}
	}
	return out
}

// games returns the names of the jobs' games.
func games(jobs []job) map[string]bool {
	out := map[string]bool{}
	for _, j := range jobs {
		out[j.game.name] = true
	}
	return out
}
