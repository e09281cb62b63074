package confseq

import (
	"fmt"
	"sort"
)

// Goal is what a stream is watched for.
type Goal string

// The goals. Ties never separate: with Top1 or Ranking such a stream runs until its caller ends it.
const (
	Top1    Goal = "top1"    // the player with the largest mean is known
	TopK    Goal = "topk"    // the set of the Options.TopK players with the largest means is known
	Ranking Goal = "ranking" // the order of all means is known
	Width   Goal = "width"   // the radius of every interval is at most Options.Width
	Budget  Goal = "budget"  // nothing stops the rule but its caller
)

// Reasons a rule or its caller gives for having stopped. A caller may use words of its own.
const (
	ReasonTop1    = "separated (top1)"
	ReasonTopK    = "separated (topk)"
	ReasonRanking = "separated (ranking)"
	ReasonWidth   = "width"
	ReasonBudget  = "budget"
)

// ParseGoal returns the goal with the given name.
func ParseGoal(name string) (Goal, error) {
	switch g := Goal(name); g {
	case Top1, TopK, Ranking, Width, Budget:
		return g, nil
	}
	return "", fmt.Errorf("unknown goal %q: want top1, topk, ranking, width or budget", name)
}

func (g Goal) reason() string {
	switch g {
	case Top1:
		return ReasonTop1
	case TopK:
		return ReasonTopK
	case Ranking:
		return ReasonRanking
	case Width:
		return ReasonWidth
	}
	return ReasonBudget
}

// leaders is how many players of the order a rule with these options declares.
func (o Options) leaders() int {
	switch o.Goal {
	case Top1:
		return 1
	case TopK:
		return o.TopK
	case Ranking:
		return o.Players
	}
	return 0
}

// union is the number of fixed false statements "i beats j" of which at least one must have been accepted
// when a wrong answer is declared; the error of a comparison of two players is divided by it.
//
// Top1: the true best beaten by the declared one, n−1 statements. TopK: one of the true k best beaten by one of the
// others. Ranking: since all pairs are compared, a wrong order reverses two neighbours of the true order.
func (o Options) union() int {
	n := o.Players
	if o.Goal == TopK {
		return max(1, o.TopK*(n-o.TopK))
	}
	return max(1, n-1)
}

// separated reports whether the comparisons that the goal asks for are all decided.
// The order is by decreasing mean; beats tells whether the first player is known to have the larger mean.
func (o Options) separated(order []int, beats func(i, j int) bool) bool {
	if o.Goal == Width || o.Goal == Budget {
		return false
	}
	k := o.leaders()
	for a, i := range order[:k] {
		from := k
		if o.Goal == Ranking {
			from = a + 1
		}
		for _, j := range order[from:] {
			if !beats(i, j) {
				return false
			}
		}
	}
	return true
}

// narrow reports whether the goal is a width and every interval has it.
func (o Options) narrow(intervals []Interval) bool {
	if o.Goal != Width {
		return false
	}
	for _, i := range intervals {
		if !(i.Radius() <= o.Width) {
			return false
		}
	}
	return true
}

// byMean returns the players in order of decreasing mean, equal ones by number.
func byMean(mean func(player int) float64, players int) []int {
	order := make([]int, players)
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return mean(order[a]) > mean(order[b]) })
	return order
}
