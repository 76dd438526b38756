package later_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/generate"
)

// What holds back a node for a wave that bakes lifts when the bake ends, to the nanosecond.
func TestABakeEndsWhenItIsTold(t *testing.T) {
	told := 0
	rapid.Check(t, func(t *rapid.T) {
		in := renewed(arbitrary(generate.WavedWaiting).Draw(t, "input"))
		in.Memory = disruptkit.Decide(in, "").Memory
		bakes := func(in disruptkit.Input, of candidate.Candidate) bool {
			return slices.ContainsFunc(disruptkit.Decide(in, "").Blocked, func(c candidate.Candidate) bool {
				return c.Node == of.Node && c.Reason == of.Reason && slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool {
					return b.Code == candidate.CodeBakes
				})
			})
		}
		for _, c := range disruptkit.Decide(in, "").Blocked {
			waves := slices.DeleteFunc(slices.Clone(c.Blockers), func(b candidate.Blocker) bool { return b.Code != candidate.CodeBakes })
			at, lifts := candidate.LiftsAt(waves)
			if len(waves) == 0 || !lifts {
				continue
			}
			told++
			if !bakes(withNow(in, at.Add(-1)), c) || bakes(withNow(in, at), c) {
				t.Fatalf("%s bakes until %v", c.Node, at)
			}
		}
	})
	if told == 0 {
		t.Error("no wave bakes")
	}
}
