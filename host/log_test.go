package host

import "testing"

func TestLastWords(t *testing.T) {
	for _, test := range []struct{ name, wrote, want string }{
		{"nothing", "\n \n", ""},
		{"python", "Traceback (most recent call last):\n  File \"app.py\", line 3\nValueError: no\n", ": ValueError: no"},
		{"node", "file:///app.js:8\n  throw new Error(\"later\");\n  ^\n\nError: later\n    at f (file:///app.js:8:9)\n\nNode.js v20.20.2\n", ": Error: later"},
		{"node, an error with members", "TypeError [ERR_X]: no: x\n    at f (file:///app.js:8:9) {\n  code: 'ERR_X'\n}\n\nNode.js v22.1.0\n", ": TypeError [ERR_X]: no: x"},
		{"node, a text", "node:internal/process:394\n      trigger(\n      ^\n\n[UnhandledPromiseRejection: This error originated …: \"x\"] {\n  code: 1\n}\n\nNode.js v20.20.2", ": [UnhandledPromiseRejection: This error originated …: \"x\"] {"},
		{"node, something else", "app.js:1\nthrow 5\n^\n5\n(Use `node --trace-uncaught ...`)\n\nNode.js v20.20.2", ": (Use `node --trace-uncaught ...`)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l log
			l.Write([]byte(test.wrote))
			l.flush()
			if got := l.after(); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}
