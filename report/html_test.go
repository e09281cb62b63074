package report_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
	"github.com/agentblame/agentblame/web"
)

func pageOf(t testing.TB, r *blame.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.HTML(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// bare is a page without its style, its script and its data.
func bare(page string) string {
	page = regexp.MustCompile(`(?s)<style>.*?</style>`).ReplaceAllString(page, "<style></style>")
	page = regexp.MustCompile(`(?s)<script>.*?</script>`).ReplaceAllString(page, "<script></script>")
	page = regexp.MustCompile(`sha256-.*?&#39;`).ReplaceAllString(page, "sha256-&#39;")
	return regexp.MustCompile(`(?s)(id="result(?:-gz)?">).*?</script>`).ReplaceAllString(page, "$1</script>")
}

func TestHTMLGolden(t *testing.T) {
	for name, r := range map[string]*blame.Result{
		"refund": refund(t, blame.Options{}),
		"mixed":  batch(t, exam(usual), mixed(), blame.Options{}),
		"harm":   harmed(t),
		"calls":  batch(t, exam(usual), mixed(), blame.Options{Calls: true}),
		"pass":   batch(t, exam(usual), papers("x: ", "y: "), blame.Options{}),
		"cut":    batch(t, exam(usual), papers("x: a"), blame.Options{Nodes: 2, Method: blame.Exact}),
		"groups": batch(t, exam(usual), papers("x: ab|cd", "y: a"), blame.Options{Groups: []blame.Group{{Name: "search", Members: usual[:2]}}}),
	} {
		golden(t, name+".html", bare(pageOf(t, r)))
	}
}

// elements counts the elements of a page, with scripting on.
func elements(t testing.TB, page string) map[string]int {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]int{}
	ids := map[string]bool{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		out[n.Data]++
		for _, a := range n.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"), a.Key == "srcdoc", a.Key == "src", a.Key == "action", a.Key == "formaction":
				t.Errorf("<%s> has %s=%q", n.Data, a.Key, a.Val)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#"):
				t.Errorf("<%s> leads to %q", n.Data, a.Val)
			case a.Key == "id":
				if ids[a.Val] {
					t.Errorf("two elements have the id %q", a.Val)
				}
				ids[a.Val] = true
			}
		}
	}
	return out
}

// Texts from outside add no element to a page, whatever they are.
func TestHTMLOfHostileTexts(t *testing.T) {
	harmless := elements(t, pageOf(t, hostilePage(t, "plain")))
	for _, s := range append(hostileTexts(), "</script><script>alert(1)</script>", "<!--", "]]>", "</title><svg onload=x>", `"><img src=x onerror=x>`, "</style>", "</noscript><img src=x>") {
		if strings.TrimSpace(report.Clean(s)) == "" {
			continue
		}
		got := elements(t, pageOf(t, hostilePage(t, s)))
		for name, n := range got {
			if n != harmless[name] {
				t.Errorf("%q: %d elements <%s>, not %d", s, n, name, harmless[name])
			}
		}
	}
}

func hostilePage(t testing.TB, s string) *blame.Result {
	r := renamed(refund(t, blame.Options{}), s)
	r.Pipeline.Name, r.Cases[0].ID = s, s
	r.Cases[0].Errors = []blame.CaseError{{Step: s, Variant: s, Message: s, Traceback: s}}
	r.Cases[0].Tags = map[string]string{s: s}
	r.RepairGroups = []blame.RepairGroup{{Count: 2, Cases: []string{s}, MinimalRepairs: [][]string{{s}}}}
	r.Cases = append(r.Cases, blame.CaseResult{ID: s, Undefined: s}, r.Cases[0])
	r.Summary.Undefined = 1
	r.Values = append(r.Values, blame.StoryValue{Error: s})
	return r
}

// The policy allows the page's script by its hash, and nothing else.
func TestHTMLPolicy(t *testing.T) {
	page := pageOf(t, refund(t, blame.Options{}))
	script := regexp.MustCompile(`(?s)<script>(.*?)</script>`).FindStringSubmatch(page)
	if script == nil || script[1] != web.Script() {
		t.Fatal("the script isn't the front end")
	}
	sum := sha256.Sum256([]byte(script[1]))
	policy := html.UnescapeString(regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1])
	want := fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'; img-src data:; base-uri 'none'; form-action 'none'", base64.StdEncoding.EncodeToString(sum[:]))
	if policy != want {
		t.Errorf("the policy is %s", policy)
	}
	if bad := regexp.MustCompile(`(?i)(?:https?:)?//[a-z]`).FindString(strings.ReplaceAll(bare(page), "http-equiv", "")); bad != "" {
		t.Errorf("the page leads outside: %s", bad)
	}
}

