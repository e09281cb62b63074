package retail

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// DB is a state of the shop: the database as loaded, and the orders and users that calls have changed since. (No tool changes a product.)
//
// Calls on a DB need it for themselves; clones are independent, and may be made and used by many goroutines at once.
type DB struct {
	base   *base
	orders map[string]*Object // changed since loading
	users  map[string]*Object // changed since loading
}

// base is the database as loaded. It is never changed, so all clones share it.
type base struct {
	orders, products, users *Object
}

// Load reads orders.json, products.json and users.json in dir: one JSON object each, of records by id.
// A record that the tools could not work on is an error that names it.
func Load(dir string) (*DB, error) {
	var b base
	for _, file := range []struct {
		name  string
		table **Object
	}{{"orders.json", &b.orders}, {"products.json", &b.products}, {"users.json", &b.users}} {
		data, err := os.ReadFile(filepath.Join(dir, file.name))
		if err != nil {
			return nil, fmt.Errorf("load retail database: %w", err)
		}
		if *file.table, err = ParseObject(data); err != nil {
			return nil, fmt.Errorf("load retail database: %s: %w", file.name, err)
		}
	}
	if err := b.check(); err != nil {
		return nil, fmt.Errorf("load retail database: %w", err)
	}
	return &DB{base: &b}, nil
}

// Clone returns an independent copy. It costs no more than the number of changed records.
func (db *DB) Clone() *DB {
	return &DB{base: db.base, orders: maps.Clone(db.orders), users: maps.Clone(db.users)}
}

// After returns a clone on which the calls were made in order. Calls that fail change nothing more, and the next one follows; nil calls are left out.
func (db *DB) After(calls ...*Call) *DB {
	after := db.Clone()
	for _, c := range calls {
		if c != nil {
			after.Call(c.Name, c.Args)
		}
	}
	return after
}

// Equal says whether both databases hold the same records, compared as Python compares dicts: the order of names does not matter, and numbers are equal by value.
func (db *DB) Equal(other *DB) bool {
	if db.base != other.base && !(db.base.orders.Equal(other.base.orders) && db.base.products.Equal(other.base.products) && db.base.users.Equal(other.base.users)) {
		return db.whole().Equal(other.whole())
	}
	return sameRecords(db.orders, other.orders, db.base.orders) && sameRecords(db.users, other.users, db.base.users)
}

func sameRecords(a, b map[string]*Object, loaded *Object) bool {
	for _, changed := range []map[string]*Object{a, b} {
		for id := range changed {
			if !record(a, loaded, id).Equal(record(b, loaded, id)) {
				return false
			}
		}
	}
	return true
}

// whole is the database as one object.
func (db *DB) whole() *Object {
	return NewObject(
		Member{"orders", overlaid(db.base.orders, db.orders)},
		Member{"products", db.base.products},
		Member{"users", overlaid(db.base.users, db.users)},
	)
}

func overlaid(loaded *Object, changed map[string]*Object) *Object {
	members := make([]Member, 0, loaded.Len())
	for id, v := range loaded.All() {
		if c := changed[id]; c != nil {
			v = c
		}
		members = append(members, Member{id, v})
	}
	return NewObject(members...)
}

// Changes returns the records that differ from the loaded database: {"orders": {id: record}, "users": {id: record}}, ids sorted. Of a pristine database both are empty, and so of one whose records came back to what they were, by value.
// With the loaded database it is the whole state, small enough to pass around as JSON; see [DB.With].
func (db *DB) Changes() *Object {
	return NewObject(
		Member{"orders", differing(db.orders, db.base.orders)},
		Member{"users", differing(db.users, db.base.users)},
	)
}

func differing(changed map[string]*Object, loaded *Object) *Object {
	var members []Member
	for _, id := range slices.Sorted(maps.Keys(changed)) {
		if !changed[id].Equal(record(nil, loaded, id)) {
			members = append(members, Member{id, changed[id]})
		}
	}
	return NewObject(members...)
}

// With returns the loaded database with changes laid over it, as [DB.Changes] gives them. Changes made by calls on db do not count.
// A record that is not in the loaded database, or that the tools could not work on, is an error.
func (db *DB) With(changes *Object) (*DB, error) {
	after := &DB{base: db.base, orders: map[string]*Object{}, users: map[string]*Object{}}
	for table, records := range changes.All() {
		byID, ok := records.(*Object)
		if !ok || table != "orders" && table != "users" {
			return nil, fmt.Errorf("apply changes: %s: want orders and users by id", table)
		}
		loaded, changed, check := db.base.orders, after.orders, db.base.checkOrder
		if table == "users" {
			loaded, changed, check = db.base.users, after.users, db.base.checkUser
		}
		for id, v := range byID.All() {
			if _, known := loaded.Get(id); !known {
				return nil, fmt.Errorf("apply changes: %s: no record %q in the loaded database", table, id)
			}
			if err := check(id, v); err != nil {
				return nil, fmt.Errorf("apply changes: %w", err)
			}
			changed[id] = v.(*Object)
		}
	}
	return after, nil
}

// Digest is a SHA-256, in hex, of the changed records. Databases cloned from the same one have equal digests exactly when they are [DB.Equal].
func (db *DB) Digest() string {
	sum := sha256.Sum256(appendCanonical(nil, db.Changes()))
	return hex.EncodeToString(sum[:])
}

// appendCanonical writes equal values equally: names sorted, numbers by value.
func appendCanonical(b []byte, v any) []byte {
	if text, ok := numberText(v); ok {
		return append(b, text...)
	}
	switch v := v.(type) {
	case []any:
		b = append(b, '[')
		for _, e := range v {
			b = append(appendCanonical(b, e), ',')
		}
		return append(b, ']')
	case *Object:
		b = append(b, '{')
		for _, m := range v.ordered(true) {
			b = append(appendString(b, m.Name), ':')
			b = append(appendCanonical(b, m.Value), ',')
		}
		return append(b, '}')
	}
	return appendDumps(b, v, false)
}

// record is the current record of id, nil if there is none.
func record(changed map[string]*Object, loaded *Object, id string) *Object {
	if o := changed[id]; o != nil {
		return o
	}
	return object(loaded, id)
}

// find looks an id up as Python does in a dict: any value that can be a key may be asked for, and only strings are there.
func find(changed map[string]*Object, loaded *Object, id any) (string, *Object, error) {
	switch id := id.(type) {
	case string:
		return id, record(changed, loaded, id), nil
	case []any, *Object:
		return "", nil, fmt.Errorf("unhashable type: '%s'", typeName(id))
	}
	return "", nil, nil
}

func (db *DB) user(id string) *Object { return record(db.users, db.base.users, id) }

func (db *DB) setOrder(id string, o *Object) {
	if db.orders == nil {
		db.orders = map[string]*Object{}
	}
	db.orders[id] = o
}

func (db *DB) setUser(id string, u *Object) {
	if db.users == nil {
		db.users = map[string]*Object{}
	}
	db.users[id] = u
}

// text, object and list read a member whose type was checked at loading.
func text(o *Object, name string) string {
	v, _ := o.Get(name)
	s, _ := v.(string)
	return s
}

func object(o *Object, name string) *Object {
	v, _ := o.Get(name)
	member, _ := v.(*Object)
	return member
}

func list(o *Object, name string) []any {
	v, _ := o.Get(name)
	l, _ := v.([]any)
	return l
}

func value(o *Object, name string) any {
	v, _ := o.Get(name)
	return v
}
