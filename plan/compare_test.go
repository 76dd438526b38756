package plan_test

import (
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit"
	"github.com/disruptkit/disruptkit/plan"
	"github.com/disruptkit/disruptkit/schedule"
)

// One number says when nodes are done that go by themselves: those that are disrupted only because they expire, and those that never
// go, stand apart, and the numbers add up. Plans are compared on the nodes that go by themselves in both, as a whole, by
// pool and by zone.
func TestPlansAreComparedOnNodesThatGoByThemselves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, m := input(t), testkit.Arbitrary(model).Draw(t, "model")
		expiring(t, in, &m)
		o := plan.Options{Model: m, Horizon: hours * time.Hour}
		first := plan.Run(in, o)
		in.Pools = slices.Clone(in.Pools)
		for i := range in.Pools {
			if rapid.Bool().Draw(t, "changed") {
				in.Pools[i].Budgets = budget.Set{}
			}
		}
		second := plan.Run(in, o)
		for _, p := range []plan.Plan{first, second} {
			addsUp(t, p)
		}
		c := plan.Compare(first, second)
		if diff := gocmp.Diff(c, plan.Compare(dawdling(first), dawdling(second))); diff != "" {
			t.Errorf("with nodes that never go, or go when they expire:\n%s", diff)
		}
		check := func(what string, got plan.Compared, of func(plan.Node) bool) {
			if want, ok := compared(first, second, of); ok && got != want {
				t.Errorf("%s: %+v, want %+v", what, got, want)
			}
		}
		check("all", c.Compared, func(plan.Node) bool { return true })
		for _, pool := range c.Pools {
			check(pool.Name, pool.Compared, func(n plan.Node) bool { return n.Pool == pool.Name })
			for _, z := range pool.Zones {
				check(pool.Name+" "+z.Name, z.Compared, func(n plan.Node) bool { return n.Pool == pool.Name && n.Zone == z.Name })
			}
		}
	})
}

func byItself(n plan.Node) bool {
	return n.Outcome == plan.Done && (n.Reason != candidate.Expired || n.Expires.IsZero() || n.Start.IsZero())
}

// addsUp checks the counts of a plan, and when it and its pools are done.
func addsUp(t *rapid.T, p plan.Plan) {
	var finish time.Time
	for _, pool := range p.Pools {
		var last time.Time
		for _, n := range p.Nodes {
			if n.Pool == pool.Name && byItself(n) {
				last = schedule.Last(last, n.End())
			}
		}
		finish = schedule.Last(finish, last)
		if !pool.Finish.Equal(last) {
			t.Errorf("%s is done at %s, its last node at %s", pool.Name, pool.Finish, last)
		}
		if c := pool.Count; c.Done+c.InFlight+c.ToGo+c.Never+c.OnlyExpire != c.Nodes {
			t.Errorf("%s: %+v does not add up", pool.Name, c)
		}
	}
	if !p.Finish.Equal(finish) {
		t.Errorf("done at %s, the last node at %s", p.Finish, finish)
	}
}

// dawdling adds nodes that are not disrupted by themselves.
func dawdling(p plan.Plan) plan.Plan {
	late := p.Horizon.Add(1000 * time.Hour)
	for _, pool := range p.Pools {
		p.Nodes = append(slices.Clip(p.Nodes), plan.Node{Name: "never", Pool: pool.Name, Outcome: plan.Never},
			plan.Node{Name: "old", Pool: pool.Name, Outcome: plan.Done, Reason: candidate.Expired, Start: late, Expires: late, Gone: late})
	}
	return p
}

// compared compares two plans on nodes that each have a name of their own.
func compared(first, second plan.Plan, of func(plan.Node) bool) (c plan.Compared, ok bool) {
	var lone plan.Compared // of nodes that are in one of both
	for _, n := range first.Nodes {
		same := func(o plan.Node) bool { return o.Name == n.Name && o.Pool == n.Pool }
		if slices.IndexFunc(first.Nodes, same) != slices.IndexFunc(first.Nodes, func(o plan.Node) bool { return gocmp.Equal(o, n) }) {
			return c, false
		}
		i := slices.IndexFunc(second.Nodes, same)
		if !of(n) || i < 0 {
			continue
		}
		o := second.Nodes[i]
		switch a, b := byItself(n), byItself(o); {
		case a && b:
			c.Before, c.After = schedule.Last(c.Before, n.End()), schedule.Last(c.After, o.End())
			fallthrough
		case a || b:
			if a {
				c.Done--
				lone.Before = schedule.Last(lone.Before, n.End())
			}
			if b {
				c.Done++
				lone.After = schedule.Last(lone.After, o.End())
			}
		}
	}
	c.Finish = schedule.Last(c.After, lone.After)
	if c.Before.IsZero() {
		c.Before, c.After = lone.Before, lone.After
	}
	return c, true
}
