package retail

import (
	"fmt"
	"slices"
	"strings"
)

// Call is one call of a tool: its name and its arguments by name.
type Call struct {
	Name string  `json:"name"`
	Args *Object `json:"args"`
}

// Key is the same text for calls with the same name and arguments, in whatever order the arguments stand.
func (c Call) Key() string { return string(appendDumps([]byte(c.Name), c.Args, true)) }

// String shows the call as NAME {arguments}.
func (c Call) String() string { return c.Name + " " + c.Args.String() }

// tool is one of the sixteen. run gets the arguments in the order of params; its error is the sentence after "Error: ".
type tool struct {
	class  string // the name Python uses in its complaints
	params []string
	run    func(db *DB, args []any) (string, error)
}

// lookup has the sixteen tools.
func lookup(name string) (tool, bool) {
	address := []string{"address1", "address2", "city", "state", "country", "zip"}
	switch name {
	case "calculate":
		return tool{"Calculate", []string{"expression"}, calculate}, true
	case "cancel_pending_order":
		return tool{"CancelPendingOrder", []string{"order_id", "reason"}, cancelPendingOrder}, true
	case "exchange_delivered_order_items":
		return tool{"ExchangeDeliveredOrderItems", []string{"order_id", "item_ids", "new_item_ids", "payment_method_id"}, exchangeDeliveredOrderItems}, true
	case "find_user_id_by_email":
		return tool{"FindUserIdByEmail", []string{"email"}, findUserIDByEmail}, true
	case "find_user_id_by_name_zip":
		return tool{"FindUserIdByNameZip", []string{"first_name", "last_name", "zip"}, findUserIDByNameZip}, true
	case "get_order_details":
		return tool{"GetOrderDetails", []string{"order_id"}, getOrderDetails}, true
	case "get_product_details":
		return tool{"GetProductDetails", []string{"product_id"}, getProductDetails}, true
	case "get_user_details":
		return tool{"GetUserDetails", []string{"user_id"}, getUserDetails}, true
	case "list_all_product_types":
		return tool{"ListAllProductTypes", nil, listAllProductTypes}, true
	case "modify_pending_order_address":
		return tool{"ModifyPendingOrderAddress", append([]string{"order_id"}, address...), modifyPendingOrderAddress}, true
	case "modify_pending_order_items":
		return tool{"ModifyPendingOrderItems", []string{"order_id", "item_ids", "new_item_ids", "payment_method_id"}, modifyPendingOrderItems}, true
	case "modify_pending_order_payment":
		return tool{"ModifyPendingOrderPayment", []string{"order_id", "payment_method_id"}, modifyPendingOrderPayment}, true
	case "modify_user_address":
		return tool{"ModifyUserAddress", append([]string{"user_id"}, address...), modifyUserAddress}, true
	case "return_delivered_order_items":
		return tool{"ReturnDeliveredOrderItems", []string{"order_id", "item_ids", "payment_method_id"}, returnDeliveredOrderItems}, true
	case "think":
		return tool{"Think", []string{"thought"}, think}, true
	case "transfer_to_human_agents":
		return tool{"TransferToHumanAgents", []string{"summary"}, transferToHumanAgents}, true
	}
	return tool{}, false
}

// Call runs a tool on the database and returns its answer; writes change db. Nil args are no arguments.
// A call that the tool refuses is answered by a sentence that begins with "Error: ", one of an unknown tool by "Unknown action NAME".
func (db *DB) Call(name string, args *Object) string {
	t, ok := lookup(name)
	if !ok {
		return "Unknown action " + name
	}
	values, err := t.bind(args)
	if err != nil {
		return "Error: " + err.Error()
	}
	answer, err := t.run(db, values)
	if err != nil {
		return "Error: " + err.Error()
	}
	return answer
}

// bind puts the arguments in the order of the parameters, and complains as Python does about one too many or too few.
func (t tool) bind(args *Object) ([]any, error) {
	known := 0
	values := make([]any, len(t.params))
	var missing []string
	for i, p := range t.params {
		v, ok := args.Get(p)
		if !ok {
			missing = append(missing, "'"+p+"'")
			continue
		}
		known++
		values[i] = v
	}
	if known < args.Len() {
		for name := range args.All() {
			if !slices.Contains(t.params, name) {
				return nil, fmt.Errorf("%s.invoke() got an unexpected keyword argument '%s'", t.class, name)
			}
		}
	}
	switch n := len(missing); n {
	case 0:
		return values, nil
	case 1:
		return nil, fmt.Errorf("%s.invoke() missing 1 required positional argument: %s", t.class, missing[0])
	case 2:
		return nil, fmt.Errorf("%s.invoke() missing 2 required positional arguments: %s and %s", t.class, missing[0], missing[1])
	default:
		return nil, fmt.Errorf("%s.invoke() missing %d required positional arguments: %s, and %s", t.class, n, strings.Join(missing[:n-1], ", "), missing[n-1])
	}
}

// IsWrite says whether calls of the named tool can change the database. A name that no tool has counts as a write: it would be answered, and change nothing.
func IsWrite(name string) bool {
	switch name {
	case "calculate", "find_user_id_by_email", "find_user_id_by_name_zip", "get_order_details", "get_product_details", "get_user_details",
		"list_all_product_types", "think", "transfer_to_human_agents":
		return false
	}
	return true
}

// refusal is the sentence of a tool that refuses a call, without the "Error: " before it.
type refusal string

func (r refusal) Error() string { return string(r) }

// The sentences that several tools say.
const (
	noOrder         refusal = "order not found"
	noUser          refusal = "user not found"
	noPaymentMethod refusal = "payment method not found"
	notPending      refusal = "non-pending order cannot be modified"
)
