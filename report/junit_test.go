package report_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agentblame/agentblame/blame"
	"github.com/agentblame/agentblame/report"
)

func junitOf(t testing.TB, r *blame.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.JUnit(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJUnitGolden(t *testing.T) {
	golden(t, "refund.junit.xml", junitOf(t, refund(t, blame.Options{})))
	golden(t, "mixed.junit.xml", junitOf(t, batch(t, exam(usual), mixed(), blame.Options{})))
}

// suites is what readers of JUnit reports look for.
type suites struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Suites   []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Errors   int    `xml:"errors,attr"`
		Skipped  int    `xml:"skipped,attr"`
		Cases    []struct {
			Class   string `xml:"classname,attr"`
			Name    string `xml:"name,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
				Type    string `xml:"type,attr"`
			} `xml:"failure"`
			Skipped *struct {
				Message string `xml:"message,attr"`
			} `xml:"skipped"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func TestJUnit(t *testing.T) {
	r := batch(t, exam(usual), mixed(), blame.Options{})
	var got suites
	if err := xml.Unmarshal([]byte(junitOf(t, r)), &got); err != nil {
		t.Fatal(err)
	}
	s := got.Suites[0]
	if d := cmp.Diff([]int{len(r.Cases), r.Summary.Analyzed, 0, r.Summary.Undefined}, []int{s.Tests, s.Failures, s.Errors, s.Skipped}); d != "" {
		t.Errorf("counts (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]int{s.Tests, s.Failures}, []int{got.Tests, got.Failures}); d != "" {
		t.Errorf("counts of all suites (-want +got):\n%s", d)
	}
	for i, c := range s.Cases {
		of := &r.Cases[i]
		if c.Name != report.Clean(of.ID) || c.Class != s.Name {
			t.Errorf("case %q of class %q", c.Name, c.Class)
		}
		if (c.Skipped != nil) != (of.Undefined != "") || (c.Failure != nil) != (of.Undefined == "" && !of.Passed) {
			t.Errorf("case %s: failure %v, skipped %v", c.Name, c.Failure, c.Skipped)
		}
		if c.Failure != nil && len(of.MinimalRepairs) > 0 && !strings.Contains(c.Failure.Message, "repaired by "+of.MinimalRepairs[0][0]) {
			t.Errorf("case %s: %s", c.Name, c.Failure.Message)
		}
	}
}

// wellFormed reads XML to its end.
func wellFormed(t testing.TB, source string) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(source))
	for {
		switch _, err := d.Token(); err {
		case nil:
		case io.EOF:
			return
		default:
			t.Fatalf("%v in %s", err, source)
		}
	}
}

func FuzzJUnit(f *testing.F) {
	r := batch(f, exam(usual), mixed(), blame.Options{})
	for _, s := range append(hostileTexts(), "]]>", "\x00\x01", "\ufffe", "\xff") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		wellFormed(t, junitOf(t, spoil(t, r, s, false)))
	})
}
