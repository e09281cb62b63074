package retail

import "fmt"

// The tools read many members of a record. Checking at loading that they are there, and of the right type, spares each tool the question.

func (b *base) check() error {
	for id, v := range b.products.All() {
		if err := checkProduct(id, v); err != nil {
			return err
		}
	}
	for id, v := range b.users.All() {
		if err := b.checkUser(id, v); err != nil {
			return err
		}
	}
	for id, v := range b.orders.All() {
		if err := b.checkOrder(id, v); err != nil {
			return err
		}
	}
	return nil
}

func checkProduct(id string, v any) error {
	s := shape{where: "product " + id}
	product := s.object(v)
	s.text(product, "name")
	s.text(product, "product_id")
	variants := s.member(product, "variants")
	for item, v := range variants.All() {
		s.where = "product " + id + ", variant " + item
		variant := s.object(v)
		s.number(variant, "price")
		s.has(variant, "options")
		if _, ok := value(variant, "available").(bool); !ok {
			s.fail("available must be true or false")
		}
	}
	return s.err
}

func (b *base) checkUser(id string, v any) error {
	s := shape{where: "user " + id}
	user := s.object(v)
	name := s.member(user, "name")
	s.text(name, "first_name")
	s.text(name, "last_name")
	s.text(user, "email")
	s.has(s.member(user, "address"), "zip")
	for method, v := range s.member(user, "payment_methods").All() {
		s.where = "user " + id + ", payment method " + method
		m := s.object(v)
		if s.text(m, "source") == giftCard {
			s.number(m, "balance")
		}
	}
	return s.err
}

func (b *base) checkOrder(id string, v any) error {
	s := shape{where: "order " + id}
	order := s.object(v)
	s.text(order, "status")
	user := object(b.users, s.text(order, "user_id"))
	if user == nil {
		s.fail("user_id names no user")
	}
	for _, v := range s.list(order, "items") {
		item := s.object(v)
		s.text(item, "item_id")
		s.number(item, "price")
		if object(b.products, s.text(item, "product_id")) == nil {
			s.fail("product_id of an item names no product")
		}
	}
	history := s.list(order, "payment_history")
	if len(history) == 0 {
		s.fail("payment_history must not be empty")
	}
	for _, v := range history {
		payment := s.object(v)
		s.text(payment, "transaction_type")
		s.number(payment, "amount")
		if object(object(user, "payment_methods"), s.text(payment, "payment_method_id")) == nil {
			s.fail("payment_method_id names no payment method of its user")
		}
	}
	return s.err
}

// shape reads members and keeps the first fault.
type shape struct {
	where string
	err   error
}

func (s *shape) fail(why string) {
	if s.err == nil {
		s.err = fmt.Errorf("%s: %s", s.where, why)
	}
}

func (s *shape) object(v any) *Object {
	o, ok := v.(*Object)
	if !ok {
		s.fail("must be an object")
	}
	return o
}

func (s *shape) has(o *Object, name string) any {
	v, ok := o.Get(name)
	if !ok {
		s.fail("no " + name)
	}
	return v
}

func (s *shape) member(o *Object, name string) *Object {
	member, ok := s.has(o, name).(*Object)
	if !ok {
		s.fail(name + " must be an object")
	}
	return member
}

func (s *shape) list(o *Object, name string) []any {
	l, ok := s.has(o, name).([]any)
	if !ok {
		s.fail(name + " must be a list")
	}
	return l
}

func (s *shape) text(o *Object, name string) string {
	t, ok := s.has(o, name).(string)
	if !ok {
		s.fail(name + " must be a string")
	}
	return t
}

func (s *shape) number(o *Object, name string) {
	switch s.has(o, name).(type) {
	case Int, float64:
	default:
		s.fail(name + " must be a number")
	}
}
