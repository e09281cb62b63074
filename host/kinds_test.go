//go:build unix

package host

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/agentblame/agentblame/pipeline"
)

// kindOf says what the engine makes of an error.
func kindOf(err error) string {
	var fault *pipeline.FaultError
	var gold *pipeline.NoGoldError
	switch {
	case errors.As(err, &fault):
		return "fault"
	case errors.As(err, &gold):
		return "gold"
	case isTransient(err):
		return "transient"
	}
	return "failure"
}

// startParallel is start for tests that run at once: the mode goes in by way of
// a shell, not of this process' environment.
func startParallel(t testing.TB, mode string) (*Host, *lines, error) {
	t.Helper()
	log := &lines{}
	h, err := Open(t.Context(), Options{
		Name: "py", Command: []string{"sh", "-c", `HOST_TEST_MODE="$1" exec "$0"`, os.Args[0], mode},
		StartTimeout: 20 * time.Second, Log: log.add,
	})
	if err == nil {
		t.Cleanup(h.Close)
	}
	return h, log, err
}
