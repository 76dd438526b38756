package record_test

import (
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/internal/generate"
)

// arbitrary returns one of the generators of package generate for rapid, which makes its choices, and shrinks them.
func arbitrary[V any](generator func(generate.Source) V) *rapid.Generator[V] {
	return rapid.Custom(func(t *rapid.T) V {
		return generator(func(n int) int { return int(rapid.UintMax(uint(n-1)).Draw(t, "choice")) })
	})
}
