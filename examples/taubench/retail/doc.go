// Package retail is the retail shop of τ-bench (Yao et al. 2024): a database of orders, products and users, and the sixteen tools that a customer-service agent may call on it.
//
// It is written from the recorded calls and answers of real runs, and answers as they do, byte for byte: JSON as Python's json.dumps prints it, or a sentence that begins with "Error: ".
// Where no record shows what a tool says (a balance too small, a missing argument), the sentence follows the tool's rules and Python's own wording, and may differ from the original's.
// [Replay] runs a recorded conversation again and compares every answer; [Reward] says what the run earned.
// [Slots] pairs what a run wrote with what it should have written, which makes the game that a blame analysis plays: each wrong write is replaced, dropped or added, and the run is repaired when its database equals the wanted one.
//
//	db, err := retail.Load("taubench/retail")
//	runs, err := retail.LoadRuns("taubench/retail/runs.json")
//	slots := retail.Slots(runs[0])
//	fixed := make([]bool, len(slots)) // nothing fixed: the run as it was
//	after := retail.Play(db, slots, fixed)
//	ok := after.Equal(db.After(runs[0].Task.Gold...)) // did it write what it should?
//
// A [DB] is cheap to clone: clones share the loaded database and hold only the records that calls have changed since.
package retail
