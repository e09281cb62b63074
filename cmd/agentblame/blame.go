package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/report"
	"github.com/agentblame/agentblame/spec"
	"github.com/spf13/cobra"
)

// source is what is read of a pipeline and its cases: flags shared by verbs.
type source struct {
	file        string
	host        string
	workers     int
	cases       []string
	filterID    string
	filterTags  map[string]string
	filterFirst int
	concurrency int
	seed        uint64
}

func (s *source) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&s.file, "config", "c", "agentblame.yaml", "the pipeline")
	f.StringVar(&s.host, "host", "", "a program that speaks the step protocol and has the whole pipeline, in place of a file: a `command`, an address, or fd:N for a socket")
	f.IntVar(&s.workers, "workers", 1, "processes of the --host at once")
	f.StringArrayVar(&s.cases, "cases", nil, "case `file` (.jsonl, .csv, .yaml; - is JSON Lines on standard input), instead of the cases that the pipeline names; repeatable")
	f.StringVar(&s.filterID, "filter-id", "", "only cases whose id matches the `regexp`")
	f.StringToStringVar(&s.filterTags, "filter-tag", nil, "only cases with the `tag=value`")
	f.IntVar(&s.filterFirst, "filter-first", 0, "only the first `N` cases")
	f.IntVarP(&s.concurrency, "concurrency", "j", 0, "step runs at once (default 4)")
	f.Uint64Var(&s.seed, "seed", 0, "seed of the worlds of cases without one, and of the order of cases")
}

// load reads the pipeline and the cases; anything wrong with them is wrong usage.
func (s *source) load(cmd *cobra.Command) (*spec.File, []pipeline.Case, error) {
	if err := positive(cmd, "concurrency", "filter-first", "workers"); err != nil {
		return nil, nil, err
	}
	file, err := s.open(cmd)
	if err != nil {
		return nil, nil, err
	}
	cases, err := s.read(cmd, file)
	if err != nil {
		file.Close()
		return nil, nil, usageError{err}
	}
	return file, cases, nil
}

// read reads the cases.
func (s *source) read(cmd *cobra.Command, file *spec.File) ([]pipeline.Case, error) {
	from := file
	if len(s.cases) > 0 { // these alone, not those that stand in the file
		from = &spec.File{Path: file.Path, Check: file.Check, CaseFiles: s.cases, Input: cmd.InOrStdin()}
	}
	cases, err := from.Cases()
	if err != nil {
		return nil, err
	}
	if cases, err = s.filter(cases); err != nil {
		return nil, err
	}
	if len(cases) == 0 {
		return nil, errors.New("there are no cases: name a file of them under cases: in the pipeline, or with --cases, and see that the filters leave some")
	}
	return cases, nil
}

func (s *source) filter(cases []pipeline.Case) ([]pipeline.Case, error) {
	id, err := regexp.Compile(s.filterID)
	if err != nil {
		return nil, fmt.Errorf("--filter-id: %w", err)
	}
	var kept []pipeline.Case
	for _, c := range cases {
		ok := id.MatchString(c.ID)
		for tag, value := range s.filterTags {
			ok = ok && c.Tags[tag] == value
		}
		if ok && (s.filterFirst <= 0 || len(kept) < s.filterFirst) {
			kept = append(kept, c)
		}
	}
	return kept, nil
}

