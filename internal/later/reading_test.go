package later_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/fixture"
	"github.com/disruptkit/disruptkit/internal/generate"
)

// candidate.Blocker: "Later says that it does not hold the candidate back yet".
func TestBlockersOfNowAndOfLaterAreToldApart(t *testing.T) {
	in := func(nodes []candidate.Node, budgets ...budget.Budget) disruptkit.Input {
		return disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budgets...)}, Nodes: nodes}
	}
	one := budget.Budget{Nodes: "1"}
	for _, c := range []struct {
		name string
		in   func() disruptkit.Input
		want string // what holds back the youngest candidate: "code", or "(code)" later
	}{
		{"a budget that is used up", func() disruptkit.Input { return in(fixture.Zoned("a1* a2*"), one) }, "budget/exhausted"},
		{"a freeze, after which older nodes use up the budget", func() disruptkit.Input {
			return in(fixture.Zoned("a1* a2*"), frozen(8), one)
		}, "budget/allows-none (budget/exhausted)"},
		{"a turn that ends when a freeze begins", func() disruptkit.Input {
			return in(fixture.Zoned("a1* b1*"), fixture.During(fixture.Sequential("1"), "0 9 * * *", "8h"), budget.Budget{Nodes: "0", Schedule: "0 17 * * *", Duration: "16h"})
		}, "topology/waits-for-domain (budget/allows-none) (topology/waits-for-domain)"},
		{"a zone whose turn is the one after the next", func() disruptkit.Input {
			nodes := fixture.Zoned("b1* a1* b2* c1*")
			nodes[1].Blockers = fixture.Spent
			i := in(nodes, fixture.Sequential("1"))
			i.Memory = fixture.Rolling("a", "11:50")
			return i
		}, "topology/waits-for-domain (topology/waits-for-domain)"},
		{"a zone whose turn is next, but for older nodes of it", func() disruptkit.Input {
			nodes := fixture.Zoned("b1* a1* b2*")
			nodes[1].Blockers = fixture.Spent
			i := in(nodes, fixture.Sequential("1"))
			i.Memory = fixture.Rolling("a", "11:50")
			return i
		}, "topology/waits-for-domain (topology/exhausted)"},
		{"a freeze, while the turn is that of an older node that may have drifted for the same reason", func() disruptkit.Input {
			b := fixture.Sequential("1")
			b.Reasons = []candidate.Reason{"Drifted/AMIDrift"}
			nodes := fixture.Zoned("b1* a1*")
			nodes[1].Conditions[0].Reason = "Drifted/AMIDrift"
			return in(nodes, frozen(8), b)
		}, "budget/allows-none topology/waits-for-domain"},
		{"a freeze, after which nobody knows whose turn it is", func() disruptkit.Input {
			return in(fixture.Zoned("b1* a1*"), frozen(8), fixture.During(fixture.Sequential("1"), "0 17 * * *", "16h"))
		}, "budget/allows-none (topology/waits-for-domain)"},
		{"a freeze, after which older nodes take the places in the zone", func() disruptkit.Input {
			return in(fixture.Zoned("a1* a2*"), frozen(8), fixture.Sequential("1"))
		}, "budget/allows-none (topology/exhausted)"},
		{"a freeze, in which the window of a pod closes", func() disruptkit.Input {
			return in([]candidate.Node{fixture.GoesFrom(fixture.Sharing("n1", "default", "", 1), 9, 4)}, frozen(8))
		}, "budget/allows-none (pod/outside-schedule of shop/n1-w)"},
		{"a freeze, after which older nodes use up a PDB", func() disruptkit.Input {
			i := in([]candidate.Node{fixture.Sharing("n1", "default", "", 2, "a"), fixture.Sharing("n2", "default", "", 1, "a")}, frozen(8))
			i.Rules, _ = candidate.CompileRules([]candidate.PDB{fixture.PDB("a")}, nil)
			return i
		}, "budget/allows-none (pod/exhausted of shop/n2-a)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			blocked := disruptkit.Decide(c.in(), candidate.Drifted).Blocked
			var got []string
			for _, b := range blocked[len(blocked)-1].Blockers {
				code := string(b.Gate) + "/" + string(b.Code)
				if b.Pod != "" {
					code += " of " + b.Pod
				}
				if b.Later {
					code = "(" + code + ")"
				}
				got = append(got, code)
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Whoever reads the sentence learns what the fields say, and a blocked node is blocked now.
func TestTheFieldsOfABlockerSayWhatItsSentenceDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, c := range disruptkit.Decide(arbitrary(generate.Input).Draw(t, "input"), arbitrary(generate.Asked).Draw(t, "asked")).Blocked {
			for _, b := range c.Blockers {
				if b.Later != strings.Contains(b.Message, "after that") {
					t.Fatalf("later %t: %s", b.Later, b)
				}
				if b.Pod == "" && b.Gate == candidate.GatePod || !strings.Contains(b.Message, b.Pod) {
					t.Fatalf("pod %q: %s", b.Pod, b)
				}
			}
			if !slices.ContainsFunc(c.Blockers, func(b candidate.Blocker) bool { return !b.Later }) {
				t.Fatalf("nothing holds back %s now: %v", c.Node, c.Blockers)
			}
		}
	})
}
