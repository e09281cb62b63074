package noise

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

// The ports check every vector, bit by bit, and 600,000 function values by
// digest.
func TestPorts(t *testing.T) {
	_, count := makeVectors(t).encode(t)
	for _, port := range [][]string{{"python3", "testdata/port/noise.py"}, {"node", "testdata/port/noise.mjs"}} {
		t.Run(port[0], func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(port[0]); err != nil {
				t.Skipf("%s IS NOT INSTALLED: its port of the noise was not compared", port[0])
			}
			out, err := exec.Command(port[0], port[1], vectorsFile).CombinedOutput()
			if err != nil {
				t.Fatalf("%s %s: %v\n%s", port[0], port[1], err, out)
			}
			if got, want := strings.TrimSpace(string(out)), fmt.Sprintf("ok %d", count); got != want {
				t.Errorf("%s checked %q of the vectors, want %q", port[0], got, want)
			}
		})
	}
}
