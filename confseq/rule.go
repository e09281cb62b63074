package confseq

import (
	"errors"
	"fmt"
	"math"
	"strings"
)

// Rule watches a stream of vectors and says when its goal is reached.
type Rule interface {
	// Add takes the next vector: one finite value per player, in the declared range. A vector that is refused with an
	// error changes nothing. Vectors may still be added after the goal is reached, none after Close.
	Add(values []float64) error
	// AddBounds takes a vector of which only bounds are known, such as the values of a case that was cut short.
	// The promise stays, the evidence grows more slowly. Rules that can't use bounds (Scheduled, Asymptotic) refuse them.
	AddBounds(low, high []float64) error
	// Count is the number of vectors added.
	Count() int
	// Intervals returns one interval per player: the latest that the rule vouches for, the whole range before the
	// first. It is nil for rules that decide without intervals (Elimination, Pairs).
	Intervals() []Interval
	// Stopped tells whether the rule has stopped, and why: the goal's reason, or what Close was given.
	// What a rule has once declared stays declared.
	Stopped() (reason string, ok bool)
	// Leaders returns the players that were declared, best first: one for Top1, k for TopK, all for Ranking;
	// nil as long as nothing is.
	Leaders() []int
	// Close ends the stream for a reason of the caller's, such as ReasonBudget. It changes nothing if the goal is
	// reached.
	Close(reason string)
	// Promise says what the rule guarantees and what it doesn't.
	Promise() Promise
}

// Options are shared by all rules. Only Players has no default.
type Options struct {
	Players int     // length of every vector, at least 1
	Delta   float64 // bound on the probability of an error, in (0, 1); 0 means 0.05

	Low, High float64 // range of every value; both 0 means [−1, 1]
	// Spread bounds the difference of two values of one vector; 0 means High − Low.
	// Exact Shapley values of a game with scores in [0, 1] have spread 1.
	Spread float64

	Goal  Goal    // "" means Top1
	TopK  int     // number of players for the goal TopK
	Width float64 // radius for the goal Width

	// Batch is the size of a finite batch whose members come in random order, each once; the means are then those of
	// the batch. 0 means independent draws, and the means are those of their distribution.
	Batch int

	Bet      Bet      // how Elimination and Pairs bet; "" means BetMix
	Schedule Schedule // when Scheduled looks; the zero value means 8, 12, 18, 27, 41, 61, …
	// Running intersects every interval with all earlier ones of the same player (those that were asked for, or were
	// looked at for the goal). It suits a mean that doesn't drift.
	Running bool
}

// Names returns the names that New knows, the recommended one first.
func Names() []string {
	return []string{
		"auto", "elimination", "elimination-agrapa", "elimination-grid", "pairs",
		"hedged", "plugin", "asymptotic", "bernstein", "hoeffding", "normal",
	}
}

// New returns the rule with the given name.
//
// "auto", or the empty name, is the best betting rule for the goal: Elimination for Top1 and TopK (Pairs if there are
// too many sets to choose from), Pairs for Ranking, Hedged for Width and Budget.
func New(name string, o Options) (Rule, error) {
	switch name {
	case "", "auto":
		return newAuto(o)
	case "elimination":
		return asRule(NewElimination(o))
	case "elimination-agrapa":
		o.Bet = BetAGRAPA
		return asRule(NewElimination(o))
	case "elimination-grid":
		o.Bet = BetGrid
		return asRule(NewElimination(o))
	case "pairs":
		return asRule(NewPairs(o))
	case "hedged", "plugin", "asymptotic":
		return asRule(NewFamily(Kind(name), o))
	case "bernstein", "hoeffding", "normal":
		return asRule(NewScheduled(Radius(name), o))
	}
	return nil, fmt.Errorf("unknown rule %q: want one of %s", name, strings.Join(Names(), ", "))
}

// TakesBounds says whether the rule with the given name, one that New knows, takes bounds of values where these differ:
// see Rule.AddBounds.
func TakesBounds(name string) bool {
	switch name {
	case "asymptotic", "bernstein", "hoeffding", "normal":
		return false
	}
	return true
}

func newAuto(o Options) (Rule, error) {
	switch o.Goal {
	case Width, Budget:
		return asRule(NewFamily(KindHedged, o))
	case Ranking:
		return asRule(NewPairs(o))
	}
	e, err := NewElimination(o)
	if errors.Is(err, ErrTooManySets) {
		return asRule(NewPairs(o))
	}
	return asRule(e, err)
}