func newBlame() *cobra.Command {
	var (
		from    source
		to      output
		players string
		fixes   map[string]string
		options blame.Options
		dryRun  bool
	)
	cmd := &cobra.Command{
		Use:   "blame",
		Short: "Find which step of a pipeline caused its failures",
		Long: `Runs every case through the pipeline, replays each failure with all combinations
of fixes, and tells what each step is to blame for. A case fails when its score is
below the pass mark. Blame is relative to the fixes considered: a step without a
variant is not a player.

The table goes to standard output. -o writes the whole result, in the format that
the file's ending names: .html (a page to look at), .json, .jsonl (a case a line),
.csv, .md (a comment on a pull request) or .junit.xml (test cases).

A step run that fails is no error of the command: it stands in its case's errors.`,
		Example: `  agentblame blame                          the pipeline in agentblame.yaml
  agentblame blame -c rag.yaml -j 16 -o result.json -o result.csv
  agentblame blame --dry-run                what it may run and cost
  agentblame blame --budget 500             spend no more than that
  agentblame blame --fix writer=gpt-large   try that variant of the writer
  agentblame blame --players calls          which call of a step went wrong
  agentblame blame --host "python -m my_app" --cases cases.jsonl
                                            a pipeline in Python, without a file`,
		Args: usage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := positive(cmd, "worlds", "permutations", "evaluations", "pass", "budget", "delta", "top-k", "width", "check-keys", "nodes", "list"); err != nil {
				return err
			}
			if err := checkOutputs(to.files); err != nil {
				return err
			}
			file, cases, err := from.load(cmd)
			if err != nil {
				return err
			}
			defer file.Close()
			o, err := merge(cmd, file, options, from, players, fixes)
			if err != nil {
				return usageError{err}
			}
			if dryRun {
				plan, err := blame.PlanBatch(file.Pipeline, cases, o)
				if err != nil {
					return usageError{err}
				}
				return report.Plan(cmd.OutOrStdout(), plan)
			}
			return analyze(cmd, file, to, func(ctx context.Context, m *blame.Monitor) (*blame.Result, error) {
				o.Monitor = m
				return blame.Batch(ctx, file.Pipeline, cases, o)
			})
		},
	}
	from.flags(cmd)
	to.flags(cmd)
	f := cmd.Flags()
	f.StringVar(&players, "players", "", "what blame goes to: steps, or calls of steps (default steps)")
	f.StringToStringVar(&fixes, "fix", nil, "the variant to try as a `step=variant`'s fix, where it isn't the first; repeatable")
	f.StringVar((*string)(&options.Mode), "mode", "", "noise of counterfactual replays: recorded, posterior or prior (default recorded)")
	f.IntVar(&options.Worlds, "worlds", 0, "worlds of noise in posterior and prior mode (default 8)")
	f.StringVar((*string)(&options.Method), "method", "", "how values are computed: auto, exact or permutation (default auto)")
	f.IntVar(&options.Permutations, "permutations", 0, "the most orders of players sampled in one case (default 1024)")
	f.IntVar(&options.Evaluations, "evaluations", 0, "about how many coalitions are replayed in a case with too many states (default 100 a player)")
	f.BoolVar(&options.Antithetic, "antithetic", false, "sample each order of players backwards too")
	f.BoolVar(&options.Independent, "independent", false, "fresh noise in every coalition: for comparison only")
	f.Float64Var(&options.Pass, "pass", 0, "the pass mark: a lower score fails (default 1)")
	f.Float64Var(&options.Budget, "budget", 0, "the most that the analysis' step runs may cost, in your unit (default no limit)")
	f.Float64Var(&options.Delta, "delta", 0, "the error probability of intervals and of stopping (default 0.05)")
	f.StringVar((*string)(&options.Stop), "stop", "", "stop when this is known: top1, topk, ranking, or width of intervals (default none: all cases)")
	f.StringVar((*string)(&options.Claim), "claim", "", "whom conclusions are about: traffic like these cases, or this batch (default traffic)")
	f.IntVar(&options.TopK, "top-k", 0, "how many steps --stop topk is about")
	f.Float64Var(&options.Width, "width", 0, "the radius of intervals that --stop width asks for")
	f.StringVar(&options.Rule, "rule", "", "the rule that decides about --stop: "+strings.Join(confseq.Names(), ", "))
	f.BoolVar(&options.Ordered, "ordered", false, "also values over orders in which each step comes after what it needs")
	f.IntVar(&options.CheckKeys, "check-keys", 0, "replay `N` coalitions of each failure without the keys that steps declare, to check those")
	f.IntVar(&options.Harm, "harm", 0, "on how many passing cases to measure what fixes break; 0 for none (default 100)")
	f.IntVar(&options.KeepCases, "keep-cases", 0, "how many cases the result lists in full; -1 for none (default all)")
	f.BoolVar(&options.NoStories, "no-stories", false, "leave out what steps were given, gave and drew in the cases that the result lists")
	f.IntVar(&options.Nodes, "nodes", 0, "the most states explored in one case (default 32768)")
	f.BoolVar(&dryRun, "dry-run", false, "tell what may be run and what it may cost, and run nothing")
	return cmd
}

// positive finds flags that were given a value of 0 or less, which would
// otherwise stand for their default.
func positive(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		if !cmd.Flags().Changed(name) {
			continue
		}
		value := cmd.Flags().Lookup(name).Value.String()
		if x, err := strconv.ParseFloat(value, 64); err != nil || !(x > 0) {
			return usageError{fmt.Errorf("--%s %s: it must be above 0", name, value)}
		}
	}
	return nil
}

