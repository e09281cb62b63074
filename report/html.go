package report

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/web"
)

//go:embed html/page.tmpl html/style.css
var htmlFiles embed.FS

// mostPlain is how long the result's JSON may be, in bytes, to stand in a page as
// it is; a longer one is compressed.
const mostPlain = 128 << 10

// HTML writes a result as one page that needs nothing else: no network, no other
// file. What to fix first, figures and tables can be read without JavaScript; with
// it, cases can be searched and opened. The page holds the result's JSON, as it is
// in script#result or compressed in script#result-gz. Texts that come from outside
// are only ever text.
func HTML(w io.Writer, r *blame.Result) error {
	style, err := htmlFiles.ReadFile("html/style.css")
	if err != nil {
		return err
	}
	script := web.Script()
	sum := sha256.Sum256([]byte(script))
	page := newHTMLPage(r)
	page.Style = template.CSS(style)
	page.Policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
	t, err := template.ParseFS(htmlFiles, "html/page.tmpl")
	if err != nil {
		return fmt.Errorf("reading the page's template: %w", err)
	}
	if err := t.Execute(w, page); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	data, err := pageData(r)
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, data+"<script>"+script+"</script>\n</body>\n</html>\n")
	return err
}

// pageData is the result as the page's script finds it.
func pageData(r *blame.Result) (string, error) {
	text, err := json.Marshal(r) // writes <, >, & and line separators as escapes
	if err != nil {
		return "", fmt.Errorf("encoding the result: %w", err)
	}
	if len(text) <= mostPlain {
		return `<script type="application/json" id="result">` + string(text) + "</script>\n", nil
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(text)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return "", fmt.Errorf("compressing the result: %w", err)
	}
	return `<script type="application/octet-stream" id="result-gz">` + base64.StdEncoding.EncodeToString(b.Bytes()) + "</script>\n", nil
}

// htmlPage is what the template shows.
type htmlPage struct {
	Policy       string
	Style        template.CSS
	Name, Mode   string
	Alarms       []string
	Headline     []phrase
	Sure         []phrase
	Careful      [][]phrase
	Counts       []htmlCount
	Sections     []htmlSection
	Bars         *htmlBars
	Steps        *htmlTable
	StepHarm     bool
	StepAlone    bool
	Intervals    bool
	StepNotes    [][]phrase
	Graph        *htmlGraph
	Plan         *htmlPlan
	Repairs      *htmlUpset
	Interactions *htmlHeat
	Groups       *htmlTable
	Spread       *htmlStrips
	Naive        *htmlNaive
	Cases        *htmlTable
	Trust        []htmlFact
	Schema       string
	Seed         uint64
}

type htmlCount struct{ Term, Value string }
type htmlSection struct{ ID, Title string }

type htmlFact struct {
	Term string
	Text []phrase
}

type htmlNaive struct {
	Table *htmlTable
	Notes [][]phrase
}

type htmlTable struct {
	Caption string
	Head    []htmlHead
	Rows    []htmlRow
	Note    string
}

type htmlHead struct {
	Text   string
	Number bool
}

type htmlRow struct {
	Step  string
	Cells []htmlCell
}

type htmlCell struct{ Text, Class string }

// htmlWriter makes the parts of a page of a result.
type htmlWriter struct{ *text }

func newHTMLPage(r *blame.Result) *htmlPage {
	h := htmlWriter{sayings(r)}
	s := r.Summary
	p := &htmlPage{
		Name: cmp.Or(Clean(r.Pipeline.Name), unnamed), Mode: modeText(r.Settings),
		Headline: phrases(h.headline()), Schema: Clean(r.Schema), Seed: r.Settings.Seed,
	}
	if s.Partial {
		p.Alarms = append(p.Alarms, "Partial result: stopped before all cases were done. Numbers are of the cases that were.")
	} else if s.Stopped == "budget" {
		p.Alarms = append(p.Alarms, "The budget ended before all cases were analysed. Numbers are of the cases that were.")
	}
	p.Counts = []htmlCount{{"cases run", fmt.Sprint(s.Cases)}, {"fail", fmt.Sprint(s.Failures)}, {"analysed", fmt.Sprint(s.Analyzed)}}
	if s.Sampled < s.Analyzed {
		p.Counts = append(p.Counts, htmlCount{"not repairable", fmt.Sprint(s.Unfixable)})
	}
	p.Counts = append(p.Counts, htmlCount{"undefined", fmt.Sprint(s.Undefined)}, htmlCount{"cost", amount(s.Cost)})
	if s.Analyzed > 0 {
		p.Sure = phrases(h.evidence())
		if len(p.Sure) == 0 && s.Analyzed > 1 && len(s.Intervals) == 0 {
			p.Sure = phrases("How far that holds " + h.beyond() + " isn't known: there are no intervals.")
		}
		for _, line := range h.careful() {
			p.Careful = append(p.Careful, phrases(line))
		}
		p.Bars, p.Steps, p.StepNotes = h.bars(), h.stepsTable(), h.stepNotes()
		p.StepHarm, p.StepAlone, p.Intervals = r.Harm != nil, h.aloneKnown() && !h.calls(), len(s.Intervals) > 0
		p.Plan = h.plan()
		p.Repairs = h.upset()
		p.Interactions = h.heat()
		p.Groups = h.groupsTable()
		p.Spread = h.strips()
		p.Naive = h.naiveTable()
	}
	p.Graph = h.graph()
	p.Cases = h.casesTable()
	for _, f := range h.trust() {
		p.Trust = append(p.Trust, htmlFact{f.term, phrases(f.text)})
	}
	for _, section := range []struct {
		id, title string
		there     bool
	}{
		{"steps", "Steps", p.Steps != nil}, {"graph", "Pipeline", p.Graph != nil}, {"plan", "Plan", p.Plan != nil},
		{"repairs", "Repairs", p.Repairs != nil}, {"interactions", "Together", p.Interactions != nil}, {"groups", "Groups", p.Groups != nil},
		{"spread", "Spread", p.Spread != nil}, {"naive", "Simple rules", p.Naive != nil}, {"cases", "Cases", true}, {"trust", "Can I trust this?", true},
	} {
		if section.there {
			p.Sections = append(p.Sections, htmlSection{section.id, section.title})
		}
	}
	return p
}

// clip shortens a name for a figure. Names often begin alike, so both ends stay.
func (h htmlWriter) clip(name string, n int) string {
	r := []rune(Clean(name))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n/2]) + "…" + string(r[len(r)-(n-n/2-1):])
}

func heads(texts ...string) []htmlHead {
	var out []htmlHead
	for i, t := range texts {
		out = append(out, htmlHead{t, i > 0})
	}
	return out
}

func cells(first string, numbers ...string) []htmlCell {
	out := []htmlCell{{Text: Clean(first)}}
	for _, n := range numbers {
		class := "num"
		if strings.HasPrefix(n, "-") && len(n) > 1 {
			class = "num bad"
		}
		out = append(out, htmlCell{n, class})
	}
	return out
}
