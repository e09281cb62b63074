package outside_test

import (
	"fmt"

	"github.com/agentblame/agentblame/outside"
)

// What comes from elsewhere can't move the cursor or turn the direction of writing.
func ExampleExcerpt() {
	fmt.Println(outside.Excerpt("\x1b[31mred\u202e, and more", 13))
	// Output: \x1b[31mred\u202e, …
}
