package disruptkit_test

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
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
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

// Those that are too young are the whole difference: they stay, others may go in their place, and never more in all.
func TestANodeThatIsTooYoungNeverGoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, asked := testkit.Arbitrary(generate.Aged).Draw(t, "input"), testkit.Arbitrary(generate.Asked).Draw(t, "asked")
		for _, c := range disruptkit.Decide(in, asked).Allowed {
			pool := in.Pools[slices.IndexFunc(in.Pools, func(p disruptkit.Pool) bool { return p.Name == c.Pool })]
			node := in.Nodes[slices.IndexFunc(in.Nodes, func(n candidate.Node) bool { return n.Name == c.Node })]
			least := pool.Budgets.MinAge(c.Reason)
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
			t.Skip("a broken minAge holds back every node")
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

func TestMinAge(t *testing.T) {
	const young = "node/too-young: the node must be 1h old for Drifted (minAge)"
	for _, c := range []struct {
		name    string
		spec    budget.Spec
		created string // "" is unknown
		reason  candidate.Reason
		want    string
		until   string
	}{
		{name: "as old as it has to be", spec: budget.Spec{Drift: budget.Control{MinAge: "1h"}}, created: "11:00", reason: "Drifted"},
		{name: "a minute younger", spec: budget.Spec{Drift: budget.Control{MinAge: "61m"}}, created: "11:00", reason: "Drifted",
			want: "node/too-young: the node must be 1h1m old for Drifted (minAge)", until: "12:01"},
		{name: "half an hour old", spec: budget.Spec{Drift: budget.Control{MinAge: "1h"}}, created: "11:30", reason: "Drifted", want: young, until: "12:30"},
		{name: "of unknown age", spec: budget.Spec{Drift: budget.Control{MinAge: "1h"}}, reason: "Drifted", want: young + ", but its age is unknown"},
		{name: "of unknown age, where age does not matter", spec: budget.Spec{}, reason: "Drifted"},
		{name: "for a child of the method", spec: budget.Spec{Drift: budget.Control{MinAge: "1h"}}, created: "11:30", reason: "Drifted/AMIDrift",
			want: "node/too-young: the node must be 1h old for Drifted/AMIDrift (minAge)", until: "12:30"},
		{name: "for another method", spec: budget.Spec{Drift: budget.Control{MinAge: "1h"}}, created: "11:30", reason: "Empty"},
		{name: "by the defaults", spec: budget.Spec{Defaults: budget.Control{MinAge: "1h"}}, created: "11:30", reason: "Empty",
			want: "node/too-young: the node must be 1h old for Empty (minAge)", until: "12:30"},
		{name: "less than by the defaults", spec: budget.Spec{Defaults: budget.Control{MinAge: "2h"}, Drift: budget.Control{MinAge: "20m"}},
			created: "11:30", reason: "Drifted"},
		{name: "created in the future, by a clock that is wrong", spec: budget.Spec{Drift: budget.Control{MinAge: "1h"}}, created: "12:10",
			reason: "Drifted", want: young, until: "13:10"},
		{name: "a minAge that is none", spec: budget.Spec{Drift: budget.Control{MinAge: "old"}}, created: "00:00", reason: "Drifted",
			want: "node/too-young: nodes of the pool are never old enough for Drifted (minAge)"},
		{name: "a minAge of more than a year", spec: budget.Spec{Drift: budget.Control{MinAge: "8785h"}}, created: "00:00", reason: "Drifted",
			want: "node/too-young: nodes of the pool are never old enough for Drifted (minAge)"},
		{name: "minAge Never, which would be disruptAfter", spec: budget.Spec{Drift: budget.Control{MinAge: "Never"}}, created: "00:00", reason: "Drifted",
			want: "node/too-young: nodes of the pool are never old enough for Drifted (minAge)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.spec.Budgets = []budget.Budget{{Nodes: "100%"}}
			set, _ := c.spec.Compile()
			n := candidate.Node{Name: "a", Pool: "default", Phase: candidate.Running}
			n.Conditions = []candidate.Condition{{Reason: c.reason, Since: fixture.Clock("12:00")}}
			n.Created = fixture.Clock(c.created)
			in := disruptkit.Input{
				Now: fixture.Clock("12:00"), Pools: []disruptkit.Pool{{Name: "default", Budgets: set}}, Nodes: []candidate.Node{n},
			}
			d := disruptkit.Decide(in, "")
			if c.want == "" {
				if len(d.Allowed) != 1 {
					t.Fatalf("it stays: %v", d.Blocked)
				}
				return
			}
			if len(d.Blocked) != 1 || len(d.Blocked[0].Blockers) != 1 {
				t.Fatalf("not one blocker: %v", d)
			}
			b := d.Blocked[0].Blockers[0]
			until := fixture.Clock(c.until)
			if got := string(b.Gate) + "/" + string(b.Code) + ": " + b.Message; got != c.want || !b.Until.Equal(until) || !d.NextChange.Equal(until) {
				t.Errorf("%s until %v, next change %v", got, b.Until, d.NextChange)
			}
			if b.ForGood != strings.Contains(c.want, "never") {
				t.Errorf("for good: %t", b.ForGood)
			}
		})
	}
}
