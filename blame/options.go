package blame

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/agentblame/agentblame/confseq"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/agentblame/agentblame/replay"
)

// Options say how an analysis is made. The zero value is the default: recorded
// noise, exact values where they can be had, steps as players, pass mark 1, no
// budget, all cases.
type Options struct {
	// Seed draws the order of cases, and the worlds of cases without a seed.
	Seed uint64
	// Mode says which noise counterfactual replays see; "" is Recorded.
	Mode Mode
	// Worlds is the number of worlds in the other modes; 0 is 8.
	Worlds int
	// Independent gives every coalition noise of its own. It exists to compare
	// with; the values then mix effects of fixes with luck.
	Independent bool
	// Method says how values are computed; "" is Auto.
	Method Method
	// Permutations is the most random orders of players replayed in a case whose
	// values are sampled; 0 is 1024.
	Permutations int
	// Evaluations is about how many coalitions are replayed in a case whose
	// states are too many to explore; 0 is 100 for each player.
	Evaluations int
	// Antithetic replays each order of players backwards too.
	Antithetic bool
	// Pass is the pass mark: a case fails when its score is below it. 0 is 1.
	Pass float64
	// Calls makes each call of a step a player.
	Calls bool
	// Groups are players that belong together, for blame at both levels. With
	// calls as players and none given, a step's calls are a group.
	Groups []Group
	// Ordered also gives values over those orders of players alone in which each
	// comes after the steps that it depends on (asymmetric Shapley values).
	Ordered bool
	// Fix names the variant to try for a step, where it isn't the first.
	Fix map[string]string
	// Budget is the most that the analysis' step runs may cost; 0 is no limit.
	Budget float64
	// Concurrency is how many step runs and cases go on at once; 0 is 4.
	Concurrency int
	// Nodes is the most states met in exploring one case; 0 is 32768.
	Nodes int
	// Delta is the error probability of intervals and of stopping; 0 is 0.05.
	Delta float64
	// Stop ends a batch when its goal is reached, or, in [Case], the sampling of
	// the case; "" analyses all cases. With the goal Top1, Case replays no more
	// than it takes to be certain who is most to blame, of up to 10 players, unless
	// Method says otherwise.
	Stop confseq.Goal
	// Claim says whom intervals and the stopping rule speak about; "" is Traffic.
	Claim Claim
	// TopK is how many steps the goal TopK is about, and Width the radius of
	// intervals that the goal Width asks for.
	TopK  int
	Width float64
	// Rule names the rule that decides about the goal over cases, one of
	// confseq.Names; "" is confseq's choice for the goal. SampleRule is that for
	// the permutations of one case; "" is "bernstein". Once a case was cut off, a
	// rule that can't count it with bounds alone (confseq.Rule) stops nothing.
	Rule, SampleRule string
	// CheckKeys is how many coalitions of each analysed case are replayed once
	// more with every output taken as it is, to check the keys that steps declare.
	CheckKeys int
	// Harm is on how many passing cases it is measured what fixes break; 0 is
	// 100, a negative number none.
	Harm int
	// KeepCases is how many failing, undefined or passing cases the result
	// keeps in full: the first in the order of analysis. 0 keeps all, a negative
	// number none.
	KeepCases int
	// NoStories leaves out what happened in the cases that the result keeps: what
	// steps were given, gave and drew.
	NoStories bool
	// Backoff is the wait before a first retry; 0 is half a second.
	Backoff time.Duration
	// Monitor, if not nil, can be read while the analysis goes on.
	Monitor *Monitor
	// Each, if not nil, is told of each case when it and all before it, in the
	// order in which they are analysed, are done.
	Each func(CaseResult)
}

// A Claim says whom conclusions are about.
type Claim string

// The claims.
const (
	// Traffic is future cases like these: the batch is taken as independent draws.
	Traffic Claim = "traffic"
	// ThisBatch is the failures of this batch, drawn in random order without
	// replacement. All cases are run before the first is analysed, so that it is
	// known how many fail; conclusions come sooner, and are certain at the end.
	ThisBatch Claim = "batch"
)

// A Method says how a case's values are computed.
type Method string

// The methods.
const (
	// Auto is exact while the limits on states allow it, and samples after that.
	Auto Method = "auto"
	// Exact explores all coalitions; a case beyond the limits is undefined.
	Exact Method = "exact"
	// Permutation replays random orders of the players.
	Permutation Method = "permutation"
)

