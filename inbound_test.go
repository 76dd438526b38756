package disruptkit_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// A node that only an inbound pause blocks is free once its pods cannot move there.
func TestPodsThatASelectorKeepsOutMakeInboundPausesThoseOfTheirDomains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Inbound).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		for i := range in.Nodes {
			n := &in.Nodes[i]
			n.PodsUnknown = false
			for j := range n.Pods {
				n.Pods[j].NodeSelector = map[string]string{"zone": "elsewhere", "rack": "elsewhere"}
			}
		}
		without := in
		without.Pauses = slices.Clone(in.Pauses)
		for i := range without.Pauses {
			without.Pauses[i].Inbound = false
		}
		got, want := disruptkit.Decide(in, asked), disruptkit.Decide(without, asked)
		got.Warnings, want.Warnings = nil, nil // "inbound adds nothing"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestAnInboundPauseNeverAllowsANodeWhosePodsMayMoveThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Inbound).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		in.Dialect = dialect.Disruptkit
		for _, c := range disruptkit.Decide(in, asked).Allowed {
			pool := in.Pools[slices.IndexFunc(in.Pools, func(p disruptkit.Pool) bool { return p.Name == c.Pool })]
			node := in.Nodes[slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })]
			for _, written := range in.Pauses {
				p, _ := written.Enforced()
				if holds, _ := p.State(in.Now); holds && p.Concerns(c.Reason, pool.Name, pool.Labels) && p.Awaits(&node) {
					t.Fatalf("%s goes for %s in spite of %v", c.Node, c.Reason, p)
				}
			}
		}
	})
}
