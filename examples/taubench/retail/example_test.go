package retail_test

import (
	"fmt"
	"log"

	"github.com/agentblame/agentblame/examples/taubench/retail"
)

// A run's writes beside the ones it should have made, and which fixes repair it.
func Example() {
	db, err := retail.Load("testdata/shop")
	if err != nil {
		log.Fatal(err)
	}
	runs, err := retail.LoadRuns("testdata/runs.json")
	if err != nil {
		log.Fatal(err)
	}
	run := runs[0]
	slots := retail.Slots(run)
	for _, s := range slots {
		fmt.Printf("message %d: %s %s\n", s.Message, s.Kind(), s.Tool)
	}
	gold := db.After(run.Task.Gold...)
	fmt.Println("as run:", retail.Play(db, slots, []bool{false, false, false, false}).Equal(gold))
	fmt.Println("without the second cancellation:", retail.Play(db, slots, []bool{false, false, true, false}).Equal(gold))
	fmt.Println("all fixed:", retail.Play(db, slots, []bool{true, true, true, true}).Equal(gold))
	// Output:
	// message 3: keep cancel_pending_order
	// message 5: replace return_delivered_order_items
	// message 9: drop cancel_pending_order
	// message 0: add modify_user_address
	// as run: false
	// without the second cancellation: false
	// all fixed: true
}

func ExampleDB_Call() {
	db, err := retail.Load("testdata/shop")
	if err != nil {
		log.Fatal(err)
	}
	args := retail.NewObject(
		retail.Member{Name: "user_id", Value: "bo_reed"},
		retail.Member{Name: "zip", Value: "04530"},
	)
	fmt.Println(db.Call("list_all_product_types", nil))
	fmt.Println(db.Call("modify_user_address", args))
	// Output:
	// {"Mug": "P1", "Pen": "P2"}
	// Error: ModifyUserAddress.invoke() missing 5 required positional arguments: 'address1', 'address2', 'city', 'state', and 'country'
}
