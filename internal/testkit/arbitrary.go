// Package testkit is what only tests need: generators, clusters of table tests, a slow and obvious decision, stories.
package testkit

import (
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// Arbitrary returns one of the generators of package generate for rapid, which makes its choices, and shrinks them.
func Arbitrary[V any](generator func(generate.Source) V) *rapid.Generator[V] {
	return rapid.Custom(func(t *rapid.T) V {
		return generator(func(n int) int { return int(rapid.UintMax(uint(n-1)).Draw(t, "choice")) })
	})
}

// Pointer returns a pointer to a value. (new takes values from Go 1.26 on.)
func Pointer[V any](v V) *V { return &v }
