package retail

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func madeUpRun(t testing.TB) Run {
	t.Helper()
	runs, err := LoadRuns("testdata/runs.json")
	if err != nil {
		t.Fatal(err)
	}
	return runs[0]
}

func TestExecuted(t *testing.T) {
	type call struct {
		Name     string
		Message  int
		Answered bool
		Answer   string
	}
	var got []call
	for _, c := range madeUpRun(t).Executed() {
		got = append(got, call{c.Name, c.Message, c.Answered, c.Answer})
	}
	want := []call{ // neither the second call of a message nor the one with faulty arguments
		{"cancel_pending_order", 3, true, `{"order_id": "#1"}`},
		{"return_delivered_order_items", 5, true, ""},
		{"cancel_pending_order", 9, true, ""},
		{"get_order_details", 11, true, "Error: order not found"},
		{"think", 14, false, ""},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("executed calls (-want +got):\n%s", diff)
	}
}

func TestTells(t *testing.T) {
	run := madeUpRun(t)
	for text, want := range map[string]bool{
		"1234.5":     true, // written 1,234.50
		"1,234.50":   true,
		"in all":     true,
		"9999.9":     false, // said in a message that calls a tool
		"Cancel #1":  false, // said by the customer
		"not a word": false,
	} {
		if got := run.Tells(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

func TestReplayAndReward(t *testing.T) {
	db, run := shop(t), madeUpRun(t)
	replayed := Replay(db, run)
	var wrong []int
	for _, d := range replayed.Differences {
		wrong = append(wrong, d.Call.Message)
	}
	// Only the read is answered in the made-up run as the tools answer it.
	if diff := cmp.Diff([]int{3, 5, 9}, wrong); diff != "" || replayed.Answers != 4 {
		t.Errorf("of %d answers, those that differ (-want +got):\n%s", replayed.Answers, diff)
	}
	if got := replayed.Differences[0]; got.Call.Answer != `{"order_id": "#1"}` || !strings.Contains(got.GotAnswer, `"status": "cancelled"`) {
		t.Errorf("first difference: got %+v", got)
	}
	if !db.Equal(shop(t)) {
		t.Error("the replay changed the database that it started from")
	}

	if got := Reward(db, run); got != 0 {
		t.Errorf("wrong database: reward %v", got)
	}
	right := run
	right.Task.Gold = nil
	for _, c := range run.Executed() {
		right.Task.Gold = append(right.Task.Gold, &c.Call)
	}
	if got := Reward(db, right); got != 1 {
		t.Errorf("right database and outputs: reward %v", got)
	}
	right.Task.Outputs = []string{"1234.5", "4321"}
	if got := Reward(db, right); got != 0 {
		t.Errorf("right database, an output untold: reward %v", got)
	}
}

func TestSlots(t *testing.T) {
	type slot struct {
		Kind        Kind
		Tool        string
		AsRun, Gold string // the order or user they are about
		Message     int
	}
	about := func(c *Call) string {
		if c == nil {
			return ""
		}
		return text(c.Args, "order_id") + text(c.Args, "user_id")
	}
	db, run := shop(t), madeUpRun(t)
	slots := Slots(run)
	var got []slot
	for _, s := range slots {
		got = append(got, slot{s.Kind(), s.Tool, about(s.AsRun), about(s.Gold), s.Message})
	}
	want := []slot{
		{Keep, "cancel_pending_order", "#1", "#1", 3}, // though its arguments stand in another order
		{Replace, "return_delivered_order_items", "#3", "#3", 5},
		{Drop, "cancel_pending_order", "#2", "", 9},
		{Add, "modify_user_address", "", "ada_quill", 0},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("slots (-want +got):\n%s", diff)
	}
	gold := db.After(run.Task.Gold...)
	for coalition := range 1 << len(slots) {
		fixed := make([]bool, len(slots))
		for i := range slots {
			fixed[i] = coalition>>i&1 == 1
		}
		want := coalition|1 == 1<<len(slots)-1 // all but the one that is kept
		if got := Play(db, slots, fixed).Equal(gold); got != want {
			t.Errorf("fixed %v: repaired %v, want %v", fixed, got, want)
		}
	}
}

// TestSlotsLaws says what the pairing is, in other words than the code: counts by tool, order and membership.
func TestSlotsLaws(t *testing.T) {
	calls := writes()
	rapid.Check(t, func(t *rapid.T) {
		var run Run
		run.Task.Gold = rapid.SliceOfN(rapid.SampledFrom(calls), 0, 5).Draw(t, "gold")
		made := rapid.SliceOfN(rapid.SampledFrom(calls), 0, 5).Draw(t, "made")
		for _, c := range made {
			run.Messages = append(run.Messages, Message{Role: "assistant", Calls: []ToolCall{{c.Name, c.Args.String()}}}, Message{Role: "tool"})
		}
		key := func(c *Call) string { return c.Key() }
		keys := func(calls []*Call) []string {
			var list []string
			for _, c := range calls {
				list = append(list, key(c))
			}
			return list
		}
		inGold, inMade := keys(run.Task.Gold), keys(made)

		slots := Slots(run)
		if len(slots) < len(made) {
			t.Fatalf("%d slots for %d writes", len(slots), len(made))
		}
		var replacing, adding []*Call
		count := map[string]map[Kind]int{}
		for i, s := range slots {
			if count[s.Tool] == nil {
				count[s.Tool] = map[Kind]int{}
			}
			count[s.Tool][s.Kind()]++
			if i >= len(made) {
				adding = append(adding, s.Gold)
				if s.Kind() != Add || s.Message != 0 || s.Tool != s.Gold.Name {
					t.Fatalf("slot %d after the run's writes: %+v", i, s)
				}
				continue
			}
			if key(s.AsRun) != inMade[i] || s.Message != 2*i+1 || s.Tool != s.AsRun.Name {
				t.Fatalf("slot %d is not the run's write: %+v", i, s)
			}
			if kept := slices.Contains(inGold, inMade[i]); kept != (s.Kind() == Keep) || s.Player() == kept {
				t.Fatalf("slot %d: %s, though among the gold calls: %v", i, s.Kind(), kept)
			}
			if s.Kind() == Replace {
				replacing = append(replacing, s.Gold)
				if s.Gold.Name != s.Tool {
					t.Fatalf("slot %d: %s replaced by %s", i, s.Tool, s.Gold.Name)
				}
			}
		}
		// Each missing gold call is used once, each tool's in gold order, and no tool both drops and adds.
		var missing []*Call
		for _, c := range run.Task.Gold {
			if !slices.Contains(inMade, key(c)) {
				missing = append(missing, c)
			}
		}
		if len(replacing)+len(adding) != len(missing) {
			t.Fatalf("%d missing calls, %d replace and %d are added", len(missing), len(replacing), len(adding))
		}
		for tool, kinds := range count {
			of := func(calls []*Call) []string {
				return keys(slices.DeleteFunc(slices.Clone(calls), func(c *Call) bool { return c.Name != tool }))
			}
			if diff := cmp.Diff(of(missing), append(of(replacing), of(adding)...)); diff != "" {
				t.Fatalf("%s: missing calls out of order:\n%s", tool, diff)
			}
			if kinds[Drop] > 0 && kinds[Add] > 0 {
				t.Fatalf("%s: both drops and adds", tool)
			}
		}
	})
}

func TestDecodeRunsRefuses(t *testing.T) {
	for _, text := range []string{``, `{}`, `[{"task_id": "x"}]`, `[{"info": {"task": {"actions": [{"kwargs": []}]}}}]`} {
		if _, err := DecodeRuns([]byte(text)); err == nil {
			t.Errorf("%s: want an error", text)
		}
	}
	if _, err := LoadRuns("testdata/none.json"); err == nil {
		t.Error("no file: want an error")
	}
}

func FuzzDecodeRuns(f *testing.F) {
	text, err := os.ReadFile("testdata/runs.json")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`[{"info":{"task":{"actions":[{"name":"cancel_pending_order","kwargs":null}]}},"traj":[{"role":"assistant","tool_calls":[{}]}]}]`))
	db := shop(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		runs, err := DecodeRuns(data)
		if err != nil {
			return
		}
		for _, run := range runs {
			slots := Slots(run)
			if asRun := Play(db, slots, make([]bool, len(slots))); !asRun.Equal(Replay(db, run).DB) {
				t.Fatalf("the writes of run %d don't end in its database", run.TaskID)
			}
		}
	})
}

func TestLoadLabels(t *testing.T) {
	labels, err := LoadLabels("testdata/labels.json")
	if err != nil {
		t.Fatal(err)
	}
	mug := Failure{ID: 1, Message: 5, Category: "Invalid Invocation", Agent: "Assistant", Reason: "The pen, not the mug."}
	asked := Failure{ID: 2, Message: 9, Category: "Intent Plan Misalignment", Agent: "Assistant", Reason: "Nobody asked for it."}
	if diff := cmp.Diff([]Label{{TaskID: 7, Failures: []Failure{mug, asked}, Root: asked}}, labels); diff != "" {
		t.Errorf("labels (-want +got):\n%s", diff)
	}

	path := filepath.Join(t.TempDir(), "labels.json")
	for _, text := range []string{`{}`, `[{"trajectory_id": 7, "failures": [], "root_cause": {"failure_id": 1}}]`} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := LoadLabels(path); err == nil {
			t.Errorf("%s: want an error", text)
		}
	}
}
