package retail

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// data is the folder of the real data. It is not part of the repository: tests that need it are skipped without it.
func data(t testing.TB) string {
	t.Helper()
	shared := os.Getenv("AGENTBLAME_SHARED")
	if shared == "" {
		t.Skip("SKIPPED, NOT PASSED: set AGENTBLAME_SHARED to the folder that holds taubench/retail to test against the recorded runs")
	}
	return filepath.Join(shared, "taubench", "retail")
}

func load(t testing.TB) *DB {
	t.Helper()
	db, err := Load(data(t))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func loadRuns(t testing.TB, file string) []Run {
	t.Helper()
	runs, err := LoadRuns(filepath.Join(data(t), file))
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

func TestRecordedAnswersAndRewards(t *testing.T) {
	db := load(t)
	pristine := db.Digest()
	for _, tt := range []struct {
		file          string
		answers, runs int
	}{{"runs.json", 793, 100}, {"runs-failed.json", 284, 29}} {
		t.Run(tt.file, func(t *testing.T) {
			answers, rewards := 0, 0
			for _, run := range loadRuns(t, tt.file) {
				replayed := Replay(db, run)
				answers += replayed.Answers - len(replayed.Differences)
				for _, d := range replayed.Differences {
					t.Errorf("run %d, message %d, %s:\ngot  %s\nwant %s", run.TaskID, d.Call.Message, d.Call.Call, d.GotAnswer, d.Call.Answer)
				}
				if got := Reward(db, run); got == run.Reward {
					rewards++
				} else {
					t.Errorf("run %d: reward %v, want %v", run.TaskID, got, run.Reward)
				}
			}
			if answers != tt.answers || rewards != tt.runs {
				t.Errorf("reproduced %d answers and %d rewards, want %d and %d", answers, rewards, tt.answers, tt.runs)
			}
		})
	}
	if db.Digest() != pristine {
		t.Error("replays changed the database that they started from")
	}
}

// TestRecordedHashes compares the database after the gold calls with the hash that the original environment recorded of it: SHA-256 of Python's text of the whole database, every dict as a tuple of pairs sorted by key.
func TestRecordedHashes(t *testing.T) {
	db := load(t)
	written := map[*Object][]byte{}
	for file, want := range map[string]int{"runs.json": 65, "runs-failed.json": 13} {
		text, err := os.ReadFile(filepath.Join(data(t), file))
		if err != nil {
			t.Fatal(err)
		}
		var hashes []struct {
			Info struct {
				RewardInfo struct {
					Info struct {
						Hash string `json:"gt_data_hash"`
					} `json:"info"`
				} `json:"reward_info"`
			} `json:"info"`
		}
		if err := json.Unmarshal(text, &hashes); err != nil {
			t.Fatal(err)
		}
		same := 0
		for i, run := range loadRuns(t, file) {
			wanted := hashes[i].Info.RewardInfo.Info.Hash
			if wanted == "" {
				continue // not recorded for tasks with outputs
			}
			sum := sha256.Sum256(tuples(db.After(run.Task.Gold...), written))
			if got := hex.EncodeToString(sum[:]); got != wanted {
				t.Errorf("%s: run %d: hash after the gold calls %s, want %s", file, run.TaskID, got, wanted)
				continue
			}
			same++
		}
		if same != want {
			t.Errorf("%s: %d hashes reproduced, want %d", file, same, want)
		}
	}
}

// tuples writes the whole database as nested sorted tuples. Records are written once and kept, since most are the same in all databases.
func tuples(db *DB, written map[*Object][]byte) []byte {
	whole := db.whole()
	var b []byte
	for _, table := range whole.ordered(true) {
		for i, m := range table.Value.(*Object).ordered(true) {
			record := m.Value.(*Object)
			if written[record] == nil {
				written[record] = appendTuples(nil, pair{m.Name, record})
			}
			switch {
			case i > 0:
				b = append(b, ", "...)
			case b == nil:
				b = append(b, "(('"+table.Name+"', ("...)
			default:
				b = append(b, ")), ('"+table.Name+"', ("...)
			}
			b = append(b, written[record]...)
		}
	}
	return append(b, ")))"...)
}

// appendTuples writes v as Python writes it when each dict is a sorted tuple of pairs and each list a tuple.
func appendTuples(b []byte, v any) []byte {
	var elements []any
	switch v := v.(type) {
	case *Object:
		for _, m := range v.ordered(true) {
			elements = append(elements, pair{m.Name, m.Value})
		}
	case pair:
		elements = []any{v.name, v.value}
	case []any:
		elements = v
	default:
		return append(b, repr(v)...)
	}
	b = append(b, '(')
	for i, e := range elements {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = appendTuples(b, e)
	}
	if len(elements) == 1 {
		b = append(b, ',')
	}
	return append(b, ')')
}

type pair struct {
	name  string
	value any
}

// TestFailedRunsCoalitions plays every coalition of every failed run: what the fixes can repair was counted once with the original environment.
func TestFailedRunsCoalitions(t *testing.T) {
	db := load(t)
	wrong, byAll, byOne, jointly, never := 0, 0, 0, 0, 0
	for _, run := range loadRuns(t, "runs-failed.json") {
		slots := Slots(run)
		gold := db.After(run.Task.Gold...)
		score := func(fixed []bool) bool { return Play(db, slots, fixed).Equal(gold) }

		asRun := make([]bool, len(slots))
		if got, want := Play(db, slots, asRun), Replay(db, run).DB; !got.Equal(want) || got.Digest() != want.Digest() {
			t.Errorf("run %d: the slots as they were don't end in the run's database", run.TaskID)
		}
		if score(asRun) {
			continue
		}
		wrong++
		var players []int
		for i, s := range slots {
			if s.Player() {
				players = append(players, i)
			}
		}
		if len(players) > 12 {
			t.Fatalf("run %d: %d players are too many to try every coalition", run.TaskID, len(players))
		}
		fewest := -1
		for coalition := range 1 << len(players) {
			fixed := make([]bool, len(slots))
			for i, p := range players {
				fixed[p] = coalition>>i&1 == 1
			}
			if !score(fixed) {
				continue
			}
			if size := bits.OnesCount(uint(coalition)); fewest < 0 || size < fewest {
				fewest = size
			}
			if coalition == 1<<len(players)-1 {
				byAll++
			}
		}
		switch {
		case fewest < 0:
			never++
		case fewest == 1:
			byOne++
		default:
			jointly++
		}
	}
	got := [...]int{wrong, byAll, byOne, jointly, never}
	if want := [...]int{24, 20, 17, 3, 4}; got != want {
		t.Errorf("wrong database, repaired by all fixes, by one, only jointly, never: got %v, want %v", got, want)
	}
}

// TestSimpleGuesses counts how often simple guesses name the message that people labelled as the root cause.
// A guess is the first call of its kind; for a run that has none, the last message. Writes count if they were not refused.
func TestSimpleGuesses(t *testing.T) {
	labels, err := LoadLabels(filepath.Join(data(t), "labels.json"))
	if err != nil {
		t.Fatal(err)
	}
	roots := map[int]int{}
	for _, l := range labels {
		roots[l.TaskID] = l.Root.Message
	}
	exact, near := map[string]int{}, map[string]int{}
	for _, run := range loadRuns(t, "runs-failed.json") {
		gold := map[string]bool{}
		for _, c := range run.Task.Gold {
			gold[c.Key()] = true
		}
		refused := func(c Executed) bool { return strings.HasPrefix(c.Answer, "Error") }
		wrote := func(c Executed) bool { return IsWrite(c.Name) && !refused(c) }
		for name, kind := range map[string]func(Executed) bool{
			"first write":                  wrote,
			"first write that is not gold": func(c Executed) bool { return wrote(c) && !gold[c.Key()] },
			"first error":                  refused,
		} {
			guess := len(run.Messages)
			if i := slices.IndexFunc(run.Executed(), kind); i >= 0 {
				guess = run.Executed()[i].Message
			}
			distance := guess - roots[run.TaskID]
			if distance == 0 {
				exact[name]++
			}
			if -3 <= distance && distance <= 3 {
				near[name]++
			}
		}
	}
	if diff := cmp.Diff(map[string]int{"first write": 5, "first write that is not gold": 6, "first error": 3}, exact); diff != "" {
		t.Errorf("of 29 runs, exact guesses (-want +got):\n%s", diff) // 17.2 %, 20.7 %, 10.3 %
	}
	if got, want := near["first write that is not gold"], 13; got != want { // 44.8 %
		t.Errorf("first write that is not gold: within three messages in %d runs, want %d", got, want)
	}
}

func BenchmarkLoad(b *testing.B) {
	dir := data(b)
	for b.Loop() {
		if _, err := Load(dir); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLoadRuns(b *testing.B) {
	path := filepath.Join(data(b), "runs.json")
	for b.Loop() {
		if _, err := LoadRuns(path); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReplay100Runs executes the 793 calls of the 100 runs.
func BenchmarkReplay100Runs(b *testing.B) {
	db, runs := load(b), loadRuns(b, "runs.json")
	for b.Loop() {
		for _, run := range runs {
			Replay(db, run)
		}
	}
}

// BenchmarkPlay plays one coalition of each of the 29 failed runs and scores it.
func BenchmarkPlay(b *testing.B) {
	db, runs := load(b), loadRuns(b, "runs-failed.json")
	slots := make([][]Slot, len(runs))
	gold := make([]*DB, len(runs))
	for i, run := range runs {
		slots[i], gold[i] = Slots(run), db.After(run.Task.Gold...)
	}
	for b.Loop() {
		for i := range runs {
			Play(db, slots[i], make([]bool, len(slots[i]))).Equal(gold[i])
		}
	}
}

func BenchmarkDigest(b *testing.B) {
	db := load(b)
	run := loadRuns(b, "runs-failed.json")[0]
	after := Replay(db, run).DB
	for b.Loop() {
		after.Digest()
	}
}