// The page holds the whole result, compressed where it is long.
func TestHTMLHoldsTheResult(t *testing.T) {
	small, large := refund(t, blame.Options{}), batch(t, exam(usual), many(300), blame.Options{})
	for _, r := range []*blame.Result{small, large} {
		page := pageOf(t, r)
		if page != pageOf(t, r) {
			t.Error("twice the same result, and two pages")
		}
		var text []byte
		if m := regexp.MustCompile(`(?s)id="result">(.*?)</script>`).FindStringSubmatch(page); m != nil {
			text = []byte(m[1])
		} else {
			m := regexp.MustCompile(`id="result-gz">([^<]*)<`).FindStringSubmatch(page)
			packed, err := base64.StdEncoding.DecodeString(m[1])
			if err != nil {
				t.Fatal(err)
			}
			z, err := gzip.NewReader(bytes.NewReader(packed))
			if err != nil {
				t.Fatal(err)
			}
			if text, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		var back blame.Result
		if err := json.Unmarshal(text, &back); err != nil {
			t.Fatal(err)
		}
		if asJSON(t, &back) != asJSON(t, r) {
			t.Error("the page holds another result")
		}
	}
	if !strings.Contains(pageOf(t, large), "result-gz") || !strings.Contains(pageOf(t, small), `id="result"`) {
		t.Error("a long result isn't compressed, or a short one is")
	}
}

// A page of any result can be made: none of these panics or leaves out its sections.
func TestHTMLOfOddResults(t *testing.T) {
	long := refund(t, blame.Options{})
	for range 64 {
		long.Pipeline.Steps = append(long.Pipeline.Steps, blame.StepInfo{Name: strings.Repeat("n", 256), Needs: []string{"planner"}})
	}
	for name, r := range map[string]*blame.Result{
		"nothing":   {Schema: blame.Schema},
		"long":      long,
		"sampled":   batch(t, exam(usual), mixed(), blame.Options{Method: blame.Permutation, Permutations: 20}),
		"kept":      batch(t, exam(usual), many(30), blame.Options{KeepCases: -1}),
		"prior":     batch(t, exam(usual), mixed()[:5], blame.Options{Mode: blame.Prior, Worlds: 3}),
		"cycle":     {Schema: blame.Schema, Pipeline: blame.PipelineInfo{Steps: []blame.StepInfo{{Name: "a", Needs: []string{"b"}}, {Name: "b", Needs: []string{"a"}}}}},
		"itself":    {Schema: blame.Schema, Pipeline: blame.PipelineInfo{Steps: []blame.StepInfo{{Name: "a", Needs: []string{"a"}}}}},
		"no stops":  interrupted(t),
		"no budget": batch(t, exam(usual), mixed(), blame.Options{Budget: 40}),
	} {
		page := pageOf(t, r)
		if n := elements(t, page)["h1"]; n != 1 {
			t.Errorf("%s: %d h1", name, n)
		}
		if strings.Contains(bare(page), "NaN") || strings.Contains(bare(page), "%!") {
			t.Errorf("%s: a number isn't one", name)
		}
		for _, id := range []string{"cases", "trust"} {
			if !strings.Contains(page, `<section id="`+id+`"`) {
				t.Errorf("%s: no section %s", name, id)
			}
		}
	}
}

func FuzzHTML(f *testing.F) {
	for _, s := range hostileTexts() {
		f.Add(s)
	}
	allowed := []string{"html", "head", "meta", "title", "style", "body", "a", "header", "div", "p", "span", "h1", "bdi", "dl", "dt", "dd", "nav", "ul", "li", "main", "section", "h2", "svg", "desc", "line", "g", "rect", "text", "path", "circle", "defs", "marker", "table", "caption", "thead", "tbody", "tr", "th", "td", "noscript", "footer", "script"}
	f.Fuzz(func(t *testing.T, s string) {
		for name := range elements(t, pageOf(t, hostilePage(t, s))) {
			if !slices.Contains(allowed, name) {
				t.Errorf("%q: an element <%s>", s, name)
			}
		}
	})
}
