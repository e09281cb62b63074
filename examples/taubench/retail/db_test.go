package retail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// writes are calls on the made-up shop, some of which undo or exclude others.
func writes() []*Call {
	var calls []*Call
	for _, c := range [][2]string{
		{"cancel_pending_order", `{"order_id": "#1", "reason": "no longer needed"}`},
		{"cancel_pending_order", `{"order_id": "#2", "reason": "no longer needed"}`},
		{"modify_pending_order_payment", `{"order_id": "#1", "payment_method_id": "gift_card_1"}`},
		{"modify_pending_order_payment", `{"order_id": "#2", "payment_method_id": "paypal_1"}`},
		{"modify_pending_order_items", `{"order_id": "#1", "item_ids": ["mug-s"], "new_item_ids": ["mug-m"], "payment_method_id": "gift_card_1"}`},
		{"modify_pending_order_address", `{"order_id": "#1", "address1": "9 Bay", "address2": "", "city": "Bath", "state": "ME", "country": "USA", "zip": 4530}`},
		{"modify_pending_order_address", `{"order_id": "#1", "zip": 4530.0, "country": "USA", "state": "ME", "city": "Bath", "address2": "", "address1": "9 Bay"}`},
		{"modify_user_address", `{"user_id": "bo_reed", "address1": "9 Bay", "address2": "", "city": "Bath", "state": "ME", "country": "USA", "zip": "04530"}`},
		{"modify_user_address", `{"user_id": "bo_reed", "address1": "2 Quay", "address2": "Flat 2", "city": "Łódź", "state": "ME", "country": "USA", "zip": "04000"}`}, // as loaded
		{"return_delivered_order_items", `{"order_id": "#3", "item_ids": ["mug-m"], "payment_method_id": "gift_card_1"}`},
		{"exchange_delivered_order_items", `{"order_id": "#3", "item_ids": ["mug-m"], "new_item_ids": ["mug-s"], "payment_method_id": "gift_card_1"}`},
	} {
		args, err := ParseObject([]byte(c[1]))
		if err != nil {
			panic(err)
		}
		calls = append(calls, &Call{c[0], args})
	}
	return calls
}

func TestEqualAndDigestAgreeWithTheWholeDatabase(t *testing.T) {
	db := shop(t)
	sequences := rapid.SliceOfN(rapid.SampledFrom(writes()), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		a, b := db.After(sequences.Draw(t, "a")...), db.After(sequences.Draw(t, "b")...)
		want := a.whole().Equal(b.whole())
		if a.Equal(b) != want || b.Equal(a) != want {
			t.Fatalf("Equal: %v, want %v", a.Equal(b), want)
		}
		if (a.Digest() == b.Digest()) != want {
			t.Fatalf("digests %s and %s of databases that are equal: %v", a.Digest(), b.Digest(), want)
		}
		// A database loaded a second time is compared by content.
		if twin := (&DB{base: &base{a.base.orders, a.base.products, a.base.users}, orders: a.orders, users: a.users}); twin.Equal(b) != want {
			t.Fatalf("Equal of databases loaded apart: %v, want %v", twin.Equal(b), want)
		}
		restored, err := b.With(a.Changes())
		if err != nil || !restored.Equal(a) {
			t.Fatalf("%s laid over the loaded database: %v", a.Changes(), err)
		}
	})
}

func TestEqualOfDifferentShops(t *testing.T) {
	a, b := shop(t), shop(t)
	if !a.Equal(b) {
		t.Error("the same files, loaded twice, are not equal")
	}
	b.base.products = b.base.products.With(Member{"P3", NewObject()})
	if a.Equal(b) {
		t.Error("databases with different products are equal")
	}
	c := shop(t)
	c.Call("cancel_pending_order", parse(t, `{"order_id": "#1", "reason": "no longer needed"}`))
	if d := (&DB{base: &base{c.whole().members[0].Value.(*Object), c.base.products, c.base.users}}); !d.Equal(c) || d.Equal(a) {
		t.Error("a database loaded with a cancelled order is not the one in which it was cancelled")
	}
}

