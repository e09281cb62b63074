package retail

import (
	"fmt"
	"slices"
	"strings"
)

// The tools that exchange, modify or return items of an order.

// exchangeDeliveredOrderItems notes the wanted exchange in the order; items and payments stay as they are.
func exchangeDeliveredOrderItems(db *DB, args []any) (string, error) {
	id, order, err := db.order(args[0])
	if err != nil {
		return "", err
	}
	if text(order, "status") != "delivered" {
		return "", refusal("non-delivered order cannot be exchanged")
	}
	swaps, difference, err := db.swaps(order, args[1], args[2])
	if err != nil {
		return "", err
	}
	difference = round2(difference)
	method, details, err := db.paymentMethod(order, args[3])
	if err != nil {
		return "", err
	}
	if !covers(details, difference) {
		return "", refusal("insufficient gift card balance to pay for the price difference")
	}
	var before, after []string
	for _, s := range swaps {
		before, after = append(before, s.item), append(after, s.with)
	}
	return db.change(id, order,
		Member{"status", "exchange requested"},
		Member{"exchange_items", sorted(before)},
		Member{"exchange_new_items", sorted(after)},
		Member{"exchange_payment_method_id", method},
		Member{"exchange_price_difference", difference}), nil
}

// modifyPendingOrderItems replaces the items at once, and pays or refunds the difference in price, which it does not round.
func modifyPendingOrderItems(db *DB, args []any) (string, error) {
	id, order, err := db.order(args[0])
	if err != nil {
		return "", err
	}
	if text(order, "status") != "pending" {
		return "", notPending
	}
	swaps, difference, err := db.swaps(order, args[1], args[2])
	if err != nil {
		return "", err
	}
	method, details, err := db.paymentMethod(order, args[3])
	if err != nil {
		return "", err
	}
	if !covers(details, difference) {
		return "", refusal("insufficient gift card balance to pay for the new item")
	}
	kind, amount := "refund", difference
	switch {
	case float(difference) > 0:
		kind = "payment"
	case float(difference) < 0:
		amount = negate(difference)
	}
	db.credit(text(order, "user_id"), method, negate(difference))

	items := slices.Clone(list(order, "items"))
	for _, s := range swaps {
		i := indexOfItem(items, s.item) // in what the swaps before have left; wanted has counted that there are enough
		variant := object(object(object(db.base.products, text(items[i].(*Object), "product_id")), "variants"), s.with)
		items[i] = items[i].(*Object).With(
			Member{"item_id", s.with},
			Member{"price", value(variant, "price")},
			Member{"options", value(variant, "options")})
	}
	return db.change(id, order,
		Member{"items", items},
		Member{"status", "pending (item modified)"},
		Member{"payment_history", append(slices.Clone(list(order, "payment_history")), transaction(kind, amount, method))}), nil
}

// returnDeliveredOrderItems notes the wanted return in the order. The refund goes to where the payment came from, or to a gift card.
func returnDeliveredOrderItems(db *DB, args []any) (string, error) {
	id, order, err := db.order(args[0])
	if err != nil {
		return "", err
	}
	if text(order, "status") != "delivered" {
		return "", refusal("non-delivered order cannot be returned")
	}
	method, details, err := db.paymentMethod(order, args[2])
	if err != nil {
		return "", err
	}
	original := text(list(order, "payment_history")[0].(*Object), "payment_method_id")
	if text(details, "source") != giftCard && method != original {
		return "", refusal("payment method should be either the original payment method or a gift card")
	}
	items, absent, err := wanted(order, args[1])
	if err != nil {
		return "", err
	}
	if len(absent) > 0 {
		return "", refusal("some item not found")
	}
	return db.change(id, order,
		Member{"status", "return requested"},
		Member{"return_items", sorted(items)},
		Member{"return_payment_method_id", method}), nil
}

// swap is one item of an order and the variant wanted instead.
type swap struct{ item, with string }

// swaps checks the two lists of an exchange, and sums the differences in price.
func (db *DB) swaps(order *Object, itemIDs, newIDs any) ([]swap, any, error) {
	items, absent, err := wanted(order, itemIDs)
	if err != nil {
		return nil, nil, err
	}
	if len(absent) > 0 {
		return nil, nil, fmt.Errorf("%s not found", str(absent[0]))
	}
	replacements, err := elements(newIDs)
	if err != nil {
		return nil, nil, fmt.Errorf("object of type '%s' has no len()", typeName(newIDs))
	}
	if len(items) != len(replacements) {
		return nil, nil, refusal("the number of items to be exchanged should match")
	}
	var swaps []swap
	var difference any = Int("0")
	inOrder := list(order, "items")
	for i, item := range items {
		old := inOrder[indexOfItem(inOrder, item)].(*Object)
		variants := object(object(db.base.products, text(old, "product_id")), "variants")
		with, variant, err := find(nil, variants, replacements[i])
		if err != nil {
			return nil, nil, err
		}
		if available, _ := value(variant, "available").(bool); !available {
			return nil, nil, fmt.Errorf("new item %s not found or available", str(replacements[i]))
		}
		swaps = append(swaps, swap{item, with})
		difference = add(difference, add(value(variant, "price"), negate(value(old, "price"))))
	}
	return swaps, difference, nil
}

// wanted reads a list of item ids, and sets apart those that it lists more often than the order has them.
func wanted(order *Object, itemIDs any) (items []string, absent []any, err error) {
	ids, err := elements(itemIDs)
	if err != nil {
		return nil, nil, err
	}
	if _, ok := itemIDs.(*Object); ok && len(ids) > 0 {
		return nil, nil, refusal("'dict' object has no attribute 'count'")
	}
	has := map[string]int{}
	for _, v := range list(order, "items") {
		has[text(v.(*Object), "item_id")]++
	}
	asked := map[string]int{}
	for _, v := range ids {
		if id, ok := v.(string); ok {
			asked[id]++
		}
	}
	for _, v := range ids {
		id, ok := v.(string)
		if !ok || asked[id] > has[id] {
			absent = append(absent, v)
			continue
		}
		items = append(items, id)
	}
	return items, absent, nil
}

func indexOfItem(items []any, id string) int {
	return slices.IndexFunc(items, func(v any) bool { return text(v.(*Object), "item_id") == id })
}

// sorted is a sorted list of ids.
func sorted(ids []string) []any {
	list := make([]any, len(ids))
	for i, id := range slices.SortedFunc(slices.Values(ids), strings.Compare) {
		list[i] = id
	}
	return list
}
