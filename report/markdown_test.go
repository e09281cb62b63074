package report_test

import (
	"bytes"
	"fmt"
	"html"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	mdtext "github.com/yuin/goldmark/text"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

func markdownOf(t testing.TB, r *blame.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Markdown(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestMarkdownGolden(t *testing.T) {
	for name, r := range map[string]*blame.Result{
		"refund": refund(t, blame.Options{}),
		"mixed":  batch(t, exam(usual), mixed(), blame.Options{}),
		"harm":   harmed(t),
		"calls":  batch(t, exam(usual), mixed(), blame.Options{Calls: true}),
		"pass":   batch(t, exam(usual), papers("x: ", "y: "), blame.Options{}),
		"cut":    batch(t, exam(usual), papers("x: a"), blame.Options{Nodes: 2, Method: blame.Exact}),
	} {
		golden(t, name+".md", markdownOf(t, r))
	}
}

// hostileTexts are what names, ids and messages may be.
func hostileTexts() []string {
	return []string{
		"<script>alert(1)</script>", "</code><img src=x onerror=alert(1)>", "[click](javascript:alert(1))", "![x](http://evil/x.png)",
		"@octocat", "#1", "octocat/hello#1", "https://evil.example/path", "www.evil.example", "me@evil.example", "mailto:me@evil.example", "GH-1", "0123456789abcdef",
		"| a | b |", "`code`", "```", "**bold**", "<!-- agentblame -->", "</details>", "&lt;b&gt;", "\\", "\u202etxt.exe", "\x1b[31m",
		"a\nb\n\n# heading", "~~x~~", "[x]: http://evil", "<https://evil.example>", "- [ ] task", "$x$", strings.Repeat("long ", 400),
	}
}

// parsed is GitHub's dialect of Markdown as a tree.
func parsed(source string) ast.Node {
	return goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser().Parse(mdtext.NewReader([]byte(source)))
}

// allowedHTML are the tags that the report itself writes.
var allowedHTML = regexp.MustCompile(`^(?s:\s|</?code>|<wbr>|</?details>|</?summary>|<!-- agentblame -->|[^<>])*$`)

// What GitHub turns into a link or a mention outside code, and the addresses
// that its parser finds in any text, entities or not, unless a tag is between.
var (
	reference = regexp.MustCompile(`(?i)@[a-z0-9]|#\d|\bgh-\d|\b(?:https?|ftp|mailto|xmpp):|\bwww\.|\b[0-9a-f]{7,40}\b`)
	address   = regexp.MustCompile(`[A-Za-z0-9.+_-]@[A-Za-z0-9]`)
)

// plainMarkdown checks that nothing in a report is a link, an image or markup that the
// report doesn't write, and that nobody is mentioned.
func plainMarkdown(t testing.TB, source string) {
	t.Helper()
	err := ast.Walk(parsed(source), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		switch n := n.(type) {
		case *ast.Link, *ast.Image, *ast.AutoLink, *ast.CodeSpan, *ast.FencedCodeBlock:
			t.Errorf("there is a %v", n.Kind())
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				s := n.Segments.At(i)
				if tag := string(s.Value([]byte(source))); !allowedHTML.MatchString(tag) {
					t.Errorf("there is HTML: %s", tag)
				}
			}
		case *ast.HTMLBlock:
			for i := range n.Lines().Len() {
				s := n.Lines().At(i)
				if tag := string(s.Value([]byte(source))); !allowedHTML.MatchString(tag) {
					t.Errorf("there is HTML: %s", tag)
				}
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	outside := regexp.MustCompile(`<code>(?:[^<]|<wbr>)*</code>`).ReplaceAllString(source, "<code></code>")
	if m := reference.FindString(html.UnescapeString(outside)); m != "" {
		t.Errorf("there may be a mention or a link, %s: %s", m, outside)
	}
	if m := address.FindString(html.UnescapeString(source)); m != "" {
		t.Errorf("there may be a link to an address: %s", m)
	}
	if strings.Count(source, "<!-- agentblame -->") != 1 || !strings.HasSuffix(source, "<!-- agentblame -->\n") {
		t.Error("the mark isn't at the end, once")
	}
	if n := utf8.RuneCountInString(source); n >= 65_536 {
		t.Errorf("it has %d characters", n)
	}
}

func TestMarkdownOfHostileTexts(t *testing.T) {
	all := realResults(t)
	for _, name := range []string{"mixed", "calls", "interrupted"} {
		r := all[name]
		for _, s := range hostileTexts() {
			for _, words := range []bool{false, true} {
				spoiled := spoil(t, r, s, words)
				plainMarkdown(t, markdownOf(t, spoiled))
				if t.Failed() {
					t.Fatalf("in %s with every text %q", name, s)
				}
			}
		}
	}
}

// renamed is a result with another name for every step.
func renamed(r *blame.Result, name string) *blame.Result {
	for i := range r.Pipeline.Steps {
		r.Pipeline.Steps[i].Name = name
		r.Pipeline.Steps[i].Fix = name
	}
	for i := range r.Steps {
		r.Steps[i].Name = name
	}
	for i := range r.Cases {
		for j := range r.Cases[i].Shapley {
			r.Cases[i].Shapley[j].Player = name
		}
		for j := range r.Cases[i].MinimalRepairs {
			for k := range r.Cases[i].MinimalRepairs[j] {
				r.Cases[i].MinimalRepairs[j][k] = name
			}
		}
	}
	return r
}

// A result of any size fits into a comment; what is left out is counted.
func TestMarkdownHasALimit(t *testing.T) {
	r := refund(t, blame.Options{})
	for i := range 5000 {
		c := r.Cases[0]
		c.ID = fmt.Sprintf("%s %d", strings.Repeat("a long id ", 10), i)
		r.Cases = append(r.Cases, c)
	}
	text := markdownOf(t, r)
	plainMarkdown(t, text)
	if !regexp.MustCompile(`Failing cases \(\d+ of 5001\)`).MatchString(text) {
		t.Error("it doesn't say how many cases it leaves out")
	}
	for range 3000 {
		r.Plan.Sets = append(r.Plan.Sets, r.Plan.Sets[0])
	}
	text = markdownOf(t, r)
	plainMarkdown(t, text)
	if !strings.Contains(text, "There is no room for the fix plan.") {
		t.Error("it doesn't say that the plan is left out")
	}

	many := make([]string, 64)
	for i := range many {
		many[i] = strings.Repeat("[]", 95) + fmt.Sprint(i)
	}
	r = refund(t, blame.Options{})
	r.Cases[0].MinimalRepairs = [][]string{many, many}
	text = markdownOf(t, r)
	plainMarkdown(t, text)
	if !strings.Contains(text, "There is no room for the failing cases.") {
		t.Error("it doesn't say that the cases are left out")
	}
}

func FuzzMarkdown(f *testing.F) {
	r := batch(f, exam(usual), mixed(), blame.Options{Calls: true})
	for _, s := range hostileTexts() {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, s string, words bool) {
		plainMarkdown(t, markdownOf(t, spoil(t, r, s, words)))
	})
}
