package retail

import (
	"fmt"
	"os"

	"github.com/go-json-experiment/json"
)

// Label is what a person found wrong in a failed run.
type Label struct {
	TaskID   int
	Failures []Failure
	Root     Failure // the one of Failures that caused the rest
}

// Failure is one fault that a person saw in a run.
type Failure struct {
	ID       int    `json:"failure_id"`
	Message  int    `json:"step_number"` // the message at fault, counted from 1
	Category string `json:"failure_category"`
	Agent    string `json:"failed_agent"`
	Reason   string `json:"step_reason"`
}

// LoadLabels reads a file of labels: a JSON list, as AgentRx publishes them. A label whose root cause is none of its failures is an error.
func LoadLabels(path string) ([]Label, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load labels: %w", err)
	}
	var wire []struct {
		TrajectoryID int       `json:"trajectory_id"`
		Failures     []Failure `json:"failures"`
		RootCause    struct {
			FailureID int `json:"failure_id"`
		} `json:"root_cause"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return nil, fmt.Errorf("load labels: %s: %w", path, err)
	}
	labels := make([]Label, len(wire))
	for i, w := range wire {
		label := Label{TaskID: w.TrajectoryID, Failures: w.Failures}
		for _, f := range w.Failures {
			if f.ID == w.RootCause.FailureID {
				label.Root = f
			}
		}
		if label.Root == (Failure{}) {
			return nil, fmt.Errorf("load labels: %s: run %d: the root cause %d is none of its failures", path, w.TrajectoryID, w.RootCause.FailureID)
		}
		labels[i] = label
	}
	return labels, nil
}
