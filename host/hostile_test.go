//go:build unix

package host

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestMain lets this test binary be a host.
func TestMain(m *testing.M) {
	if mode := os.Getenv("HOST_TEST_MODE"); mode != "" {
		(&fake{mode: mode, out: os.Stdout}).serve()
		os.Exit(0)
	}
	// With the race detector a process sleeps for a second when it ends.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	os.Exit(m.Run())
}

// fake is a host for tests: step a turns the input q into "a:q", and with its
// fix into "A:q"; step b passes on what a gave. The score is whether b gave
// what is expected. Its mode says what is odd about it.
type fake struct {
	mode string
	out  io.Writer
	mu   sync.Mutex
	seen int
}

type rpc struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Step    string
		Variant string
		Inputs  map[string]any
		Values  map[string]any
		Output  any
		Case    struct {
			ID       string
			Expected any
		}
		Noise *fakeNoise
		ID    int
	} `json:"params"`
}

const fakeManifest = `{"protocol":1,"host":{"name":"fake","version":"1"},"name":"fake","kind":"graph","inputs":["q"],
 "steps":[{"name":"a","needs":["q"],"timeout_ms":TIMEOUT,"retries":RETRIES,"variants":[{"name":"fix","cost":2}]},
          {"name":"b","needs":["a"],"timeout_ms":60000,"variants":[{"name":"fix"}]}],
 "score":{"needs":["b"]},"in_flight":8}`

func (f *fake) manifest() string {
	timeout, retries := "60000", "2"
	if f.mode == "never" || f.mode == "deaf" {
		timeout, retries = "100", "0"
	}
	return strings.ReplaceAll(strings.NewReplacer("TIMEOUT", timeout, "RETRIES", retries).Replace(fakeManifest), "\n", "")
}

func (f *fake) write(text string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	io.WriteString(f.out, text)
}

func (f *fake) reply(m rpc, result string) {
	f.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", m.ID, result))
}

func (f *fake) fail(m rpc, text string) {
	f.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":%s}`+"\n", m.ID, text))
}

func (f *fake) serve() {
	if f.mode == "pid" || f.mode == "slow" {
		fmt.Fprintln(os.Stderr, "pid", os.Getpid())
	}
	switch f.mode {
	case "noStart":
		fmt.Fprint(os.Stderr, "Traceback (most recent call last):\n  File \"app.py\", line 1\n\x1b[31mModuleNotFoundError\x1b[0m: No module named 'x'\n")
		os.Exit(1)
	case "early":
		os.Exit(0)
	case "hello":
		f.write("Hello, loading …\n")
	}
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var m rpc
		if err := json.Unmarshal(line, &m); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(9)
		}
		if m.ID != nil && m.Method != "" {
			f.handle(m)
		}
	}
}

func (f *fake) handle(m rpc) {
	switch m.Method {
	case "initialize":
		f.initialize(m)
	case "step/run":
		f.step(m)
	case "score":
		score := 0
		if m.Params.Values["b"] == m.Params.Case.Expected {
			score = 1
		}
		f.reply(m, fmt.Sprintf(`{"score":%d}`, score))
	default:
		f.fail(m, `{"code":-32601,"message":"no such method"}`)
	}
}

func (f *fake) initialize(m rpc) {
	switch f.mode {
	case "mute":
	case "protocol2":
		f.reply(m, `{"protocol":2,"kind":["whatever"]}`)
	case "protocol0":
		f.reply(m, `{"protocol":0}`)
	case "protocolNone":
		f.reply(m, `{"capabilities":{}}`)
	case "kind":
		f.reply(m, `{"protocol":1,"kind":"tree"}`)
	case "types":
		f.reply(m, `{"protocol":1,"kind":"graph","steps":[{"name":"a","needs":"q"}]}`)
	case "initError":
		f.fail(m, `{"code":1,"message":"two steps are named a","data":{"traceback":"File app.py\n  line 3"}}`)
	default:
		f.reply(m, f.manifest())
	}
}

