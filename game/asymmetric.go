package game

import (
	"context"
	"fmt"
)

// MaxIdeals limits the number of coalitions Asymmetric evaluates.
const MaxIdeals = 1 << 20

// Asymmetric returns the Shapley values that respect an order of the players:
// each player's mean gain over the random orders in which i comes after all of
// before[i], all such orders being equally likely. With before[i] = {0 … i−1}
// a player is credited with what its fix adds to the fixes of all before it.
// The number of players is len(before).
//
// Only coalitions that hold, with a player, all who come before it are
// evaluated, each once. It is an error if nobody can be first (a cycle), if
// there are more than MaxIdeals such coalitions, or if v fails.
//
// Frye, Rowat and Feige, Asymmetric Shapley values, 2020.
func Asymmetric(ctx context.Context, before []Coalition, v ValueFunc) ([]float64, error) {
	n := len(before)
	levels, err := ideals(before, MaxIdeals)
	if err != nil {
		return nil, fmt.Errorf("computing asymmetric Shapley values: %w", err)
	}
	completeWays(levels, before)

	// In a uniformly random order, i comes next after c with a probability in
	// proportion to the number of ways to go on from c∪i.
	phi := make([]float64, n)
	value := func(c Coalition) (float64, error) {
		x, err := v(ctx, c)
		if err != nil {
			return 0, fmt.Errorf("computing asymmetric Shapley values: value of %v: %w", c, err)
		}
		return x, nil
	}
	empty := &levels[0].list[0]
	empty.reach = 1
	if empty.value, err = value(empty.set); err != nil {
		return nil, err
	}
	for size, level := range levels[:n] {
		next := &levels[size+1]
		for k := range next.list {
			if next.list[k].value, err = value(next.list[k].set); err != nil {
				return nil, err
			}
		}
		for _, from := range level.list {
			total := 0.0
			for i := range candidates(from.set, before) {
				total += next.at(from.set.With(i)).ways
			}
			for i := range candidates(from.set, before) {
				to := next.at(from.set.With(i))
				p := from.reach * (to.ways / total)
				to.reach += p
				phi[i] += float64(p * (to.value - from.value))
			}
		}
	}
	return phi, nil
}

// An ideal is a coalition that holds, with a player, all who come before it.
type ideal struct {
	set   Coalition
	ways  float64 // to complete it, up to a factor common to its size
	reach float64 // probability that a random order passes through it
	value float64
}

// idealLevel holds the ideals of one size, in order of discovery.
type idealLevel struct {
	list  []ideal
	index map[Coalition]int
}

func (l *idealLevel) at(c Coalition) *ideal { return &l.list[l.index[c]] }

// ideals returns the ideals by size, at most limit.
func ideals(before []Coalition, limit int) ([]idealLevel, error) {
	n := len(before)
	for i, b := range before {
		if !b.SubsetOf(Full(n)) {
			return nil, fmt.Errorf("player %d of %d comes after %v", i, n, b)
		}
	}
	levels := []idealLevel{{list: []ideal{{}}}}
	total := 1
	for size := range n {
		next := idealLevel{index: make(map[Coalition]int)}
		for _, from := range levels[size].list {
			for i := range candidates(from.set, before) {
				c := from.set.With(i)
				if _, ok := next.index[c]; ok {
					continue
				}
				next.index[c] = len(next.list)
				next.list = append(next.list, ideal{set: c})
				if total++; total > limit {
					return nil, fmt.Errorf("the order leaves more than %d coalitions", limit)
				}
			}
		}
		if len(next.list) == 0 {
			left := Full(n).Minus(levels[size].list[0].set)
			return nil, fmt.Errorf("each of %v comes after another", left)
		}
		levels = append(levels, next)
	}
	return levels, nil
}

// candidates yields who may come next after the ideal.
func candidates(c Coalition, before []Coalition) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for i, b := range before {
			if !c.Has(i) && b.SubsetOf(c) && !yield(i) {
				return
			}
		}
	}
}

// completeWays counts the orders that go on from each ideal. There may be 256!
// of them, so counts are kept as shares of the largest of their size; only
// ratios within a size matter.
func completeWays(levels []idealLevel, before []Coalition) {
	levels[len(levels)-1].list[0].ways = 1
	for size := len(levels) - 2; size >= 0; size-- {
		list, most := levels[size].list, 0.0
		for k := range list {
			for i := range candidates(list[k].set, before) {
				list[k].ways += levels[size+1].at(list[k].set.With(i)).ways
			}
			most = max(most, list[k].ways)
		}
		for k := range list {
			list[k].ways /= most
		}
	}
}
