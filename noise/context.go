package noise

import (
	"context"
	"math/rand/v2"
)

// ContextKey is the key under which a context holds its *[Source]. A context
// type of one's own answers Value(ContextKey{}) with it, and so needs no
// context.WithValue for every step run.
type ContextKey struct{}

// With returns a context in which [From] finds s.
func With(ctx context.Context, s *Source) context.Context {
	return context.WithValue(ctx, ContextKey{}, s)
}

// From returns the noise of the step run that ctx belongs to. Outside an
// analysis every call returns a source of its own in a fresh random world, so
// draws are independent there.
func From(ctx context.Context) *Source {
	if s, ok := ctx.Value(ContextKey{}).(*Source); ok && s != nil {
		return s
	}
	return World{Seed: rand.Uint64(), Index: rand.Uint64()}.Source("", "")
}
