// Package docs holds no code. Its tests keep the pages honest: links resolve,
// verbs and flags exist, excerpts and outputs are real.
package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// page is a Markdown file: its path from the root of the repository, and its text.
type page struct{ path, text string }

// pages returns all Markdown files of the repository.
func pages(t *testing.T) []page {
	t.Helper()
	var out []page
	err := filepath.WalkDir("..", func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); name == ".git" || name == "node_modules" || name == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(path) == ".md" {
			out = append(out, page{strings.TrimPrefix(filepath.ToSlash(path), "../"), read(t, path)})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(out) < 5 {
		t.Fatalf("only %d pages were found", len(out))
	}
	return out
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// A block is a fenced block of code.
type block struct {
	line   int    // of its opening fence, from 1
	lang   string // the word after the fence
	marker string // what an HTML comment in the line before says, or ""
	text   string
}

var comment = regexp.MustCompile(`^<!-- (.*) -->$`)

// blocks returns a page's fenced blocks, and the prose around them.
func blocks(text string) (out []block, prose string) {
	var b strings.Builder
	lines := strings.Split(text, "\n")
	inside := false
	for i, line := range lines {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			if inside = !inside; inside {
				open := block{line: i + 1, lang: strings.TrimPrefix(strings.TrimSpace(line), "```")}
				if i > 0 {
					if m := comment.FindStringSubmatch(strings.TrimSpace(lines[i-1])); m != nil {
						open.marker = m[1]
					}
				}
				out = append(out, open)
			}
		case inside:
			out[len(out)-1].text += line + "\n"
		default:
			b.WriteString(line + "\n")
		}
	}
	return out, b.String()
}

var (
	codeSpan = regexp.MustCompile("`[^`\n]*`")
	link     = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading  = regexp.MustCompile(`(?m)^#+ +(.*)$`)
)

// anchors returns the names under which a page's headings can be linked.
func anchors(text string) []string {
	_, prose := blocks(text)
	var out []string
	for _, m := range heading.FindAllStringSubmatch(prose, -1) {
		out = append(out, anchor(m[1]))
	}
	return out
}

// anchor is how GitHub names a heading: small letters, digits, hyphens and
// underscores, with hyphens for spaces.
func anchor(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(heading)) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 0x7f:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func TestAnchor(t *testing.T) {
	for in, want := range map[string]string{
		"How it works":               "how-it-works",
		"`repair_groups`, and `net`": "repair_groups-and-net",
		"1. Conventions":             "1-conventions",
	} {
		if got := anchor(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// Every relative link leads to a file or folder that is there, and to a heading
// that is in it.
func TestLinks(t *testing.T) {
	checked := 0
	for _, p := range pages(t) {
		_, prose := blocks(p.text)
		for _, m := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(prose, ""), -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			checked++
			path := filepath.Join("..", filepath.FromSlash(p.path))
			if target != "" {
				path = filepath.Join(filepath.Dir(path), filepath.FromSlash(target))
			}
			if _, err := os.Stat(path); err != nil {
				t.Errorf("%s: the link %s leads nowhere", p.path, m[1])
				continue
			}
			if fragment != "" && !slices.Contains(anchors(read(t, path)), fragment) {
				t.Errorf("%s: the link %s names no heading there", p.path, m[1])
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d links were checked", checked)
	}
}
