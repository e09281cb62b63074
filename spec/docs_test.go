package spec

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// The examples of the documentation are right: each block of YAML loads, given
// what it leaves out, and each block of JSON is JSON.
func TestDocumentation(t *testing.T) {
	text := string(read(t, "../docs/pipelines.md"))
	s := schema(t, fileSchema)
	yamls := 0
	for i, block := range strings.Split(text, "\n```") {
		kind, body, ok := strings.Cut(block, "\n")
		switch {
		case !ok || i%2 == 0: // the text between blocks
		case kind == "json":
			if _, err := readJSON([]byte(body)); err != nil {
				t.Errorf("%s: %v", body, err)
			}
		case kind == "yaml":
			yamls++
			whole := body
			for key, given := range map[string]string{"inputs": "[question]", "steps": "{a: {run: {value: 1}}}", "score": "{equals: expected}"} {
				if !strings.Contains("\n"+body, "\n"+key+":") {
					whole += "\n" + key + ": " + given
				}
			}
			if _, err := load("x.yaml", []byte(whole)); err != nil && !onlyHosts(err) {
				t.Errorf("%v in\n%s", err, whole)
			}
			if err := s.Validate(instance(t, []byte(whole))); err != nil {
				t.Errorf("%v in\n%s", err, whole)
			}
		}
	}
	if yamls < 6 {
		t.Errorf("there are only %d blocks of YAML", yamls)
	}
}

// onlyHosts says whether all that is wrong with a file is that its hosts aren't
// there.
func onlyHosts(err error) bool {
	var faults *FaultsError
	return errors.As(err, &faults) && !slices.ContainsFunc(faults.Faults, func(f Fault) bool {
		return !strings.HasSuffix(f.Text, "can't be asked what it has here")
	})
}
