package confseq

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewKnowsItsNames(t *testing.T) {
	for _, name := range append(Names(), "") {
		rule, err := New(name, Options{Players: 3})
		if err != nil {
			t.Errorf("rule %q: %v", name, err)
			continue
		}
		if _, ok := rule.Stopped(); ok || rule.Count() != 0 || rule.Leaders() != nil {
			t.Errorf("rule %q has stopped before its first vector", name)
		}
	}
	if rule, err := New("magic", Options{Players: 3}); err == nil || rule != nil {
		t.Errorf("rule magic is %v, %v: want an error", rule, err)
	}
}

func TestNewAuto(t *testing.T) {
	for _, c := range []struct {
		options Options
		want    Rule
	}{
		{Options{Players: 8}, &Elimination{}},
		{Options{Players: 8, Goal: TopK, TopK: 3}, &Elimination{}},
		{Options{Players: 40, Goal: TopK, TopK: 5}, &Pairs{}},
		{Options{Players: 8, Goal: Ranking}, &Pairs{}},
		{Options{Players: 8, Goal: Width, Width: .1}, &Family{}},
		{Options{Players: 8, Goal: Budget}, &Family{}},
	} {
		got, err := New("auto", c.options)
		if err != nil {
			t.Fatal(err)
		}
		same := func(a, b Rule) bool {
			switch a.(type) {
			case *Elimination:
				_, ok := b.(*Elimination)
				return ok
			case *Pairs:
				_, ok := b.(*Pairs)
				return ok
			}
			_, ok := b.(*Family)
			return ok
		}
		if !same(c.want, got) {
			t.Errorf("auto for %+v is a %T: want a %T", c.options, got, c.want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		rule    string
		options Options
		want    string // part of the error
	}{
		{"auto", Options{}, "players"},
		{"auto", Options{Players: 2, Delta: 1}, "delta"},
		{"auto", Options{Players: 2, Delta: math.NaN()}, "delta"},
		{"auto", Options{Players: 2, Low: 1, High: 0}, "range"},
		{"auto", Options{Players: 2, Low: 0, High: math.Inf(1)}, "range"},
		{"auto", Options{Players: 2, Spread: -1}, "spread"},
		{"auto", Options{Players: 2, Spread: 3}, "spread"},
		{"auto", Options{Players: 2, Goal: "best"}, "best"},
		{"auto", Options{Players: 2, Goal: TopK}, "topk"},
		{"auto", Options{Players: 2, Goal: TopK, TopK: 2}, "topk"},
		{"auto", Options{Players: 2, Goal: Width}, "width"},
		{"auto", Options{Players: 2, Batch: -1}, "batch"},
		{"auto", Options{Players: 2, Bet: "all"}, "all"},
		{"elimination", Options{Players: 2, Goal: Ranking}, "pairs"},
		{"elimination", Options{Players: 2, Goal: Width, Width: 1}, "hedged"},
		{"elimination", Options{Players: 40, Goal: TopK, TopK: 5}, "too many"},
		{"pairs", Options{Players: 2, Goal: Width, Width: 1}, "hedged"},
		{"bernstein", Options{Players: 2, Batch: 10}, "finite batch"},
		{"asymptotic", Options{Players: 2, Batch: 10}, "finite batch"},
	} {
		_, err := New(c.rule, c.options)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s with %+v: error is %v: want one about %q", c.rule, c.options, err, c.want)
		}
	}
	if _, err := NewScheduled("wide", Options{Players: 2}); err == nil {
		t.Error("radius wide is accepted")
	}
	if _, err := NewFamily("wide", Options{Players: 2}); err == nil {
		t.Error("kind wide is accepted")
	}
}

func TestAddRefusesAndForgets(t *testing.T) {
	for _, name := range Names() {
		rule, err := New(name, Options{Players: 2, Spread: 1})
		if err != nil {
			t.Fatal(err)
		}
		clean, err := New(name, Options{Players: 2, Spread: 1})
		if err != nil {
			t.Fatal(err)
		}
		bad := [][]float64{{1}, {1, 0, 0}, {math.NaN(), 0}, {0, 1.5}, {-1.5, -1}, {0, math.Inf(1)}}
		for i := range 40 {
			if err := rule.Add(bad[i%len(bad)]); err == nil {
				t.Fatalf("%s takes %v", name, bad[i%len(bad)])
			}
			x := []float64{float64(i%3) / 2, 0}
			if err := rule.Add(x); err != nil {
				t.Fatal(err)
			}
			if err := clean.Add(x); err != nil {
				t.Fatal(err)
			}
		}
		if rule.Count() != 40 {
			t.Errorf("%s counts %d vectors: want 40", name, rule.Count())
		}
		reason, ok := rule.Stopped()
		wantReason, wantOK := clean.Stopped()
		if reason != wantReason || ok != wantOK {
			t.Errorf("%s: refused vectors changed the end to %q: want %q", name, reason, wantReason)
		}
		if diff := cmp.Diff(clean.Intervals(), rule.Intervals()); diff != "" {
			t.Errorf("%s: refused vectors changed the intervals (-want +got):\n%s", name, diff)
		}
	}
}

func TestSpreadIsChecked(t *testing.T) {
	for _, name := range []string{"elimination", "pairs", "hedged"} {
		rule, err := New(name, Options{Players: 2, Spread: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := rule.Add([]float64{0.75, -0.75}); err == nil {
			t.Errorf("%s takes values 1.5 apart: want at most 1", name)
		}
		if err := rule.AddBounds([]float64{0, -0.75}, []float64{0.75, 0}); err != nil {
			t.Errorf("%s refuses bounds that leave room for the spread: %v", name, err)
		}
	}
}

func TestBatchHasAnEnd(t *testing.T) {
	for _, name := range []string{"elimination", "pairs", "hedged", "plugin"} {
		rule, err := New(name, Options{Players: 2, Batch: 3})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := rule.Add([]float64{0, 0}); err != nil {
				t.Fatal(err)
			}
		}
		if err := rule.Add([]float64{0, 0}); err == nil {
			t.Errorf("%s takes a fourth vector of a batch of 3", name)
		}
		if _, ok := rule.Stopped(); ok {
			t.Errorf("%s declares one of two equal players", name)
		}
	}
}

func TestBoundsRefused(t *testing.T) {
	for _, name := range []string{"bernstein", "normal", "asymptotic"} {
		rule, err := New(name, Options{Players: 2})
		if err != nil {
			t.Fatal(err)
		}
		if err := rule.AddBounds([]float64{0, 0}, []float64{0, 0.5}); err == nil || rule.Count() != 0 {
			t.Errorf("%s takes bounds", name)
		}
	}
}

func TestClose(t *testing.T) {
	for _, name := range Names() {
		rule, err := New(name, Options{Players: 2})
		if err != nil {
			t.Fatal(err)
		}
		rule.Close("")
		if reason, ok := rule.Stopped(); !ok || reason != ReasonBudget || rule.Leaders() != nil {
			t.Errorf("%s after Close: %q, %v: want %q and no leader", name, reason, ok, ReasonBudget)
		}
		if err := rule.Add([]float64{0, 0}); err == nil {
			t.Errorf("%s takes a vector after Close", name)
		}
	}
}

func TestOnePlayerIsTheBest(t *testing.T) {
	for _, name := range []string{"elimination", "pairs", "hedged", "bernstein"} {
		rule, err := New(name, Options{Players: 1})
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			if err := rule.Add([]float64{0}); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff([]int{0}, rule.Leaders()); diff != "" {
			t.Errorf("%s: leaders (-want +got):\n%s", name, diff)
		}
	}
}

func TestPromises(t *testing.T) {
	for name, want := range map[string]Promise{
		"elimination": {Label: labelAnytime, Valid: true, Anytime: true},
		"pairs":       {Label: labelAnytime, Valid: true, Anytime: true},
		"hedged":      {Label: labelAnytime, Valid: true, Anytime: true},
		"plugin":      {Label: labelAnytime, Valid: true, Anytime: true},
		"bernstein":   {Label: labelScheduled, Valid: true},
		"hoeffding":   {Label: labelScheduled, Valid: true},
		"normal":      {Label: labelAsymptotic},
		"asymptotic":  {Label: labelAsymptotic},
	} {
		rule, err := New(name, Options{Players: 4, Delta: 0.01})
		if err != nil {
			t.Fatal(err)
		}
		got := rule.Promise()
		if strings.Contains(got.Text, "%") || strings.Contains(got.Text, "EXTRA") || got.Text == "" || got.Over == "" || !strings.Contains(got.Text, "0.01") && !strings.Contains(got.Text, "0.99") {
			t.Errorf("%s promises %q over %q: want a text with the level", name, got.Text, got.Over)
		}
		got.Text, got.Over = "", ""
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: promise (-want +got):\n%s", name, diff)
		}
	}
	for goal, want := range map[Goal]string{
		Top1: "not a largest", TopK: "2 largest", Ranking: "order is wrong", Width: "outside its interval",
	} {
		rule, err := New("hedged", Options{Players: 4, Goal: goal, TopK: 2, Width: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		if got := rule.Promise().Text; !strings.Contains(got, want) {
			t.Errorf("goal %s promises %q: want it to say %q", goal, got, want)
		}
	}
	rule, err := New("elimination", Options{Players: 4, Batch: 154})
	if err != nil {
		t.Fatal(err)
	}
	if got := rule.Promise().Over; !strings.Contains(got, "this batch of 154") {
		t.Errorf("the claim about a batch is over %q", got)
	}
}

func TestParseGoal(t *testing.T) {
	for _, g := range []Goal{Top1, TopK, Ranking, Width, Budget} {
		if got, err := ParseGoal(string(g)); got != g || err != nil {
			t.Errorf("goal %q is read as %q, %v", g, got, err)
		}
	}
	if _, err := ParseGoal("top 1"); err == nil {
		t.Error("goal \"top 1\" is accepted")
	}
}

func TestUnion(t *testing.T) {
	for _, c := range []struct {
		options Options
		want    int
	}{
		{Options{Players: 8, Goal: Top1}, 7},
		{Options{Players: 8, Goal: TopK, TopK: 1}, 7},
		{Options{Players: 8, Goal: TopK, TopK: 3}, 15},
		{Options{Players: 8, Goal: Ranking}, 7},
		{Options{Players: 1, Goal: Top1}, 1},
	} {
		if got := c.options.union(); got != c.want {
			t.Errorf("%d players, %s: %d comparisons can go wrong together: want %d", c.options.Players, c.options.Goal, got, c.want)
		}
	}
}

// TestTakesBounds asks every rule for what its name promises.
func TestTakesBounds(t *testing.T) {
	for _, name := range Names() {
		r, err := New(name, Options{Players: 2})
		if err != nil {
			t.Fatal(err)
		}
		if err := r.AddBounds([]float64{0, 0}, []float64{0.5, 0}); (err == nil) != TakesBounds(name) {
			t.Errorf("%s: it takes bounds: %v, and says %v", name, TakesBounds(name), err)
		}
	}
}
