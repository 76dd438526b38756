package later_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/generate"
)

func TestNothingChangesBeforeTheNextChangeOfASoak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { keepsNextChange(t, generate.Soaked) })
}

func TestUntilIsKeptWherePlacesSoak(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := renewed(arbitrary(generate.Soaked).Filter(func(in disruptkit.Input) bool { return len(in.Pools) > 0 }).Draw(t, "input"))
		asked := rapid.SampledFrom([]candidate.Reason{"", candidate.Drifted}).Draw(t, "asked")
		in.Memory = disruptkit.Decide(in, asked).Memory
		keepsUntil(t, in, asked, disruptkit.Decide(in, asked))
	})
}
