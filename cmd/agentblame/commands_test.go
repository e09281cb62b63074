package main

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/agentblame/agentblame/report"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// cmdCode runs a program that must end with an exit code: code 2 agentblame …
func cmdCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// cmdJSON compares a part of a JSON file, or of the n-th value in it: json FILE
// PATH VALUE, with a path such as cases.0.shapley, and "-" for a part that isn't
// there. An element of an array can be named by its id or name: cases.q1.score.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: [!] json file path value")
	}
	part, ok := jsonPart(ts, args[0], args[1])
	got := "-"
	if ok {
		text, err := json.Marshal(part)
		ts.Check(err)
		got = string(text)
	}
	want := args[2]
	if want != "-" {
		var v any
		if err := json.Unmarshal([]byte(want), &v); err != nil {
			ts.Fatalf("%s isn't JSON: %v", want, err)
		}
		text, err := json.Marshal(v)
		ts.Check(err)
		want = string(text)
	}
	if (got == want) == neg {
		ts.Fatalf("%s of %s is %s, want %s", args[1], args[0], got, want)
	}
}

// cmdNear compares numbers up to 1e-12: near FILE PATH VALUE. Of an object or an
// array every member must be near.
func cmdNear(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: near file path number")
	}
	part, _ := jsonPart(ts, args[0], args[1])
	want, err := strconv.ParseFloat(args[2], 64)
	ts.Check(err)
	check := func(v any) {
		if got, ok := v.(float64); !ok || !(math.Abs(got-want) <= 1e-12) {
			ts.Fatalf("%s of %s is %v, want %v", args[1], args[0], v, want)
		}
	}
	switch part := part.(type) {
	case map[string]any:
		for _, v := range part {
			check(v)
		}
	case []any:
		for _, v := range part {
			check(v)
		}
	default:
		check(part)
	}
}

// jsonPart finds a part of a JSON or JSON Lines file; of the latter the lines
// are an array.
func jsonPart(ts *testscript.TestScript, file, path string) (part any, ok bool) {
	text := ts.ReadFile(file)
	if strings.HasSuffix(file, ".jsonl") || file == "stdout" {
		text = "[" + strings.ReplaceAll(strings.TrimSpace(text), "\n", ",") + "]"
	}
	if err := json.Unmarshal([]byte(text), &part); err != nil {
		ts.Fatalf("%s: %v", file, err)
	}
	for key := range strings.SplitSeq(path, ".") {
		switch at := part.(type) {
		case map[string]any:
			part, ok = at[key]
		case []any:
			part, ok = element(at, key)
		default:
			ok = false
		}
		if !ok {
			return nil, false
		}
	}
	return part, true
}

func element(list []any, key string) (any, bool) {
	if i, err := strconv.Atoi(key); err == nil {
		if i < 0 || i >= len(list) {
			return nil, false
		}
		return list[i], true
	}
	for _, v := range list {
		if m, ok := v.(map[string]any); ok && (m["id"] == key || m["name"] == key || m["step"] == key) {
			return v, true
		}
	}
	return nil, false
}

// cmdValid checks that files are results: by the schema, and for our reader.
func cmdValid(ts *testscript.TestScript, neg bool, args []string) {
	schema, err := resultSchema()
	ts.Check(err)
	for _, file := range args {
		text := ts.ReadFile(file)
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		ts.Check(err)
		err = schema.Validate(value)
		if err == nil {
			_, err = report.ReadJSON(strings.NewReader(text))
		}
		if (err == nil) == neg {
			ts.Fatalf("%s: %v", file, err)
		}
	}
}

var resultSchema = sync.OnceValues(func() (*jsonschema.Schema, error) {
	return jsonschema.NewCompiler().Compile("../../docs/result.schema.json")
})

// cmdLines checks how many lines a file has, and how many of these differ:
// lines FILE N [DIFFERENT]. A file that isn't there has none.
func cmdLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: lines file n [different]")
	}
	count, seen := 0, map[string]bool{}
	if _, err := os.Stat(ts.MkAbs(args[0])); err == nil || args[0] == "stdout" || args[0] == "stderr" {
		for line := range strings.Lines(ts.ReadFile(args[0])) {
			count++
			seen[line] = true
		}
	}
	for i, got := range []int{count, len(seen)}[:len(args)-1] {
		if want, err := strconv.Atoi(args[i+1]); err != nil || got != want {
			ts.Fatalf("%s has %d lines, %d different; want %v", args[0], count, len(seen), args[1:])
		}
	}
}
