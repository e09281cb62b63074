package pipeline

import (
	"context"
	"encoding"
	"fmt"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
)

// A Step is a named unit of a pipeline: one as-run implementation and any number
// of variants, all with the type of an ordinary Go function.
//
// In and Out are any types that encode as JSON and decode to the same again;
// types without pointers, slices, maps and floats are the fastest.
type Step[In, Out any] struct {
	spec    *Spec
	run     func(context.Context, In) (Out, error)
	plainIn bool // In is a plain type
	// typeFault says why In or Out can't be told from its encoding, or "".
	typeFault string
}

// AnyStep is a *Step of any types.
type AnyStep interface {
	stepSpec() (*Spec, string)
}

func (s *Step[In, Out]) stepSpec() (*Spec, string) { return s.spec, s.typeFault }

// NewStep declares a step with its as-run implementation.
func NewStep[In, Out any](name string, run func(context.Context, In) (Out, error), options ...Option) *Step[In, Out] {
	s := &Step[In, Out]{spec: &Spec{Name: name, DecodeIn: decode[In], DecodeOut: decode[Out]}, run: run, plainIn: isPlain(reflect.TypeFor[In]())}
	for _, t := range []reflect.Type{reflect.TypeFor[In](), reflect.TypeFor[Out]()} {
		if why := hidden(t, nil); why != "" && s.typeFault == "" {
			s.typeFault = fmt.Sprintf("step %s: %s", name, why)
		}
	}
	s.add("", 1, run, options)
	return s
}

// NewInput declares an input of the pipeline as a player: called first with the
// input, it returns it as it is, and its variants may correct it. The as-run
// call costs nothing, and so do the variants unless they say so.
func NewInput[T any](name string) *Step[T, T] {
	s := NewStep(name, func(_ context.Context, in T) (T, error) { return in, nil }, Cost(0))
	s.spec.Input = true
	return s
}

// Variant adds a variant: another implementation of the same type. The first is
// the fix that an analysis tries unless it names another. It costs what the step
// costs unless an option says otherwise.
func (s *Step[In, Out]) Variant(name string, run func(context.Context, In) (Out, error), options ...Option) *Step[In, Out] {
	s.add(name, s.spec.Impls[0].Cost, run, options)
	return s
}

// Key declares what of the step's output matters downstream: the set of ids that
// were retrieved, the parsed decision, a normalised answer. Outputs with equal
// keys count as the same, so that replays which differ only in wording merge; the
// first of them stands for all. Whether that is right can be checked with an
// analysis' CheckKeys.
func (s *Step[In, Out]) Key(key func(Out) any) *Step[In, Out] {
	s.spec.Key = func(v *Value) (any, error) {
		out, err := as[Out](v)
		if err != nil {
			return nil, err
		}
		return key(out), nil
	}
	return s
}

func (s *Step[In, Out]) add(name string, cost float64, run func(context.Context, In) (Out, error), options []Option) {
	impl := Impl{Name: name, Cost: cost}
	if run != nil {
		impl.Run = func(ctx context.Context, args Args) (any, error) {
			in, err := as[In](args.At(0))
			if err != nil {
				return nil, &FaultError{fmt.Errorf("step %s was given an input that its own type can't be read from: %w", s.spec.Name, err)}
			}
			return run(ctx, in)
		}
	}
	if len(s.spec.Impls) > 0 {
		impl.Timeout, impl.Retries = s.spec.Impls[0].Timeout, s.spec.Impls[0].Retries
	}
	for _, o := range options {
		o(s.spec, &impl)
	}
	s.spec.Impls = append(s.spec.Impls, impl)
}

// as returns the value as a T: the Go value itself where one is shared, or a
// fresh one decoded from its JSON.
func as[T any](v *Value) (T, error) {
	if t, ok := v.plain.(T); ok {
		return t, nil
	}
	var t T
	if err := json.Unmarshal([]byte(v.JSON()), &t); err != nil {
		return t, fmt.Errorf("decoding %.60s as %T: %w", v.JSON(), t, jsonError(err))
	}
	return t, nil
}

func decode[T any](text []byte) (any, error) {
	var t T
	if err := json.Unmarshal(text, &t); err != nil {
		return nil, fmt.Errorf("decoding %.60s as %T: %w", text, t, jsonError(err))
	}
	return t, nil
}

// An Option sets something of an implementation, or of its step.
type Option func(*Spec, *Impl)

// Cost sets the price of one run, in the user's unit.
func Cost(units float64) Option { return func(_ *Spec, i *Impl) { i.Cost = units } }

// Version names the text of the implementation, so that results of an older one
// aren't taken for this one's.
func Version(v string) Option { return func(_ *Spec, i *Impl) { i.Version = v } }

// Timeout limits each attempt of a run; running out of it is a transient error.
// Go code can't be stopped from outside: it should watch its context.
func Timeout(d time.Duration) Option { return func(_ *Spec, i *Impl) { i.Timeout = d } }

// Retries sets how many more attempts follow a transient error.
func Retries(n int) Option { return func(_ *Spec, i *Impl) { i.Retries = n } }

// Concurrency limits how many runs of the step go on at once.
func Concurrency(n int) Option { return func(s *Spec, _ *Impl) { s.Concurrency = n } }

// hidden says what of a type its JSON encoding would lose, or "". Two values
// that differ only there would be taken for the same.
func hidden(t reflect.Type, seen []reflect.Type) string {
	for _, s := range seen {
		if s == t {
			return ""
		}
	}
	seen = append(seen, t)
	if encodesItself(t) {
		return ""
	}
	switch t.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer, reflect.Uintptr:
		return fmt.Sprintf("a %v has no JSON form", t)
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return fmt.Sprintf("a %v can't be read back from its JSON form, which doesn't say what type it had", t)
		}
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return hidden(t.Elem(), seen)
	case reflect.Map:
		return hidden(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() && !f.Anonymous {
				return fmt.Sprintf("field %s of %v is unexported, so it would be lost in its JSON form: export it, or give the type MarshalJSON and UnmarshalJSON", f.Name, t)
			}
			if f.Tag.Get("json") == "-" {
				return fmt.Sprintf(`field %s of %v has the tag json:"-", so it would be lost in its JSON form`, f.Name, t)
			}
			if why := hidden(f.Type, seen); why != "" {
				return why
			}
		}
	}
	return ""
}

// encodesItself says whether values of t have methods for their JSON form.
func encodesItself(t reflect.Type) bool {
	for _, t := range []reflect.Type{t, reflect.PointerTo(t)} {
		if t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[json.MarshalerTo]()) ||
			t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
			return true
		}
	}
	return false
}