// merge lays the command line's choices over the file's.
func merge(cmd *cobra.Command, file *spec.File, o blame.Options, from source, players string, fixes map[string]string) (blame.Options, error) {
	s := file.Blame
	o.Seed, o.Concurrency = from.seed, from.concurrency
	if !cmd.Flags().Changed("seed") && s.Seed != nil {
		o.Seed = *s.Seed
	}
	o.Concurrency = cmp.Or(o.Concurrency, s.Concurrency)
	o.Mode = cmp.Or(o.Mode, blame.Mode(s.Mode))
	o.Worlds = cmp.Or(o.Worlds, s.Worlds)
	o.Method = cmp.Or(o.Method, blame.Method(s.Method))
	o.Delta = cmp.Or(o.Delta, s.Delta)
	o.Nodes = cmp.Or(o.Nodes, s.Nodes)
	o.Width = cmp.Or(o.Width, s.Width)
	o.KeepCases = cmp.Or(o.KeepCases, s.KeepCases)
	o.Rule = cmp.Or(o.Rule, s.Rule)
	o.TopK = cmp.Or(o.TopK, s.TopK)
	o.Claim = cmp.Or(o.Claim, blame.Claim(s.Claim))
	if cmd.Flags().Changed("harm") && o.Harm == 0 {
		o.Harm = -1 // none, where 0 stands for the default
	}
	o.Harm = cmp.Or(o.Harm, s.Harm)
	o.CheckKeys = cmp.Or(o.CheckKeys, s.CheckKeys)
	o.Ordered = o.Ordered || s.Ordered
	for _, g := range s.Groups {
		o.Groups = append(o.Groups, blame.Group{Name: g.Name, Members: g.Members})
	}
	o.Stop = cmp.Or(o.Stop, confseq.Goal(s.Stop))
	if o.Stop == "none" || o.Stop == confseq.Budget {
		o.Stop = "" // the budget stops in any case
	}
	switch {
	case cmd.Flags().Changed("top-k") && o.Stop != confseq.TopK:
		return o, errors.New("--top-k goes with --stop topk")
	case cmd.Flags().Changed("width") && o.Stop != confseq.Width:
		return o, errors.New("--width goes with --stop width")
	case o.Stop == confseq.TopK && o.TopK == 0:
		return o, errors.New("--stop topk needs --top-k: of how many steps")
	}
	if s.Budget != nil {
		o.Budget = cmp.Or(o.Budget, *s.Budget)
	}
	if s.Pass != nil {
		o.Pass = cmp.Or(o.Pass, *s.Pass)
	}
	switch cmp.Or(players, s.Players) {
	case "", "steps":
	case "calls":
		o.Calls = true
	default:
		return o, fmt.Errorf("--players %s: it is steps or calls", players)
	}
	o.Fix = maps.Clone(s.Fixes)
	if o.Fix == nil {
		o.Fix = map[string]string{}
	}
	maps.Copy(o.Fix, fixes)
	for step, variant := range o.Fix {
		if variant == "" {
			return o, fmt.Errorf("--fix %s=: it names no variant", step)
		}
	}
	if o.Rule != "" && !slices.Contains(confseq.Names(), o.Rule) {
		return o, fmt.Errorf("there is no rule %q: it is one of %s", o.Rule, strings.Join(confseq.Names(), ", "))
	}
	return o, nil
}

// analyze runs an analysis with progress, writes its result everywhere it was
// asked to go, also when it was interrupted or a host broke down, and prints it.
func analyze(cmd *cobra.Command, file *spec.File, to output, run func(context.Context, *blame.Monitor) (*blame.Result, error)) error {
	monitor := &blame.Monitor{}
	stop := showProgress(cmd.ErrOrStderr(), monitor)
	ctx, end := untilHostsGo(cmd.Context(), file)
	defer end()
	result, err := run(ctx, monitor)
	stop()
	gone := file.HostError()
	if cmd.Context().Err() != nil {
		gone = nil // the user ended it, and that is why
	}
	interrupted := errors.Is(err, context.Canceled)
	switch {
	case gone != nil && (result == nil || result.Summary.Analyzed == 0):
		return gone
	case gone != nil: // what the cases that are done have cost isn't lost
		result.Summary.Stopped, result.Summary.Partial = "interrupted", true
	case err != nil && !interrupted:
		return usageError{err}
	}
	again := file.AskedAgain()
	for _, step := range slices.Sorted(maps.Keys(again)) {
		result.Summary.AskedAgain = append(result.Summary.AskedAgain, blame.PlayerValue[int]{Player: step, Value: again[step]})
	}
	err = to.write(cmd, result)
	switch {
	case gone != nil:
		err = errors.Join(err, fmt.Errorf("%w; the results are partial", gone))
	case interrupted:
		err = errors.Join(err, errInterrupted)
	}
	return err
}
