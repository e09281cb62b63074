package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/agentblame/agentblame/blame"
)

// JUnit writes a result as a JUnit test report, which continuous integration
// systems show: a test case for each listed case. One that fails has a failure,
// whose message names the blamed steps and the repairs. One that is undefined is
// skipped: readers count an error as a failed test, and it says nothing about the
// pipeline. The elements and attributes are those of the schema of Jenkins' xUnit
// plugin (junit-10.xsd), without times, which a result doesn't hold.
func JUnit(w io.Writer, r *blame.Result) error {
	t := sayings(r)
	t.marked = false
	name := Clean(r.Pipeline.Name)
	if name == "" {
		name = "pipeline"
	}
	suite := junitSuite{Name: name, Tests: len(r.Cases), Cases: []junitCase{}}
	for i := range r.Cases {
		c := &r.Cases[i]
		out := junitCase{Class: name, Name: Clean(c.ID)}
		switch {
		case c.Undefined != "":
			suite.Skipped++
			out.Skipped = &junitSkipped{Message: "undefined: " + t.short(c.Undefined, 1000)}
		case !c.Passed:
			suite.Failures++
			out.Failure = &junitFailure{Message: t.verdict(c), Type: "agentblame.failure", Text: t.verdictInFull(c)}
		}
		suite.Cases = append(suite.Cases, out)
	}
	suite.Properties = []junitProperty{
		{"agentblame.headline", unmarked(t.headline())},
		{"agentblame.schema", Clean(r.Schema)},
		{"agentblame.cases", fmt.Sprintf("%d listed of %d run", len(r.Cases), r.Summary.Cases)},
	}
	all := junitSuites{Name: "agentblame", Tests: suite.Tests, Failures: suite.Failures, Suites: []junitSuite{suite}}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return fmt.Errorf("encoding the report: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// verdict says in a line what a failing case is to blame on, and what repairs it.
func (t *text) verdict(c *blame.CaseResult) string {
	most, players := mostBlamed(c)
	line := "no step is to blame: the fixes don't help"
	if len(players) > 0 {
		verb := "is"
		if len(players) > 1 {
			verb = "are"
		}
		line = fmt.Sprintf("%s %s to blame (%s", t.join(players, "and"), verb, most)
		if len(players) > 1 {
			line += " each"
		}
		line += ")"
	}
	switch {
	case len(c.MinimalRepairs) > 0:
		line += "; repaired by " + t.repairSets(c, 5)
	case c.MinimalRepairs != nil:
		line += "; no combination of the fixes repairs it"
	}
	return line
}

func (t *text) repairSets(c *blame.CaseResult, most int) string {
	var out []string
	for i, r := range c.MinimalRepairs {
		if i == most {
			return strings.Join(out, ", or ") + ", …"
		}
		var names []string
		for _, n := range r {
			names = append(names, t.short(n, nameWidth))
		}
		out = append(out, strings.Join(names, " + "))
	}
	return strings.Join(out, ", or ")
}

// verdictInFull adds all values and errors.
func (t *text) verdictInFull(c *blame.CaseResult) string {
	var b strings.Builder
	fmt.Fprintf(&b, "score %s\n", t.scores(c))
	for _, v := range c.Shapley {
		fmt.Fprintf(&b, "%s %s\n", signed(v.Value), t.short(v.Player, 80))
	}
	for i, e := range c.Errors {
		if i == 10 {
			fmt.Fprintf(&b, "… %d more errors\n", len(c.Errors)-i)
			break
		}
		fmt.Fprintf(&b, "%s: %s\n", t.where(e.Step, e.Variant), t.short(e.Message, 1000))
	}
	return b.String()
}

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Class   string        `xml:"classname,attr"`
	Name    string        `xml:"name,attr"`
	Failure *junitFailure `xml:"failure"`
	Skipped *junitSkipped `xml:"skipped"`
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr"`
	Text    string `xml:",chardata"`
}

type junitSkipped struct {
	Message string `xml:"message,attr"`
}