func TestClonesAreIndependent(t *testing.T) {
	db := shop(t)
	before := db.whole().String()
	clone := db.Clone()
	clone.Call("cancel_pending_order", parse(t, `{"order_id": "#2", "reason": "no longer needed"}`))
	if got := db.whole().String(); got != before {
		t.Errorf("a call on the clone changed the original:\n%s", cmp.Diff(before, got))
	}
	second := clone.Clone()
	changed := clone.whole().String()
	second.Call("modify_user_address", parse(t, `{"user_id": "ada_quill", "address1": "", "address2": "", "city": "", "state": "", "country": "", "zip": ""}`))
	if got := clone.whole().String(); got != changed {
		t.Errorf("a call on a clone's clone changed the clone:\n%s", cmp.Diff(changed, got))
	}
}

func TestChanges(t *testing.T) {
	db := shop(t)
	if got, want := db.Changes().String(), `{"orders": {}, "users": {}}`; got != want {
		t.Errorf("pristine: got %s, want %s", got, want)
	}
	asLoaded := writes()[8]
	if got, want := db.After(asLoaded).Changes().String(), `{"orders": {}, "users": {}}`; got != want {
		t.Errorf("an address changed to what it was: got %s, want %s", got, want)
	}
	after := db.After(writes()[1])
	orders, users := object(after.Changes(), "orders"), object(after.Changes(), "users")
	if orders.Len() != 1 || object(orders, "#2") == nil || users.Len() != 1 || object(users, "ada_quill") == nil {
		t.Errorf("a cancelled order paid by gift card: got %s", after.Changes())
	}
}

func TestWithRefuses(t *testing.T) {
	db := shop(t)
	for _, tt := range []struct{ changes, want string }{
		{`{"products": {}}`, "products: want orders and users by id"},
		{`{"orders": []}`, "orders: want orders and users by id"},
		{`{"orders": {"#9": {}}}`, `no record "#9"`},
		{`{"orders": {"#1": {"status": 1}}}`, "order #1: status must be a string"},
		{`{"users": {"bo_reed": 5}}`, "user bo_reed: must be an object"},
	} {
		if _, err := db.With(parse(t, tt.changes)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.changes, err, tt.want)
		}
	}
}

func TestLoadNamesTheFault(t *testing.T) {
	for _, tt := range []struct{ file, old, new, want string }{
		{"orders.json", "", "", "orders.json"}, // removed
		{"users.json", "{", "", "users.json: parse JSON object"},
		{"products.json", `"price": 2.25`, `"price": "2.25"`, "product P2, variant pen-red: price must be a number"},
		{"products.json", `"available": true`, `"available": 1`, "product P2, variant pen-red: available must be true or false"},
		{"users.json", `"balance": 40, `, ``, "user ada_quill, payment method gift_card_1: no balance"},
		{"users.json", `"email"`, `"mail"`, "user ada_quill: no email"},
		{"orders.json", `"user_id": "bo_reed"`, `"user_id": "nobody"`, "order #4: user_id names no user"},
		{"orders.json", `"product_id": "P1"`, `"product_id": "P9"`, "order #1: product_id of an item names no product"},
		{"orders.json", `"payment_method_id": "paypal_1"`, `"payment_method_id": "credit_card_2"`, "order #1: payment_method_id names no payment method of its user"},
		{"orders.json", `[{"transaction_type": "payment", "amount": 99.9, "payment_method_id": "credit_card_2"}]`, `[]`, "order #4: payment_history must not be empty"},
		{"orders.json", `"status": "pending"`, `"status": null`, "order #1: status must be a string"},
	} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("testdata/shop")); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, tt.file)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), tt.old) {
			t.Fatalf("%s has no %s", tt.file, tt.old)
		}
		if tt.old == "" {
			err = os.Remove(path)
		} else {
			err = os.WriteFile(path, []byte(strings.Replace(string(text), tt.old, tt.new, 1)), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s with %s for %s: got %v, want %q", tt.file, tt.new, tt.old, err, tt.want)
		}
	}
}
