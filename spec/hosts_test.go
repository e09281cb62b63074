//go:build unix

package spec

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agentblame/agentblame/blame"
	"github.com/google/go-cmp/cmp"
)

// Functions of a host, expressions and constants make one pipeline.
func TestHosts(t *testing.T) {
	f, err := Load("testdata/hosts/agentblame.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	plan := f.Pipeline.Steps[0]
	type impl struct {
		name, version string
		cost          float64
		opaque        bool
	}
	var got []impl
	for _, i := range plan.Impls {
		got = append(got, impl{i.Name, strings.Split(i.Version, "-")[0], i.Cost, i.Opaque})
	}
	want := []impl{{"", "v1", 2, false}, {"dated", "v1", 3, false}, {"fixed", got[2].version, 1, false}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(impl{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if plan.Concurrency != 3 || plan.Key == nil || len(f.Hosts) != 1 {
		t.Errorf("concurrency %d, key %v, %d hosts", plan.Concurrency, plan.Key != nil, len(f.Hosts))
	}
	cases, err := f.Cases()
	if err != nil {
		t.Fatal(err)
	}
	r, err := blame.Batch(t.Context(), f.Pipeline, cases, blame.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Summary.Repairable != 1 || r.Cases[0].Shapley.Get("plan") != 1 {
		t.Errorf("%+v", r.Cases)
	}
}

func TestHostFaults(t *testing.T) {
	dir, err := filepath.Abs("testdata/hosts")
	if err != nil {
		t.Fatal(err)
	}
	const head = "inputs: [q, question]\nhosts: {sh: {command: [sh, HOST]}, gone: {command: [sh, -c, 'echo no such module >&2; exit 3']}}\nsteps:\n  a: "
	for _, test := range []struct{ step, want string }{
		{"{needs: [question], run: {host: sh, function: planer}}", `4: step a: host sh has no step "planer"; did you mean "planner"? (there are: planner, other)`},
		{"{needs: [question], run: {host: sh, function: planner, variant: x}}", `4: step a: host sh has no variant "x" of step planner (there are: dated)`},
		{"{needs: [question], run: {host: sh}}", `4: step a: host sh has no step "a" (there are: planner, other)`},
		{"{needs: [question], run: {host: python}}", `4: step a runs on host "python", which hosts doesn't have (there are: gone, sh)`},
		{"{needs: [question], run: {host: gone}}", "2: host gone ended with exit status 3 before it said what steps it has:\n  no such module"},
		{"{needs: [q], run: {host: sh, function: planner}}", `4: step a doesn't need "question", which the host's planner takes (there are: q)` + "\n" + `4: step a needs "q", which the host's planner doesn't take (there are: question)`},
		{"{needs: [question], run: {value: 1, function: planner}}", `4: function of step a goes with host, not with value`},
		{"{needs: [question], run: {value: 1}, variants: {x: {host: sh, function: planner, env: [HOME]}}}", `4: env of step a, variant x belongs to the host, under hosts`},
		{"{needs: [question], run: {host: sh, exec: [x]}}", `4: step a has both host and exec; only one can run`},
	} {
		t.Run(test.step, func(t *testing.T) {
			text := strings.Replace(head, "HOST", filepath.Join(dir, "host.sh"), 1) + test.step + "\nscore: {equals: {value: 1}}\n"
			_, err := loadWith(t.Context(), "x.yaml", []byte(text), HostOptions{})
			if err == nil {
				t.Fatal("it is accepted")
			}
			got := strings.ReplaceAll(err.Error(), "x.yaml:", "")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	for _, test := range []struct{ host, want string }{
		{"{}", "host py has neither a command nor a url"},
		{"{command: x, url: y}", "host py has both a command and a url; it can only be in one place"},
		{"{command: []}", "the command of host py names no program"},
		{"{url: localhost}", `the url of host py: "localhost" must begin with http:// or https://`},
		{`{url: "http://${NO_SUCH_VARIABLE}"}`, "the url of host py: the environment variable NO_SUCH_VARIABLE isn't set"},
		{"{command: x, workers: 0}", "workers of host py must be a whole number from 1 to 1000, not 0"},
		{"{comand: x}", `host py has no key "comand"; did you mean "command"? (there are: command, url, headers, workers, env, start_timeout, hang_timeout, max_output)`},
	} {
		_, err := load("x.yaml", []byte("steps: {a: {run: {value: 1}}}\nscore: {equals: {value: 1}}\nhosts:\n  py: "+test.host+"\n"))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s\ngot  %v\nwant %s", test.host, err, test.want)
		}
	}
}

// What the file says of a run wins over what the host says.
func TestHostOverrides(t *testing.T) {
	o := options{given: []string{"cost", "timeout", "retries", "deterministic", "version"}, cost: 4, timeout: 3 * time.Second, retries: 7, deterministic: true, version: "2"}
	over := o.overHost()
	if *over.Cost != 4 || *over.TimeoutMS != 3000 || *over.Retries != 7 || !*over.Deterministic || over.Version != "2" {
		t.Errorf("%+v", over)
	}
}