func (f *fake) step(m rpc) {
	f.seen++
	first := f.seen == 1
	if once := os.Getenv("HOST_TEST_KILLED"); once != "" && f.seen == 10 && os.Mkdir(once, 0o700) == nil {
		syscall.Kill(os.Getpid(), syscall.SIGKILL) // with this request and others in flight
	}
	switch f.mode {
	case "garbage":
		f.write("\x1b[31mloading weights\x1b[0m\n")
	case "half":
		f.write(`{"jsonrpc":"2.0","id":`)
		os.Exit(0)
	case "notUTF8":
		f.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"output\":\"\xff\"}}\n")
	case "nameTwice":
		f.write(`{"jsonrpc":"2.0","id":1,"id":2,"result":null}` + "\n")
	case "noVersion":
		f.write(`{"id":1,"result":null}` + "\n")
	case "array":
		f.write("[1,2]\n")
	case "both":
		f.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":1,"error":{}}`+"\n", m.ID))
	case "neither":
		f.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s}`+"\n", m.ID))
	case "more":
		f.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"output":1}} {"a":1}`+"\n", m.ID))
	case "deep":
		f.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"output":%s1}}`+"\n", m.ID, strings.Repeat("[", 1_000_000)))
	case "long":
		f.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"output":"`, m.ID))
		for range 100 {
			f.write(strings.Repeat("x", 1<<20))
		}
		f.write("\"}}\n")
		return
	case "longNoID":
		for range 100 {
			f.write(strings.Repeat("x", 1<<20))
		}
		f.write("\n")
	case "wrongID":
		f.write(`{"jsonrpc":"2.0","id":999999,"result":{"output":"a"}}` + "\n")
	case "textID":
		f.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","result":{"output":"a"}}`+"\n", m.ID))
	case "twice":
		f.reply(m, `{"output":"a:x"}`)
		f.reply(m, `{"output":"a:y"}`)
		return
	case "never", "deaf", "still":
		if m.Params.Step == "a" {
			return
		}
	case "closing":
		os.Stdout.Close()
		time.Sleep(time.Hour)
	case "dying":
		if m.Params.Step == "a" {
			fmt.Fprintln(os.Stderr, "out of luck")
			os.Exit(3)
		}
	case "poison":
		if m.Params.Inputs["q"] == "poison" {
			os.Exit(3)
		}
	case "badCost":
		f.reply(m, `{"output":1,"cost":-1}`)
		return
	case "badDraws":
		f.reply(m, `{"output":1,"draws":[{"key":"k","kind":"bool","p":0,"value":true}]}`)
		return
	case "keyTwice":
		f.reply(m, `{"output":1,"draws":[{"key":"k","kind":"uniform","value":0.5},{"key":"k","kind":"uniform","value":0.5}]}`)
		return
	case "noOutput":
		f.reply(m, `{"result":1}`)
		return
	case "code":
		f.fail(m, `{"code":77,"message":"beyond the pale"}`)
		return
	case "noCode":
		f.fail(m, `"oh no"`)
		return
	case "nothing":
		f.reply(m, "null")
		return
	case "gold":
		f.fail(m, `{"code":3,"message":"no gold"}`)
		return
	case "misuse":
		f.fail(m, `{"code":4,"message":"step b was called from inside step a"}`)
		return
	case "failing":
		f.fail(m, `{"code":1,"message":"no policy\u001b[31m matches","data":{"type":"LookupError"}}`)
		return
	case "transient":
		if first {
			f.fail(m, `{"code":1,"message":"slow down","data":{"transient":true,"retry_after_ms":1}}`)
			return
		}
	case "badCall":
		f.write(`{"jsonrpc":"2.0","id":1,"method":"step/call","params":{"run":"7","step":"a","inputs":{}}}` + "\n")
	case "otherCall":
		f.write(`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}` + "\n")
		f.write(`{"jsonrpc":"2.0","method":"$/later","params":{}}` + "\n")
		f.write(`{"jsonrpc":"2.0","method":"$/log","params":{"level":"warning","message":"look\u001b[31m out"}}` + "\n\n")
	case "noisy":
		out, draws := noisyStep(m.Params.Step, m.Params.Variant, m.Params.Noise.source(m.Params.Step))
		f.reply(m, fmt.Sprintf(`{"output":%s,"draws":%s,"cost":0.5}`, out, draws))
		return
	case "progress":
		for range 30 {
			time.Sleep(100 * time.Millisecond)
			f.write(fmt.Sprintf(`{"jsonrpc":"2.0","method":"$/progress","params":{"id":%s,"message":"on it"}}`+"\n", m.ID))
		}
	case "slow":
		go func() {
			time.Sleep(2 * time.Millisecond)
			f.work(m)
		}()
		return
	}
	f.work(m)
}

func (f *fake) work(m rpc) {
	in := m.Params.Inputs["q"]
	if m.Params.Step == "b" {
		in = m.Params.Inputs["a"]
	}
	name := m.Params.Step
	if m.Params.Variant != "" {
		name = strings.ToUpper(name)
	}
	out, _ := json.Marshal(fmt.Sprintf("%s:%v", name, in))
	f.reply(m, fmt.Sprintf(`{"output":%s}`, out))
}
