package retail

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func shop(t testing.TB) *DB {
	t.Helper()
	db, err := Load("testdata/shop")
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// step is a call and what it answers. An answer that begins with "…" is compared by its end, one that ends so by its beginning.
type step struct{ name, args, want string }

func play(t *testing.T, db *DB, steps []step) {
	t.Helper()
	for _, s := range steps {
		got := db.Call(s.name, parse(t, s.args))
		end, cutBefore := strings.CutPrefix(s.want, "…")
		begin, cutAfter := strings.CutSuffix(s.want, "…")
		switch {
		case cutBefore && strings.HasSuffix(got, end), cutAfter && strings.HasPrefix(got, begin), got == s.want:
		default:
			t.Errorf("%s %s:\ngot  %s\nwant %s", s.name, s.args, got, s.want)
		}
	}
}

const (
	ada    = `{"name": {"first_name": "Ada", "last_name": "Quill"}, "address": {"address1": "1 Ink Row", "address2": "", "city": "Nib", "country": "USA", "state": "OR", "zip": "97000"}, "email": "Ada.Quill@example.com", "payment_methods": {"gift_card_1": {"source": "gift_card", "balance": `
	adaEnd = `, "id": "gift_card_1"}, "paypal_1": {"source": "paypal", "id": "paypal_1"}, "credit_card_1": {"source": "credit_card", "brand": "visa", "last_four": "0001", "id": "credit_card_1"}}, "orders": ["#1", "#2", "#3", "#5"]}`
)

func TestTools(t *testing.T) {
	for _, tt := range []struct {
		name    string
		steps   []step
		balance string // of the gift card afterwards; "40" is untouched
	}{
		{"reads", []step{
			{"find_user_id_by_email", `{"email": "ADA.quill@example.COM"}`, "ada_quill"},
			{"find_user_id_by_email", `{"email": "nobody@example.com"}`, "Error: user not found"},
			{"find_user_id_by_name_zip", `{"first_name": "bo", "last_name": "REED", "zip": "04000"}`, "bo_reed"},
			{"find_user_id_by_name_zip", `{"first_name": "Bo", "last_name": "Reed", "zip": "4000"}`, "Error: user not found"},
			{"find_user_id_by_name_zip", `{"first_name": "Bo", "last_name": "Reed", "zip": 4000}`, "Error: user not found"},
			{"get_order_details", `{"order_id": "#4"}`, `{"order_id": "#4", "user_id": "bo_reed", "address": {"zip": "04000"}, "items": [{"name": "Mug", "product_id": "P1", "item_id": "mug-l", "price": 99.9, "options": {"size": "L", "glaze": "gr\u00fcn"}}], "fulfillments": [], "status": "processed", "payment_history": [{"transaction_type": "payment", "amount": 99.9, "payment_method_id": "credit_card_2"}]}`},
			{"get_order_details", `{"order_id": "4"}`, "Error: order not found"},
			{"get_product_details", `{"product_id": "P2"}`, `{"name": "Pen", "product_id": "P2", "variants": {"pen-red": {"item_id": "pen-red", "options": {"ink": "red"}, "available": true, "price": 2.25}, "pen-blue": {"item_id": "pen-blue", "options": {"ink": "blue"}, "available": false, "price": 2.5}}}`},
			{"get_product_details", `{"product_id": "pen-red"}`, "Error: product not found"},
			{"get_user_details", `{"user_id": "bo"}`, "Error: user not found"},
			{"list_all_product_types", `{}`, `{"Mug": "P1", "Pen": "P2"}`},
			{"think", `{"thought": "hm"}`, ""},
			{"transfer_to_human_agents", `{"summary": "hm"}`, "Transfer successful"},
			{"calculate", `{"expression": "10.1 + 2.5 * 2"}`, "15.1"},
		}, "40"},
		{"faulty arguments", []step{
			{"refund", `{}`, "Unknown action refund"},
			{"think", `{}`, "Error: Think.invoke() missing 1 required positional argument: 'thought'"},
			{"cancel_pending_order", `{}`, "Error: CancelPendingOrder.invoke() missing 2 required positional arguments: 'order_id' and 'reason'"},
			{"find_user_id_by_name_zip", `{}`, "Error: FindUserIdByNameZip.invoke() missing 3 required positional arguments: 'first_name', 'last_name', and 'zip'"},
			{"list_all_product_types", `{"category": 1}`, "Error: ListAllProductTypes.invoke() got an unexpected keyword argument 'category'"},
			{"think", `{"idea": "hm"}`, "Error: Think.invoke() got an unexpected keyword argument 'idea'"},
			{"get_order_details", `{"order_id": 4}`, "Error: order not found"},
			{"get_order_details", `{"order_id": ["#4"]}`, "Error: unhashable type: 'list'"},
			{"get_user_details", `{"user_id": {}}`, "Error: unhashable type: 'dict'"},
			{"get_product_details", `{"product_id": null}`, "Error: product not found"},
			{"find_user_id_by_email", `{"email": null}`, "Error: 'NoneType' object has no attribute 'lower'"},
			{"find_user_id_by_name_zip", `{"first_name": "Zed", "last_name": 1, "zip": ""}`, "Error: user not found"},
			{"find_user_id_by_name_zip", `{"first_name": "Ada", "last_name": 1, "zip": ""}`, "Error: 'int' object has no attribute 'lower'"},
			{"calculate", `{"expression": 5}`, "Error: 'int' object is not iterable"},
			{"return_delivered_order_items", `{"order_id": "#3", "item_ids": null, "payment_method_id": "gift_card_1"}`, "Error: 'NoneType' object is not iterable"},
			{"exchange_delivered_order_items", `{"order_id": "#3", "item_ids": "mug-m", "new_item_ids": [], "payment_method_id": "gift_card_1"}`, "Error: m not found"},
			{"exchange_delivered_order_items", `{"order_id": "#3", "item_ids": [["a", 1.0, null]], "new_item_ids": [], "payment_method_id": "gift_card_1"}`, "Error: ['a', 1.0, None] not found"},
			{"exchange_delivered_order_items", `{"order_id": "#3", "item_ids": {"mug-m": 1}, "new_item_ids": [], "payment_method_id": "gift_card_1"}`, "Error: 'dict' object has no attribute 'count'"},
			{"exchange_delivered_order_items", `{"order_id": "#3", "item_ids": ["mug-m"], "new_item_ids": true, "payment_method_id": "gift_card_1"}`, "Error: object of type 'bool' has no len()"},
			{"exchange_delivered_order_items", `{"order_id": "#3", "item_ids": ["mug-m"], "new_item_ids": [12], "payment_method_id": "gift_card_1"}`, "Error: new item 12 not found or available"},
			{"exchange_delivered_order_items", `{"order_id": "#3", "item_ids": ["mug-m"], "new_item_ids": [[]], "payment_method_id": "gift_card_1"}`, "Error: unhashable type: 'list'"},
		}, "40"},
		{"cancel", []step{
			{"cancel_pending_order", `{"order_id": "#9", "reason": "no longer needed"}`, "Error: order not found"},
			{"cancel_pending_order", `{"order_id": "#3", "reason": "no longer needed"}`, "Error: non-pending order cannot be cancelled"},
			{"cancel_pending_order", `{"order_id": "#2", "reason": "too late"}`, "Error: invalid reason"},
			{"cancel_pending_order", `{"order_id": "#2", "reason": "ordered by mistake"}`, `…"status": "cancelled", "payment_history": [{"transaction_type": "payment", "amount": 12.35, "payment_method_id": "gift_card_1"}, {"transaction_type": "refund", "amount": 12.35, "payment_method_id": "gift_card_1"}], "cancel_reason": "ordered by mistake"}`},
			{"cancel_pending_order", `{"order_id": "#2", "reason": "ordered by mistake"}`, "Error: non-pending order cannot be cancelled"},
		}, "52.35"},
		{"modify items", []step{
			{"modify_pending_order_items", `{"order_id": "#3", "item_ids": ["mug-m"], "new_item_ids": ["mug-s"], "payment_method_id": "gift_card_1"}`, "Error: non-pending order cannot be modified"},
			{"modify_pending_order_items", `{"order_id": "#1", "item_ids": ["mug-m"], "new_item_ids": ["mug-s"], "payment_method_id": "gift_card_1"}`, "Error: mug-m not found"},
			{"modify_pending_order_items", `{"order_id": "#1", "item_ids": ["mug-s", "mug-s", "mug-s"], "new_item_ids": ["mug-m", "mug-m", "mug-m"], "payment_method_id": "gift_card_1"}`, "Error: mug-s not found"},
			{"modify_pending_order_items", `{"order_id": "#1", "item_ids": ["mug-s"], "new_item_ids": [], "payment_method_id": "gift_card_1"}`, "Error: the number of items to be exchanged should match"},
			{"modify_pending_order_items", `{"order_id": "#1", "item_ids": ["mug-s"], "new_item_ids": ["pen-red"], "payment_method_id": "gift_card_1"}`, "Error: new item pen-red not found or available"},
			{"modify_pending_order_items", `{"order_id": "#1", "item_ids": ["pen-blue"], "new_item_ids": ["pen-blue"], "payment_method_id": "gift_card_1"}`, "Error: new item pen-blue not found or available"},
			{"modify_pending_order_items", `{"order_id": "#1", "item_ids": ["mug-s"], "new_item_ids": ["mug-m"], "payment_method_id": "credit_card_2"}`, "Error: payment method not found"},
			{"modify_pending_order_items", `{"order_id": "#1", "item_ids": ["mug-s", "mug-s", "pen-blue"], "new_item_ids": ["mug-m", "mug-s", "pen-red"], "payment_method_id": "gift_card_1"}`,
				`…"items": [{"name": "Mug", "product_id": "P1", "item_id": "mug-m", "price": 12.35, "options": {"size": "M"}}, {"name": "Pen", "product_id": "P2", "item_id": "pen-red", "price": 2.25, "options": {"ink": "red"}}, {"name": "Mug", "product_id": "P1", "item_id": "mug-s", "price": 10.1, "options": {"size": "S"}}], "fulfillments": [], "status": "pending (item modified)", "payment_history": [{"transaction_type": "payment", "amount": 22.7, "payment_method_id": "paypal_1"}, {"transaction_type": "payment", "amount": 2.0, "payment_method_id": "gift_card_1"}]}`},
			{"modify_pending_order_items", `{"order_id": "#1", "item_ids": ["mug-m"], "new_item_ids": ["mug-s"], "payment_method_id": "gift_card_1"}`, "Error: non-pending order cannot be modified"},
			{"modify_pending_order_address", `{"order_id": "#1", "address1": "9 Bay", "address2": "", "city": "Bath", "state": "ME", "country": "USA", "zip": "04530"}`, "Error: non-pending order cannot be modified"},
			{"modify_pending_order_payment", `{"order_id": "#1", "payment_method_id": "gift_card_1"}`, "Error: non-pending order cannot be modified"},
			{"cancel_pending_order", `{"order_id": "#1", "reason": "no longer needed"}`, "Error: non-pending order cannot be cancelled"},
		}, "38.0"},
		{"modify items, cheaper", []step{
			{"modify_pending_order_items", `{"order_id": "#2", "item_ids": ["mug-m"], "new_item_ids": ["mug-s"], "payment_method_id": "gift_card_1"}`,
				`…{"transaction_type": "refund", "amount": 2.25, "payment_method_id": "gift_card_1"}]}`},
		}, "42.25"},
		{"modify no items", []step{ // the sum of nothing is an int
			{"modify_pending_order_items", `{"order_id": "#2", "item_ids": [], "new_item_ids": [], "payment_method_id": "gift_card_1"}`,
				`…{"transaction_type": "refund", "amount": 0, "payment_method_id": "gift_card_1"}]}`},
		}, "40"},
		{"modify payment", []step{
			{"modify_pending_order_payment", `{"order_id": "#9", "payment_method_id": "gift_card_1"}`, "Error: order not found"},
			{"modify_pending_order_payment", `{"order_id": "#3", "payment_method_id": "gift_card_1"}`, "Error: non-pending order cannot be modified"},
			{"modify_pending_order_payment", `{"order_id": "#1", "payment_method_id": "gift_card_2"}`, "Error: payment method not found"},
			{"modify_pending_order_payment", `{"order_id": "#1", "payment_method_id": "paypal_1"}`, "Error: the new payment method should be different from the current one"},
			{"modify_pending_order_payment", `{"order_id": "#1", "payment_method_id": "gift_card_1"}`, `…"status": "pending", "payment_history": [{"transaction_type": "payment", "amount": 22.7, "payment_method_id": "paypal_1"}, {"transaction_type": "payment", "amount": 22.7, "payment_method_id": "gift_card_1"}, {"transaction_type": "refund", "amount": 22.7, "payment_method_id": "paypal_1"}]}`},
			{"modify_pending_order_payment", `{"order_id": "#1", "payment_method_id": "paypal_1"}`, "Error: there should be exactly one payment for a pending order"},
		}, "17.3"},
		{"modify payment, back to the gift card", []step{
			{"modify_pending_order_payment", `{"order_id": "#2", "payment_method_id": "paypal_1"}`, `…{"transaction_type": "refund", "amount": 12.35, "payment_method_id": "gift_card_1"}]}`},
		}, "52.35"},
		{"too little on the card", []step{
			{"modify_pending_order_payment", `{"order_id": "#5", "payment_method_id": "gift_card_1"}`, "Error: insufficient gift card balance to pay for the order"},
			{"modify_pending_order_items", `{"order_id": "#1", "item_ids": ["mug-s"], "new_item_ids": ["mug-l"], "payment_method_id": "gift_card_1"}`, "Error: insufficient gift card balance to pay for the new item"},
			{"exchange_delivered_order_items", `{"order_id": "#3", "item_ids": ["mug-m"], "new_item_ids": ["mug-l"], "payment_method_id": "gift_card_1"}`, "Error: insufficient gift card balance to pay for the price difference"},
			{"exchange_delivered_order_items", `{"order_id": "#3", "item_ids": ["mug-m"], "new_item_ids": ["mug-l"], "payment_method_id": "paypal_1"}`, `…"exchange_price_difference": 87.55}`},
		}, "40"},
		{"addresses", []step{
			{"modify_pending_order_address", `{"order_id": "#1", "address1": "9 Bay", "address2": "", "city": "Bath", "state": "ME", "country": "USA", "zip": 4530}`, `{"order_id": "#1", "user_id": "ada_quill", "address": {"address1": "9 Bay", "address2": "", "city": "Bath", "state": "ME", "country": "USA", "zip": 4530}, "items": …`},
			{"modify_pending_order_address", `{"order_id": "#4", "address1": "", "address2": "", "city": "", "state": "", "country": "", "zip": ""}`, "Error: non-pending order cannot be modified"},
			{"modify_user_address", `{"user_id": "bo_reed", "address1": "9 Bay", "address2": "", "city": "Bath", "state": "ME", "country": "USA", "zip": "04530"}`, `{"name": {"first_name": "Bo", "last_name": "Reed"}, "address": {"address1": "9 Bay", "address2": "", "city": "Bath", "state": "ME", "country": "USA", "zip": "04530"}, "email": …`},
			{"modify_user_address", `{"user_id": "bo", "address1": "", "address2": "", "city": "", "state": "", "country": "", "zip": ""}`, "Error: user not found"},
			{"find_user_id_by_name_zip", `{"first_name": "Bo", "last_name": "Reed", "zip": "04530"}`, "bo_reed"},
		}, "40"},
		{"exchange", []step{
			{"exchange_delivered_order_items", `{"order_id": "#1", "item_ids": ["mug-s"], "new_item_ids": ["mug-m"], "payment_method_id": "gift_card_1"}`, "Error: non-delivered order cannot be exchanged"},
			{"exchange_delivered_order_items", `{"order_id": "#3", "item_ids": ["pen-red", "mug-m"], "new_item_ids": ["pen-red", "mug-s"], "payment_method_id": "gift_card_1"}`, `…"status": "exchange requested", "payment_history": [{"transaction_type": "payment", "amount": 14.6, "payment_method_id": "credit_card_1"}], "exchange_items": ["mug-m", "pen-red"], "exchange_new_items": ["mug-s", "pen-red"], "exchange_payment_method_id": "gift_card_1", "exchange_price_difference": -2.25}`},
			{"return_delivered_order_items", `{"order_id": "#3", "item_ids": ["mug-m"], "payment_method_id": "gift_card_1"}`, "Error: non-delivered order cannot be returned"},
		}, "40"},
		{"return", []step{
			{"return_delivered_order_items", `{"order_id": "#1", "item_ids": ["mug-s"], "payment_method_id": "gift_card_1"}`, "Error: non-delivered order cannot be returned"},
			{"return_delivered_order_items", `{"order_id": "#3", "item_ids": ["mug-m"], "payment_method_id": "none"}`, "Error: payment method not found"},
			{"return_delivered_order_items", `{"order_id": "#3", "item_ids": ["mug-m"], "payment_method_id": "paypal_1"}`, "Error: payment method should be either the original payment method or a gift card"},
			{"return_delivered_order_items", `{"order_id": "#3", "item_ids": ["mug-m", "mug-m"], "payment_method_id": "gift_card_1"}`, "Error: some item not found"},
			{"return_delivered_order_items", `{"order_id": "#3", "item_ids": [""], "payment_method_id": "gift_card_1"}`, "Error: some item not found"},
			{"return_delivered_order_items", `{"order_id": "#3", "item_ids": ["pen-red", "mug-m"], "payment_method_id": "credit_card_1"}`, `…"return_items": ["mug-m", "pen-red"], "return_payment_method_id": "credit_card_1"}`},
		}, "40"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := shop(t)
			play(t, db, tt.steps)
			if got, want := db.Call("get_user_details", parse(t, `{"user_id": "ada_quill"}`)), ada+tt.balance+adaEnd; got != want {
				t.Errorf("Ada afterwards:\ngot  %s\nwant %s", got, want)
			}
		})
	}
}

