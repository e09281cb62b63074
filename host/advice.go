package host

import "regexp"

// advice is the end of a message about a process that didn't start, given what it
// wrote: what to install, where Python, Node, the TypeScript compiler or a shell says
// that one of the SDKs or the compiler isn't there. Else it is "".
func advice(wrote string) string {
	for _, m := range missing {
		if m.said.MatchString(wrote) {
			return "\n  To mend that, " + m.advice
		}
	}
	return ""
}

var missing = []struct {
	said   *regexp.Regexp
	advice string
}{
	{
		regexp.MustCompile(`(?m)No module named (agentblame$|'agentblame')`),
		"install the Python SDK for the Python that the host's command starts, from a checkout of agentblame: pip install path/to/agentblame/sdk/python",
	},
	{
		regexp.MustCompile(`Cannot find (package|module) 'agentblame'`),
		"install the TypeScript SDK in the host's folder, from a checkout of agentblame: npm install path/to/agentblame/sdk/typescript",
	},
	{
		regexp.MustCompile(`(?m)\btsc: (command )?not found$`),
		"install what the host's package.json names, of which the TypeScript compiler isn't there; README.md of a project that agentblame init wrote says how",
	},
}
