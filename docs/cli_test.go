package docs

import (
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// command is a built program.
type command struct{ path string }

// build builds a program of the repository.
func build(t *testing.T, pkg string) command {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.Base(pkg))
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	if out, err := exec.Command("go", "build", "-o", path, "../"+pkg).CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", pkg, err, out)
	}
	return command{path}
}

// output returns what the program prints to standard output.
func (c command) output(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command(c.path, args...).Output()
	if err != nil {
		t.Fatalf("%s %s: %v", filepath.Base(c.path), strings.Join(args, " "), err)
	}
	return string(out)
}

var (
	verbLine   = regexp.MustCompile(`(?m)^  ([a-z]+) +\S`)
	flagLine   = regexp.MustCompile(`(?m)^ +(?:(-[a-zA-Z]), )?(--[a-z][a-z-]*)`)
	longFlag   = regexp.MustCompile(`--[a-z][a-z-]*[a-z]`)
	shortFlag  = regexp.MustCompile("`(-[a-zA-Z])`")
	verbInCode = regexp.MustCompile(`agentblame ([a-z]+)`)
	verbTitle  = regexp.MustCompile(`^agentblame ([a-z]+)$`)
)

// section is the part of a text from a line that is head up to the next empty one.
func section(text, head string) string {
	_, after, _ := strings.Cut(text, "\n"+head+"\n")
	part, _, _ := strings.Cut(after, "\n\n")
	return part
}

func verbs(help string) (out []string) {
	for _, m := range verbLine.FindAllStringSubmatch(section(help, "Available Commands:"), -1) {
		out = append(out, m[1])
	}
	return out
}

// flags returns the flags of one part of a help text, short ones included.
func flags(help, head string) map[string]bool {
	out := map[string]bool{}
	for _, m := range flagLine.FindAllStringSubmatch(section(help, head), -1) {
		out[m[2]] = true
		if m[1] != "" {
			out[m[1]] = true
		}
	}
	return out
}

// mentioned returns the flags that a text names.
func mentioned(text string) map[string]bool {
	out := map[string]bool{}
	for _, f := range longFlag.FindAllString(text, -1) {
		out[f] = true
	}
	for _, m := range shortFlag.FindAllStringSubmatch(text, -1) {
		out[m[1]] = true
	}
	return out
}

// sections splits a page at its headings of the second level.
func sections(text string) map[string]string {
	out := map[string]string{}
	for _, part := range strings.Split("\n"+text, "\n## ")[1:] {
		title, body, _ := strings.Cut(part, "\n")
		out[title] = body
	}
	return out
}

// docs/cli.md names the verbs that there are and no others, and in each verb's
// section its flags and no others.
func TestCommandLine(t *testing.T) {
	cli := build(t, "cmd/agentblame")
	text := read(t, "cli.md")
	help := cli.output(t, "--help")
	there := verbs(help)
	if len(there) < 5 {
		t.Fatalf("the help names only the verbs %v", there)
	}
	always := flags(help, "Flags:")
	parts := sections(text)
	for _, verb := range there {
		part, ok := parts["agentblame "+verb]
		if !ok {
			if verb != "help" {
				t.Errorf("cli.md has no section on agentblame %s", verb)
			}
			continue
		}
		own := cli.output(t, verb, "--help")
		known := flags(own, "Flags:")
		for _, sub := range verbs(own) {
			maps.Copy(known, flags(cli.output(t, verb, sub, "--help"), "Flags:"))
		}
		said := mentioned(part)
		for _, f := range slices.Sorted(maps.Keys(known)) {
			if !said[f] && !always[f] {
				t.Errorf("cli.md doesn't explain %s of agentblame %s", f, verb)
			}
		}
		for _, f := range slices.Sorted(maps.Keys(said)) {
			if !known[f] && !always[f] {
				t.Errorf("cli.md explains %s of agentblame %s, which has no such flag", f, verb)
			}
		}
		for f := range known {
			always[f] = always[f] || false // elsewhere any verb's flag may be named
		}
	}
	for title := range parts {
		if m := verbTitle.FindStringSubmatch(title); m != nil && !slices.Contains(there, m[1]) {
			t.Errorf("cli.md has a section on %s, which isn't there", title)
		}
	}
}

// Whatever page names a verb or flag of the command in code names one that is
// there.
func TestVerbsAndFlagsExist(t *testing.T) {
	cli := build(t, "cmd/agentblame")
	help := cli.output(t, "--help")
	there := verbs(help)
	known := flags(help, "Flags:")
	for _, verb := range there {
		own := cli.output(t, verb, "--help")
		maps.Copy(known, flags(own, "Flags:"))
		for _, sub := range verbs(own) {
			maps.Copy(known, flags(cli.output(t, verb, sub, "--help"), "Flags:"))
		}
	}
	for _, p := range pages(t) {
		fenced, prose := blocks(p.text)
		code := codeSpan.FindAllString(prose, -1)
		for _, b := range fenced {
			if b.lang == "sh" {
				code = append(code, strings.Split(b.text, "\n")...)
			}
		}
		for _, line := range code {
			for _, m := range verbInCode.FindAllStringSubmatch(line, -1) {
				if !slices.Contains(there, m[1]) {
					t.Errorf("%s: there is no agentblame %s", p.path, m[1])
				}
			}
			if !strings.Contains(line, "agentblame ") && !strings.HasPrefix(line, "`-") {
				continue
			}
			for f := range mentioned(line) {
				if !known[f] {
					t.Errorf("%s: no verb has the flag %s", p.path, f)
				}
			}
		}
	}
}
