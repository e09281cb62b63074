package noise

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Draws that were made elsewhere count like those made here.
func TestTake(t *testing.T) {
	world := World{Seed: 7}
	there := world.Source("s", "1")
	there.Record()
	there.Categorical("b", map[string]float64{"x": 0, "y": 1})
	there.Bool("a", 0.5)

	here := world.Source("s", "1")
	calls := 0
	here.OnDraw(func() { calls++ })
	here.Record()
	if err := here.Take(nil); err != nil || here.Drew() || calls != 0 {
		t.Errorf("no draws count: %v", err)
	}
	if err := here.Take(there.Draws()); err != nil {
		t.Fatal(err)
	}
	if !here.Drew() || calls != 1 {
		t.Errorf("drew %v, %d calls", here.Drew(), calls)
	}
	if diff := cmp.Diff(there.Draws(), here.Draws()); diff != "" {
		t.Errorf("(-there +here)\n%s", diff)
	}
	if err := here.Take([]Draw{{Key: "a", Kind: Bool, P: 0.5, Value: 1}}); err == nil || err.Error() != `noise: step s#1: key "a": used twice in one step run: both draws would be the same noise` {
		t.Error(err)
	}
	if err := here.Take([]Draw{{Key: "c", Kind: Bool, P: 0, Value: 1}}); err == nil || !strings.Contains(err.Error(), "impossible") {
		t.Error(err)
	}
}
