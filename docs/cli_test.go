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

// usage is what the command's help says: verbs in its order, the flags of each,
// and those of every verb.
type usage struct {
	verbs  []string
	flags  map[string]map[string]bool
	always map[string]bool
}

func helpOf(t *testing.T, cli command) usage {
	t.Helper()
	help := cli.output(t, "--help")
	u := usage{verbs(help), map[string]map[string]bool{}, flags(help, "Flags:")}
	if len(u.verbs) < 5 || len(u.always) < 2 {
		t.Fatalf("the help wasn't understood:\n%s", help)
	}
	for _, verb := range u.verbs {
		own := cli.output(t, verb, "--help")
		u.flags[verb] = flags(own, "Flags:")
		for _, sub := range verbs(own) {
			maps.Copy(u.flags[verb], flags(cli.output(t, verb, sub, "--help"), "Flags:"))
		}
		for f := range u.always {
			delete(u.flags[verb], f)
		}
	}
	return u
}

// The command is built once for all that is checked with it.
func TestCommand(t *testing.T) {
	cli := build(t, "cmd/agentblame")
	u := helpOf(t, cli)
	t.Run("cli.md explains every verb and flag", func(t *testing.T) { checkManual(t, u) })
	t.Run("pages name only verbs and flags that are there", func(t *testing.T) { checkMentions(t, u) })
	t.Run("outputs are real", func(t *testing.T) { checkOutputs(t, cli) })
}

// checkManual compares the sections of cli.md with the help, both ways.
func checkManual(t *testing.T, u usage) {
	parts := sections(read(t, "cli.md"))
	for _, verb := range u.verbs {
		part, ok := parts["agentblame "+verb]
		if !ok {
			if verb != "help" {
				t.Errorf("there is no section on agentblame %s", verb)
			}
			continue
		}
		said := mentioned(part)
		for _, f := range slices.Sorted(maps.Keys(u.flags[verb])) {
			if !said[f] {
				t.Errorf("%s of agentblame %s isn't explained", f, verb)
			}
		}
		for _, f := range slices.Sorted(maps.Keys(said)) {
			if !u.flags[verb][f] && !u.always[f] {
				t.Errorf("%s is explained, but agentblame %s has no such flag", f, verb)
			}
		}
	}
	for title := range parts {
		if m := verbTitle.FindStringSubmatch(title); m != nil && !slices.Contains(u.verbs, m[1]) {
			t.Errorf("there is a section on %s, but no such verb", title)
		}
	}
	said := mentioned(parts["Flags of every verb"])
	for f := range u.always {
		if !said[f] {
			t.Errorf("%s of every verb isn't explained", f)
		}
	}
}

// checkMentions looks at the code of all pages.
func checkMentions(t *testing.T, u usage) {
	known := maps.Clone(u.always)
	for _, of := range u.flags {
		maps.Copy(known, of)
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
			line = strings.ReplaceAll(line, "python -m agentblame", "") // the SDK's module
			for _, m := range verbInCode.FindAllStringSubmatch(line, -1) {
				if !slices.Contains(u.verbs, m[1]) {
					t.Errorf("%s: there is no agentblame %s", p.path, m[1])
				}
			}
			if !strings.Contains(line, "agentblame ") && !strings.HasPrefix(line, "`--") {
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
