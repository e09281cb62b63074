package retail

import (
	"fmt"
	"os"
	"strings"

	"github.com/go-json-experiment/json"
)

// Run is one recorded conversation of an agent with a customer.
type Run struct {
	TaskID   int
	Trial    int
	Reward   float64 // as recorded: 1 or 0
	Task     Task
	Messages []Message
}

// Task is what the customer wanted.
type Task struct {
	UserID      string
	Instruction string   // what the customer was told to be and to want
	Gold        []*Call  // the calls that do what is wanted
	Outputs     []string // what the agent had to tell the customer
}

// Message is one message of a run: of the system, the user, the assistant or a tool.
type Message struct {
	Role    string
	Content string
	Calls   []ToolCall // of an assistant message
}

// ToolCall is a call as the agent wrote it. Only the first of a message is executed.
type ToolCall struct {
	Name      string
	Arguments string // JSON text, which may be faulty
}

// Executed is a call that the environment executed in a run.
type Executed struct {
	Call
	Message  int    // the message that made it, counted from 1
	Answered bool   // whether the run holds the answer
	Answer   string // the tool's answer, from the next message of role "tool"
}

// runWire and the types below are the form of a run in a file.
type runWire struct {
	TaskID int     `json:"task_id"`
	Trial  int     `json:"trial"`
	Reward float64 `json:"reward"`
	Info   struct {
		Task struct {
			UserID      string `json:"user_id"`
			Instruction string `json:"instruction"`
			Actions     []struct {
				Name   string  `json:"name"`
				Kwargs *Object `json:"kwargs"`
			} `json:"actions"`
			Outputs []string `json:"outputs"`
		} `json:"task"`
	} `json:"info"`
	Traj []messageWire `json:"traj"`
}

type messageWire struct {
	Role      string `json:"role"`
	Content   string `json:"content"` // null in a message that only calls
	ToolCalls []struct {
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

// LoadRuns reads a file of runs: a JSON list, as τ-bench writes its results.
func LoadRuns(path string) ([]Run, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("load runs: %w", err)
	}
	runs, err := DecodeRuns(data)
	if err != nil {
		return nil, fmt.Errorf("load runs: %s: %w", path, err)
	}
	return runs, nil
}

// DecodeRuns reads runs from the text of such a file.
func DecodeRuns(data []byte) ([]Run, error) {
	var wire []runWire
	if err := json.Unmarshal(data, &wire); err != nil {
		return nil, fmt.Errorf("decode runs: %w", err)
	}
	runs := make([]Run, len(wire))
	for i, w := range wire {
		task := w.Info.Task
		run := Run{TaskID: w.TaskID, Trial: w.Trial, Reward: w.Reward}
		run.Task = Task{UserID: task.UserID, Instruction: task.Instruction, Outputs: task.Outputs}
		for _, a := range task.Actions {
			run.Task.Gold = append(run.Task.Gold, &Call{a.Name, a.Kwargs})
		}
		for _, m := range w.Traj {
			message := Message{Role: m.Role, Content: m.Content}
			for _, c := range m.ToolCalls {
				message.Calls = append(message.Calls, ToolCall(c.Function))
			}
			run.Messages = append(run.Messages, message)
		}
		runs[i] = run
	}
	return runs, nil
}

// Executed lists the calls that were executed, in order: the first of each assistant message that calls.
// Calls whose arguments are not a JSON object could not be executed, and are left out.
func (r Run) Executed() []Executed {
	var calls []Executed
	for i, m := range r.Messages {
		if m.Role != "assistant" || len(m.Calls) == 0 {
			continue
		}
		args, err := ParseObject([]byte(m.Calls[0].Arguments))
		if err != nil {
			continue
		}
		c := Executed{Call: Call{m.Calls[0].Name, args}, Message: i + 1}
		if i+1 < len(r.Messages) && r.Messages[i+1].Role == "tool" {
			c.Answered, c.Answer = true, r.Messages[i+1].Content
		}
		calls = append(calls, c)
	}
	return calls
}

// Tells says whether the agent told the customer text in a message that calls no tool. Upper and lower case are the same, and commas don't count.
func (r Run) Tells(text string) bool {
	text = plain(text)
	for _, m := range r.Messages {
		if m.Role == "assistant" && len(m.Calls) == 0 && strings.Contains(plain(m.Content), text) {
			return true
		}
	}
	return false
}

func plain(text string) string { return strings.ReplaceAll(strings.ToLower(text), ",", "") }

// Replayed is what came of running a run's calls again.
type Replayed struct {
	DB          *DB        // the database after the run
	Answers     int        // how many answers were compared
	Differences []Mismatch // those that did not come out as recorded
}

// Mismatch is an answer that did not come out as recorded.
type Mismatch struct {
	Call      Executed // with the recorded answer
	GotAnswer string
}

// Replay executes the run's calls on a clone of db and compares each answer with the recorded one, byte for byte.
func Replay(db *DB, run Run) Replayed {
	replayed := Replayed{DB: db.Clone()}
	for _, c := range run.Executed() {
		got := replayed.DB.Call(c.Name, c.Args)
		if !c.Answered {
			continue
		}
		replayed.Answers++
		if got != c.Answer {
			replayed.Differences = append(replayed.Differences, Mismatch{c, got})
		}
	}
	return replayed
}

// Reward is what the run earns when its calls are executed on a clone of db: 1 if the database comes out as after the gold calls and the agent told all the wanted outputs, else 0.
func Reward(db *DB, run Run) float64 {
	if !Replay(db, run).DB.Equal(db.After(run.Task.Gold...)) {
		return 0
	}
	for _, output := range run.Task.Outputs {
		if !run.Tells(output) {
			return 0
		}
	}
	return 1
}
