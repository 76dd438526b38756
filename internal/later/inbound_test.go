package later_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/internal/generate"
)

func TestNothingChangesBeforeTheNextChangeOfInboundPauses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { keepsNextChange(t, generate.Inbound) })
}

func TestUntilIsKeptWithInboundPauses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := renewed(arbitrary(generate.Inbound).Draw(t, "input"))
		asked := arbitrary(generate.Asked).Draw(t, "asked")
		d := disruptkit.Decide(in, asked)
		in.Memory = d.Memory
		keepsUntil(t, in, asked, d)
	})
}
