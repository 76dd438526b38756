package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/internal/testkit/generate"
)

// withoutAges returns the input with the same budgets and no minAge.
func withoutAges(in disruptkit.Input) disruptkit.Input {
	in.Pools = slices.Clone(in.Pools)
	for i := range in.Pools {
		p := &in.Pools[i]
		spec := p.Budgets.Spec()
		for _, c := range []*budget.Control{&spec.Defaults, &spec.Drift, &spec.Emptiness} {
			c.MinAge = ""
		}
		p.Budgets, _ = spec.Compile()
	}
	return in
}

// Those that are too young are the whole difference: they stay, others may be disrupted in their place, and never more in all.
func TestANodeThatIsTooYoungNeverGoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Aged).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		for _, c := range disruptkit.Decide(in, asked).Allowed {
			pool := in.Pools[slices.IndexFunc(in.Pools, func(p disruptkit.Pool) bool { return p.Name == c.Pool })]
			node := in.Nodes[slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })]
			least := pool.Budgets.Minimum(c.Reason).Age
			if least > 0 && (least == candidate.Forever || node.Created.IsZero() || in.Now.Sub(node.Created) < least) {
				t.Fatalf("%s is %v old, goes for %s, and must be %v old", c.Node, in.Now.Sub(node.Created), c.Reason, least)
			}
		}
	})
}

func TestWhereAllNodesAreOldEnoughMinAgeChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Aged).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		if slices.ContainsFunc(in.Pools, func(p disruptkit.Pool) bool { return broken(p.Budgets) }) {
			t.Skip("an invalid minAge blocks every node")
		}
		for i := range in.Nodes {
			in.Nodes[i].Created = in.Now.Add(-24 * time.Hour)
		}
		if diff := cmp.Diff(disruptkit.Decide(withoutAges(in), asked), disruptkit.Decide(in, asked)); diff != "" {
			t.Fatal(diff)
		}
	})
}

func broken(s budget.Set) bool {
	return slices.ContainsFunc(s.Warnings(), func(w candidate.Warning) bool { return strings.HasSuffix(w.Field, ".minAge") })
}
