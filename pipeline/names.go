package pipeline

import (
	"fmt"
	"strings"
)

// didYouMean says which of the names that would be right is meant, or which
// there are. It begins with a separator, or is empty when there are none.
func didYouMean(got string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	best, distance := "", 3
	for _, n := range names {
		if d := editDistance(strings.ToLower(got), strings.ToLower(n)); d < distance && d < len(n) {
			best, distance = n, d
		}
	}
	if best != "" {
		return fmt.Sprintf("; did you mean %q? (there are: %s)", best, strings.Join(names, ", "))
	}
	return fmt.Sprintf(" (there are: %s)", strings.Join(names, ", "))
}

// editDistance counts the insertions, deletions and replacements from a to b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j+1]+1, row[j]+1)
		}
	}
	return row[len(b)]
}
