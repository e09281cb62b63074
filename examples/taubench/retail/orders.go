package retail

// The tools that change a whole order, or an address.

const giftCard = "gift_card" // the source of a payment method with a balance

// cancelPendingOrder refunds every entry of the payment history to where it came from; a gift card's balance rises at once.
func cancelPendingOrder(db *DB, args []any) (string, error) {
	id, order, err := db.order(args[0])
	if err != nil {
		return "", err
	}
	if text(order, "status") != "pending" {
		return "", refusal("non-pending order cannot be cancelled")
	}
	reason := args[1]
	if reason != "no longer needed" && reason != "ordered by mistake" {
		return "", refusal("invalid reason")
	}
	history := list(order, "payment_history")
	refunded := append([]any{}, history...)
	for _, v := range history {
		payment := v.(*Object)
		method := text(payment, "payment_method_id")
		refunded = append(refunded, transaction("refund", value(payment, "amount"), method))
		db.credit(text(order, "user_id"), method, value(payment, "amount"))
	}
	return db.change(id, order,
		Member{"status", "cancelled"},
		Member{"payment_history", refunded},
		Member{"cancel_reason", reason}), nil
}

// modifyPendingOrderPayment pays the order anew with another method and refunds the first.
func modifyPendingOrderPayment(db *DB, args []any) (string, error) {
	id, order, err := db.order(args[0])
	if err != nil {
		return "", err
	}
	if text(order, "status") != "pending" {
		return "", notPending
	}
	method, details, err := db.paymentMethod(order, args[1])
	if err != nil {
		return "", err
	}
	history := list(order, "payment_history")
	first := history[0].(*Object)
	if len(history) > 1 || text(first, "transaction_type") != "payment" {
		return "", refusal("there should be exactly one payment for a pending order")
	}
	before := text(first, "payment_method_id")
	if before == method {
		return "", refusal("the new payment method should be different from the current one")
	}
	amount := value(first, "amount")
	if !covers(details, amount) {
		return "", refusal("insufficient gift card balance to pay for the order")
	}
	user := text(order, "user_id")
	db.credit(user, method, negate(amount))
	db.credit(user, before, amount)
	return db.change(id, order, Member{"payment_history", []any{
		first,
		transaction("payment", amount, method),
		transaction("refund", amount, before),
	}}), nil
}

func modifyPendingOrderAddress(db *DB, args []any) (string, error) {
	id, order, err := db.order(args[0])
	if err != nil {
		return "", err
	}
	if text(order, "status") != "pending" {
		return "", notPending
	}
	return db.change(id, order, Member{"address", address(args[1:])}), nil
}

func modifyUserAddress(db *DB, args []any) (string, error) {
	id, user, err := find(db.users, db.base.users, args[0])
	if err != nil {
		return "", err
	}
	if user == nil {
		return "", noUser
	}
	user = user.With(Member{"address", address(args[1:])})
	db.setUser(id, user)
	return user.String(), nil
}

// address takes the values in the order of the tools' parameters.
func address(v []any) *Object {
	return NewObject(
		Member{"address1", v[0]}, Member{"address2", v[1]}, Member{"city", v[2]},
		Member{"state", v[3]}, Member{"country", v[4]}, Member{"zip", v[5]})
}

// order finds an order by an argument, or says that there is none.
func (db *DB) order(arg any) (string, *Object, error) {
	id, order, err := find(db.orders, db.base.orders, arg)
	if err == nil && order == nil {
		err = noOrder
	}
	return id, order, err
}

// change sets members of an order and returns the order as the answer.
func (db *DB) change(id string, order *Object, members ...Member) string {
	order = order.With(members...)
	db.setOrder(id, order)
	return order.String()
}

// paymentMethod finds an argument among the payment methods of an order's user.
func (db *DB) paymentMethod(order *Object, arg any) (string, *Object, error) {
	id, method, err := find(nil, object(db.user(text(order, "user_id")), "payment_methods"), arg)
	if err == nil && method == nil {
		err = noPaymentMethod
	}
	return id, method, err
}

// covers says whether a payment method can pay amount: only a gift card can be too small.
func covers(method *Object, amount any) bool {
	return text(method, "source") != giftCard || float(value(method, "balance")) >= float(amount)
}

// credit adds amount to the balance of a user's gift card, rounded to cents. Other payment methods have no balance.
func (db *DB) credit(userID, methodID string, amount any) {
	user := db.user(userID)
	methods := object(user, "payment_methods")
	method := object(methods, methodID)
	if text(method, "source") != giftCard {
		return
	}
	method = method.With(Member{"balance", round2(add(value(method, "balance"), amount))})
	db.setUser(userID, user.With(Member{"payment_methods", methods.With(Member{methodID, method})}))
}

func transaction(kind string, amount any, method string) *Object {
	return NewObject(Member{"transaction_type", kind}, Member{"amount", amount}, Member{"payment_method_id", method})
}
