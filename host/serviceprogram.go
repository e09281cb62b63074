package host

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/agentblame/agentblame/outside"
	"github.com/agentblame/agentblame/pipeline"
	"github.com/go-json-experiment/json/jsontext"
)

// program implements link. A service can't ask back: it runs the program on the
// answers known so far, and tells which calls it could not go on without.
func (s *service) program(ctx context.Context, r *programRun) (jsontext.Value, error) {
	book := pipeline.CallBook{Steps: r.steps, Naming: "at"}
	var answers []byte
	timeout := idleLimit
	if s.host.options.HangTimeout > 0 {
		timeout = s.host.options.HangTimeout
	}
	for tries := 0; ; {
		b := append(append([]byte(`"method":"run/start","params":{"run":"1","inputs":`), r.inputs...), `,"answers":[`...)
		b = append(append(b, answers...), ']')
		result, err := s.call(ctx, &request{body: appendDeadline(b, timeout), timeout: timeout})
		if err != nil {
			if tries++; tries <= 2 && ctx.Err() == nil && isTransient(err) {
				continue // nothing is lost: the answers are kept
			}
			return nil, err
		}
		tries = 0
		output, calls, err := s.outcome(result)
		if err != nil || output != nil {
			return output, err
		}
		if answers, err = s.answer(r, &book, calls, answers); err != nil {
			return nil, err
		}
	}
}

func isTransient(err error) bool {
	var t interface{ Transient() bool }
	return errors.As(err, &t) && t.Transient()
}

// outcome reads what a run came to: its output, or the calls that it needs.
func (s *service) outcome(result jsontext.Value) (output jsontext.Value, calls []asked, err error) {
	wrong := func(why string) error {
		return s.host.breakdown(fmt.Errorf("%s gave a wrong result of run/start: %s: %s", s.host.who, why, outside.Excerpt(string(result), 100)))
	}
	var list jsontext.Value
	err = object(result, func(name string, v jsontext.Value) error {
		switch name {
		case "output":
			output = v
		case "calls":
			list = v
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, nil, wrong(wordJSON(err))
	case output != nil:
		return output, nil, nil
	case list.Kind() != '[':
		return nil, nil, wrong(`it has neither "output" nor "calls"`)
	}
	err = elements(list, func(v jsontext.Value) error {
		a, err := parseCall(v)
		calls = append(calls, a)
		return err
	})
	if err != nil {
		return nil, nil, wrong(wordJSON(err))
	}
	if len(calls) == 0 {
		return nil, nil, wrong("it has no output, and needs no call")
	}
	return nil, calls, nil
}

// answer makes the calls that a run needs, at once, and adds their outcomes to
// the answers.
func (s *service) answer(r *programRun, book *pipeline.CallBook, calls []asked, answers []byte) ([]byte, error) {
	made := make([]call, len(calls))
	promises := make([]*promise, len(calls))
	for i, a := range calls {
		var err error
		if made[i], promises[i], err = r.make(book, a); err != nil {
			return nil, err
		}
	}
	var waiting sync.WaitGroup
	for i, p := range promises {
		waiting.Go(func() {
			<-p.done
			book.Leave(made[i].step, calls[i].name)
		})
	}
	waiting.Wait()
	for i, p := range promises {
		if p.err != nil {
			return nil, p.err
		}
		if len(answers) > 0 {
			answers = append(answers, ',')
		}
		answers = quote(append(answers, `{"step":`...), calls[i].step)
		answers = quote(append(answers, `,"iteration":`...), made[i].label)
		answers = append(append(append(answers, `,"inputs":`...), p.args.JSON()...), ',')
		answers = append(appendOutcome(answers, p.out), '}')
	}
	return answers, nil
}
