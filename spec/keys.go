package spec

// A place is a kind of mapping in a file.
type place int

const (
	inFile place = iota
	inInput
	inStep
	inRun
	inVariant
	inHTTP
	inHost
	inScore
	inLiteral
	inBlame
	inCase
	inRecording
)

// keys returns the keys that a mapping may have there, in the order in which
// messages list them.
func (p place) keys() []string {
	switch p {
	case inFile:
		return []string{"name", "inputs", "steps", "score", "cases", "pass", "env", "hosts", "blame"}
	case inInput:
		return []string{"variants"}
	case inStep:
		return append([]string{"needs", "run", "variants", "concurrency", "key"}, runKeys()...)
	case inRun:
		return append(kinds(), "function", "variant")
	case inVariant:
		return append(append(kinds(), "function", "variant"), runKeys()...)
	case inHost:
		return []string{"command", "url", "headers", "workers", "env", "start_timeout", "hang_timeout", "max_output"}
	case inHTTP:
		return []string{"url", "headers"}
	case inScore:
		keys := append(metrics(), "of", "json", "tolerance", "relative", "ignore_case", "trim", "needs")
		return append(keys, runKeys()...)
	case inLiteral:
		return []string{"value"}
	case inBlame:
		return []string{"mode", "method", "players", "fixes", "worlds", "seed", "pass", "delta", "stop", "rule", "top_k", "width", "budget", "concurrency", "timeout", "retries", "nodes", "keep_cases", "claim", "harm", "check_keys", "groups", "ordered"}
	case inCase:
		return []string{"id", "inputs", "expected", "seed", "gold", "recording", "tags"}
	default: // inRecording
		return []string{"inputs", "output", "error", "error_data", "draws"}
	}
}

// kinds returns the kinds of implementation.
func kinds() []string { return []string{"exec", "http", "host", "expr", "value", "gold"} }

// runKeys returns the keys that say how an implementation is run.
func runKeys() []string {
	return []string{"cost", "timeout", "retries", "deterministic", "version", "env", "max_output"}
}

// metrics returns the kinds of score.
func metrics() []string {
	return []string{"equals", "contains", "regex", "number", "expr", "exec", "http", "host"}
}
