package confseq

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestScheduleCheckpoints(t *testing.T) {
	for _, c := range []struct {
		name     string
		schedule Schedule
		want     []int
	}{
		{"default", Schedule{}, []int{8, 12, 18, 27, 41, 61, 92, 137, 206, 308, 462, 692, 1038, 1557}},
		{"doubling", Schedule{First: 4, Growth: 2}, []int{4, 8, 16, 32}},
		{"once", Schedule{Once: 16}, []int{16, math.MaxInt, math.MaxInt}},
	} {
		var got []int
		for k := range c.want {
			got = append(got, c.schedule.At(k+1))
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: checkpoints (-want +got):\n%s", c.name, diff)
		}
	}
	if got := (Schedule{}).At(10000); got != math.MaxInt {
		t.Errorf("checkpoint 10000 is %d: want one that is never reached", got)
	}
}

func TestScheduleSharesSumToDelta(t *testing.T) {
	const n, delta = 8, 0.05
	sum := 0.0
	for k := 1; k <= 100000; k++ {
		sum += n * Schedule{}.Share(delta, n, k)
	}
	if sum > delta || sum < delta*0.9999 {
		t.Errorf("shares sum to %v: want just below %v", sum, delta)
	}
	if got, want := (Schedule{Once: 16}).Share(delta, n, 1), delta/n; got != want {
		t.Errorf("share of the only look is %v: want %v", got, want)
	}
}

func TestScheduleRefuses(t *testing.T) {
	for _, s := range []Schedule{{First: 1}, {Growth: 1}, {Growth: math.NaN()}, {Growth: math.Inf(1)}, {Once: 1}, {Once: -3}} {
		if _, err := NewScheduled(Bernstein, Options{Players: 2, Schedule: s}); err == nil {
			t.Errorf("schedule %+v is accepted", s)
		}
	}
}
