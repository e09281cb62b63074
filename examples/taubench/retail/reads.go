package retail

import (
	"slices"
	"strings"
)

// The tools that change nothing.

func findUserIDByEmail(db *DB, args []any) (string, error) {
	email, err := lower(args[0])
	if err != nil {
		return "", err
	}
	for id := range db.base.users.All() {
		if strings.ToLower(text(db.user(id), "email")) == email {
			return id, nil
		}
	}
	return "", noUser
}

// findUserIDByNameZip compares names without regard to case, and looks at the last name only where the first name fits.
func findUserIDByNameZip(db *DB, args []any) (string, error) {
	first, err := lower(args[0])
	if err != nil {
		return "", err
	}
	for id := range db.base.users.All() {
		user := db.user(id)
		name := object(user, "name")
		if strings.ToLower(text(name, "first_name")) != first {
			continue
		}
		last, err := lower(args[1])
		if err != nil {
			return "", err
		}
		if strings.ToLower(text(name, "last_name")) == last && equal(value(object(user, "address"), "zip"), args[2]) {
			return id, nil
		}
	}
	return "", noUser
}

func getOrderDetails(db *DB, args []any) (string, error) {
	_, order, err := find(db.orders, db.base.orders, args[0])
	if err != nil {
		return "", err
	}
	if order == nil {
		return "", noOrder
	}
	return order.String(), nil
}

func getProductDetails(db *DB, args []any) (string, error) {
	_, product, err := find(nil, db.base.products, args[0])
	if err != nil {
		return "", err
	}
	if product == nil {
		return "", refusal("product not found")
	}
	return product.String(), nil
}

func getUserDetails(db *DB, args []any) (string, error) {
	_, user, err := find(db.users, db.base.users, args[0])
	if err != nil {
		return "", err
	}
	if user == nil {
		return "", noUser
	}
	return user.String(), nil
}

// listAllProductTypes maps product names, sorted, to product ids.
func listAllProductTypes(db *DB, _ []any) (string, error) {
	var ids []Member
	for _, v := range db.base.products.All() {
		product := v.(*Object)
		ids = append(ids, Member{text(product, "name"), text(product, "product_id")})
	}
	byName := NewObject(ids...)
	return NewObject(slices.Clone(byName.ordered(true))...).String(), nil
}

func think(*DB, []any) (string, error) { return "", nil }

func transferToHumanAgents(*DB, []any) (string, error) { return "Transfer successful", nil }