// A refused call leaves the database as it was, and a read always does.
func TestRefusedCallsAndReadsChangeNothing(t *testing.T) {
	for _, call := range []step{
		{"cancel_pending_order", `{"order_id": "#2", "reason": "too late"}`, ""},
		{"modify_pending_order_items", `{"order_id": "#1", "item_ids": ["mug-s"], "new_item_ids": ["mug-l"], "payment_method_id": "gift_card_1"}`, ""},
		{"modify_pending_order_payment", `{"order_id": "#2", "payment_method_id": "gift_card_1"}`, ""},
		{"return_delivered_order_items", `{"order_id": "#3", "item_ids": ["mug-m"], "payment_method_id": "paypal_1"}`, ""},
		{"get_order_details", `{"order_id": "#2"}`, ""},
		{"transfer_to_human_agents", `{"summary": ""}`, ""},
		{"no_such_tool", `{}`, ""},
	} {
		db := shop(t)
		db.Call(call.name, parse(t, call.args))
		if diff := cmp.Diff(shop(t).whole(), db.whole()); diff != "" || !db.Equal(shop(t)) {
			t.Errorf("%s %s changed the database (-want +got):\n%s", call.name, call.args, diff)
		}
	}
}

func TestIsWrite(t *testing.T) {
	writes := 0
	for _, name := range []string{
		"calculate", "cancel_pending_order", "exchange_delivered_order_items", "find_user_id_by_email", "find_user_id_by_name_zip", "get_order_details",
		"get_product_details", "get_user_details", "list_all_product_types", "modify_pending_order_address", "modify_pending_order_items",
		"modify_pending_order_payment", "modify_user_address", "return_delivered_order_items", "think", "transfer_to_human_agents",
	} {
		if _, ok := lookup(name); !ok {
			t.Errorf("no tool %s", name)
		}
		if IsWrite(name) {
			writes++
		}
	}
	if writes != 7 {
		t.Errorf("%d tools write, want 7", writes)
	}
}
