package later_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/generate"
)

// A place that is told to soak until a time does so, to the nanosecond, if nobody else goes.
func TestASoakEndsWhenItIsTold(t *testing.T) {
	told := 0
	rapid.Check(t, func(t *rapid.T) {
		in := renewed(arbitrary(generate.SoakedWaiting).Draw(t, "input"))
		in.Memory = disruptkit.Decide(in, "").Memory
		d := disruptkit.Decide(in, "")
		if len(d.Allowed) > 0 {
			return
		}
		for _, c := range d.Blocked[:min(1, len(d.Blocked))] { // nobody is before it
			i := slices.IndexFunc(c.Blockers, func(b candidate.Blocker) bool { return b.Code == candidate.CodeSoaks && !b.Later })
			called := func(n candidate.Node) bool { return n.Name == c.Node }
			if other := slices.IndexFunc(in.Nodes, called) + 1; slices.ContainsFunc(in.Nodes[other:], called) {
				continue // another one of that name may go
			}
			if i < 0 || c.Overdue || c.Blockers[i].Until.IsZero() || !c.Deadline.IsZero() {
				continue
			}
			told++
			soaks := func(in disruptkit.Input) bool {
				then := disruptkit.Decide(in, "").Blocked
				at := slices.IndexFunc(then, func(o candidate.Candidate) bool { // the first: a node may have a condition twice
					return o.Node == c.Node && o.Reason == c.Reason && !alreadyAllowed(o)
				})
				return at >= 0 && slices.ContainsFunc(then[at].Blockers, func(b candidate.Blocker) bool {
					return b.Code == candidate.CodeSoaks && !b.Later && group(b) == group(c.Blockers[i])
				})
			}
			if at := c.Blockers[i].Until; !soaks(withNow(in, at.Add(-1))) || soaks(withNow(in, at)) {
				t.Fatalf("%s soaks until %v", c.Node, at)
			}
		}
	})
	if told == 0 && !testing.Short() { // of few fleets, perhaps none
		t.Error("no place soaks")
	}
}
