package later_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/internal/generate"
)

func TestNothingChangesBeforeTheNextChangeWhereNodesAreMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { keepsNextChange(t, generate.Desired) })
}

func TestUntilIsKeptWhereNodesAreMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := renewed(arbitrary(generate.Desired).Draw(t, "input"))
		asked := arbitrary(generate.Asked).Draw(t, "asked")
		d := disruptkit.Decide(in, asked)
		in.Memory = d.Memory
		keepsUntil(t, in, asked, d)
	})
}
