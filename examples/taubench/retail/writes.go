package retail

// Kind says what the fix of a [Slot] does.
type Kind string

// The kinds of slots.
const (
	Keep    Kind = "keep"    // the run's call is also a gold call: no player, replayed as it is
	Replace Kind = "replace" // the run's call gives way to the gold call of the same tool
	Drop    Kind = "drop"    // the run's call is left out
	Add     Kind = "add"     // a gold call that the run did not make is made
)

// Slot is one place in the replay of a run's writes, with the call that the run made there and the one that it should have made.
type Slot struct {
	Tool    string
	AsRun   *Call // nil if the run made none: Add
	Gold    *Call // nil if none should be made: Drop
	Message int   // the message that made the as-run call, counted from 1; 0 if none
}

// Kind says what fixing the slot does.
func (s Slot) Kind() Kind {
	switch {
	case s.AsRun == nil:
		return Add
	case s.Gold == nil:
		return Drop
	case s.AsRun.Key() == s.Gold.Key():
		return Keep
	}
	return Replace
}

// Player says whether the slot can be fixed. The others are replayed as they are.
func (s Slot) Player() bool { return s.Kind() != Keep }

// Call is the call made in the slot, as-run or fixed; nil if none is.
func (s Slot) Call(fixed bool) *Call {
	if fixed {
		return s.Gold
	}
	return s.AsRun
}

// Slots pairs the run's writes with the gold ones, in the order of replay: the run's writes, then the gold writes that are added.
//
// A write of the run that is no gold call is paired with the first missing gold call of the same tool that is not yet paired, and would be replaced by it; without one it would be dropped.
// Calls are the same when tool and arguments are.
func Slots(run Run) []Slot {
	var made []Executed
	ran := map[string]bool{}
	for _, c := range run.Executed() {
		if IsWrite(c.Name) {
			made = append(made, c)
			ran[c.Key()] = true
		}
	}
	gold := map[string]*Call{}
	var missing []*Call // not yet paired
	for _, c := range run.Task.Gold {
		if !IsWrite(c.Name) {
			continue
		}
		gold[c.Key()] = c
		if !ran[c.Key()] {
			missing = append(missing, c)
		}
	}
	var slots []Slot
	for _, c := range made {
		slot := Slot{Tool: c.Name, AsRun: &c.Call, Gold: gold[c.Key()], Message: c.Message}
		if slot.Gold == nil {
			slot.Gold, missing = take(missing, c.Name)
		}
		slots = append(slots, slot)
	}
	for _, c := range missing {
		slots = append(slots, Slot{Tool: c.Name, Gold: c})
	}
	return slots
}

// take removes the first call of a tool; nil if there is none.
func take(calls []*Call, tool string) (*Call, []*Call) {
	for i, c := range calls {
		if c.Name == tool {
			rest := append(calls[:i:i], calls[i+1:]...)
			return c, rest
		}
	}
	return nil, calls
}

// Play executes the slots' calls in order on a clone of db, fixed where fixed[i] is true, and returns the clone. A call that fails changes nothing more, and the next one follows.
func Play(db *DB, slots []Slot, fixed []bool) *DB {
	calls := make([]*Call, len(slots))
	for i, s := range slots {
		calls[i] = s.Call(fixed[i])
	}
	return db.After(calls...)
}