// Further methods that a case's result may name.
const (
	methodModel  = "model"
	methodBounds = "bounds"
)

func (o Options) withDefaults() Options {
	if o.Pass == 0 {
		o.Pass = 1
	}
	if o.Concurrency <= 0 {
		o.Concurrency = 4
	}
	if o.Delta == 0 {
		o.Delta = 0.05
	}
	if o.Mode == "" {
		o.Mode = Recorded
	}
	if o.Worlds == 0 {
		o.Worlds = 8
	}
	if o.Mode == Recorded {
		o.Worlds = 1
	}
	if o.Method == "" {
		o.Method = Auto
	}
	if o.Permutations == 0 {
		o.Permutations = 1024
	}
	if o.Claim == "" {
		o.Claim = Traffic
	}
	if o.Harm == 0 {
		o.Harm = 100
	}
	return o
}

func (o Options) check() error {
	switch {
	case !(o.Pass > 0 && o.Pass <= 1):
		return fmt.Errorf("the pass mark is %v; it must lie above 0 and be at most 1", o.Pass)
	case !(o.Budget >= 0 && o.Budget <= math.MaxFloat64):
		return fmt.Errorf("the budget is %v; it must be a finite number and not negative", o.Budget)
	case !(o.Delta > 0 && o.Delta < 1):
		return fmt.Errorf("delta is %v; it must lie between 0 and 1", o.Delta)
	case o.Mode != Recorded && o.Mode != Posterior && o.Mode != Prior:
		return fmt.Errorf("there is no mode %q: it is recorded, posterior or prior", o.Mode)
	case o.Method != Auto && o.Method != Exact && o.Method != Permutation:
		return fmt.Errorf("there is no method %q: it is auto, exact or permutation", o.Method)
	case o.Claim != Traffic && o.Claim != ThisBatch:
		return fmt.Errorf("there is no claim %q: it is traffic or batch", o.Claim)
	case o.Worlds < 1 || o.Permutations < 1:
		return fmt.Errorf("%d worlds and %d permutations were asked for; both must be at least 1", o.Worlds, o.Permutations)
	case o.Stop == confseq.Width && !(o.Width > 0):
		return fmt.Errorf("the goal width needs a width above 0")
	case o.Stop == confseq.TopK && o.TopK < 1:
		return fmt.Errorf("the goal topk needs to know of how many steps, at least 1, and top-k is %d", o.TopK)
	}
	return nil
}

func (o Options) engine(p *pipeline.Pipeline) (*replay.Engine, error) {
	return replay.New(p, replay.Options{
		Concurrency: o.Concurrency, Budget: o.Budget, Fix: o.Fix, Calls: o.Calls, Nodes: o.Nodes, Backoff: o.Backoff,
	})
}

func (o Options) settings() Settings {
	s := Settings{
		Mode: string(o.Mode), Method: string(o.Method), Estimand: o.estimand(), Independent: o.Independent, Players: "steps",
		Pass: o.Pass, Seed: o.Seed, Delta: o.Delta, Budget: o.Budget, Stop: string(o.Stop), Rule: o.Rule, Claim: string(o.Claim),
	}
	if o.Mode != Recorded {
		s.Worlds = o.Worlds
	}
	if o.Calls {
		s.Players = "calls"
	}
	return s
}

// A Monitor can be read while an analysis goes on. The zero value is ready.
type Monitor struct {
	engine   atomic.Pointer[replay.Engine]
	total    atomic.Int64
	done     atomic.Int64
	failures atomic.Int64
}

// Progress is where an analysis stands.
type Progress struct {
	Cases, Done, Failures int
	StepRuns, InFlight    int
	Retried               int
	// Cost is what the analysis' step runs have cost so far.
	Cost float64
}

// Progress returns where the analysis stands.
func (m *Monitor) Progress() Progress {
	p := Progress{Cases: int(m.total.Load()), Done: int(m.done.Load()), Failures: int(m.failures.Load())}
	if e := m.engine.Load(); e != nil {
		finished := e.Stats().Finished.Load()
		p.StepRuns = int(finished)
		p.InFlight = int(e.Stats().Started.Load() - finished)
		p.Retried = int(e.Stats().Retried.Load())
		p.Cost = e.Spent()
	}
	return p
}
