package host

import (
	"strings"
	"testing"
)

func TestAdvice(t *testing.T) {
	for wrote, want := range map[string]string{
		"/usr/bin/python3: No module named agentblame":                                          "sdk/python",
		"ModuleNotFoundError: No module named 'agentblame'":                                     "sdk/python",
		"x\nModuleNotFoundError: No module named 'agentblame'\ny":                               "sdk/python",
		"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'agentblame' imported from /x/a.js":  "sdk/typescript",
		"app.ts(7,46): error TS2307: Cannot find module 'agentblame' or its corresponding …\nx": "sdk/typescript",
		"sh: 1: tsc: not found":                              "package.json",
		"sh: line 1: tsc: command not found":                 "package.json",
		"ModuleNotFoundError: No module named 'agentblames'": "",
		"No module named agentblame.missing":                 "",
		"Cannot find package 'agentblame-extras'":            "",
		"etsc: not found":                                    "",
		"":                                                   "",
	} {
		got := advice(wrote)
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q", wrote, got)
		}
	}
}
