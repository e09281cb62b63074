// Package saved writes what benchmarks have measured for programs to read.
package saved

import (
	"encoding/json"
	"fmt"
	"os"
)

// Rows writes rows to a file as {"rows": […]}. It does nothing when no file is
// named.
func Rows[Row any](file string, rows []Row) error {
	if file == "" {
		return nil
	}
	out, err := json.MarshalIndent(map[string][]Row{"rows": rows}, "", "  ")
	if err != nil {
		return fmt.Errorf("encode rows: %w", err)
	}
	if err := os.WriteFile(file, append(out, '\n'), 0o644); err != nil {
		return fmt.Errorf("write rows: %w", err)
	}
	return nil
}