// asRule keeps a failed constructor's nil pointer out of the interface.
func asRule[R Rule](r R, err error) (Rule, error) {
	if err != nil {
		return nil, err
	}
	return r, nil
}

// complete fills in the defaults and checks the options.
func (o Options) complete() (Options, error) {
	if o.Delta == 0 {
		o.Delta = 0.05
	}
	if o.Low == 0 && o.High == 0 {
		o.Low, o.High = -1, 1
	}
	if o.Spread == 0 {
		o.Spread = o.High - o.Low
	}
	if o.Goal == "" {
		o.Goal = Top1
	}
	if o.Bet == "" {
		o.Bet = BetMix
	}
	switch {
	case o.Players < 1:
		return o, fmt.Errorf("players is %d: want at least 1", o.Players)
	case !(o.Delta > 0 && o.Delta < 1):
		return o, fmt.Errorf("delta is %v: want a probability between 0 and 1", o.Delta)
	case !(o.Low < o.High) || math.IsInf(o.High-o.Low, 0):
		return o, fmt.Errorf("range is [%v, %v]: want finite bounds, the lower one first", o.Low, o.High)
	case !(o.Spread > 0) || o.Spread > (o.High-o.Low)*(1+slack):
		return o, fmt.Errorf("spread is %v: want more than 0 and at most high − low = %v", o.Spread, o.High-o.Low)
	case o.Goal == TopK && (o.TopK < 1 || o.TopK >= o.Players):
		return o, fmt.Errorf("topk is %d: want at least 1 and fewer than the %d players", o.TopK, o.Players)
	case o.Goal == Width && !(o.Width > 0):
		return o, fmt.Errorf("width is %v: want more than 0", o.Width)
	case o.Batch < 0:
		return o, fmt.Errorf("batch is %d: want its size, or 0 for none", o.Batch)
	}
	if _, err := ParseGoal(string(o.Goal)); err != nil {
		return o, err
	}
	return o, o.Bet.check()
}

// slack is the share of the range by which a value may leave it through rounding.
const slack = 1e-9

// check refuses a vector of bounds that the promise doesn't cover. Exact values have low = high.
func (o Options) check(count int, low, high []float64) error {
	if len(low) != o.Players || len(high) != o.Players {
		return fmt.Errorf("vector %d has %d values: want %d", count+1, min(len(low), len(high)), o.Players)
	}
	if o.Batch > 0 && count >= o.Batch {
		return fmt.Errorf("vector %d is one more than the batch of %d has", count+1, o.Batch)
	}
	tolerance := slack * (o.High - o.Low)
	for i := range low {
		if !(low[i] >= o.Low-tolerance && high[i] <= o.High+tolerance && low[i] <= high[i]) {
			return fmt.Errorf("value of player %d in vector %d is %s: want it within [%v, %v]",
				i, count+1, bounds(low[i], high[i]), o.Low, o.High)
		}
	}
	return nil
}

// checkSpread refuses a vector in which two values must be further apart than declared.
func (o Options) checkSpread(count int, low, high []float64) error {
	top, bottom := math.Inf(-1), math.Inf(1)
	for i := range low {
		top, bottom = max(top, low[i]), min(bottom, high[i])
	}
	if top-bottom > o.Spread*(1+slack) {
		return fmt.Errorf("values of vector %d are up to %v apart: want at most the spread %v",
			count+1, top-bottom, o.Spread)
	}
	return nil
}

// exact refuses bounds that differ.
func exact(low, high []float64) error {
	for i := range low {
		if low[i] != high[i] {
			return fmt.Errorf("only bounds %s are known of the value of player %d: want the value", bounds(low[i], high[i]), i)
		}
	}
	return nil
}

func bounds(low, high float64) string {
	if low == high || math.IsNaN(low) {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("[%v, %v]", low, high)
}

// ending is how a rule has stopped; the first reason stays.
type ending struct {
	reason  string
	leaders []int
	closed  bool
}

var errClosed = errors.New("the stream is closed")

func (e *ending) declare(reason string, leaders []int) {
	if e.reason != "" {
		return
	}
	e.reason = reason
	if len(leaders) > 0 {
		e.leaders = leaders
	}
}

// Stopped implements Rule.
func (e *ending) Stopped() (reason string, ok bool) { return e.reason, e.reason != "" }

// Leaders implements Rule.
func (e *ending) Leaders() []int { return e.leaders }

// Close implements Rule.
func (e *ending) Close(reason string) {
	if reason == "" {
		reason = ReasonBudget
	}
	e.closed = true
	e.declare(reason, nil)
}
