// Package examples holds programs that people copy from. The project that
// "agentblame init" writes is one of them.
package examples

import "embed"

// PythonExec is a pipeline of four Python steps, its cases and its YAML.
//
//go:embed python-exec/agentblame.yaml python-exec/steps.py python-exec/cases.jsonl
var PythonExec embed.FS
