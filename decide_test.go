package disruptkit_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
)

// Decision.Allowed: "together, or one after the other in this order".
func TestAllowedNodesStartTogetherOrInTheirOrder(t *testing.T) {
	nodes := fixture.Zoned("a1* a2*")
	nodes[0].Conditions[0].Deadline = fixture.Clock("11:00") // overdue, and may go only while no other node is in flight
	nodes[1].Conditions[0].Reason = candidate.Empty
	none := budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted"}}
	five := budget.Budget{Nodes: "5", Reasons: []candidate.Reason{"Empty"}}
	in := disruptkit.Input{Now: fixture.Noon, Nodes: nodes, Pools: []disruptkit.Pool{fixture.Pool(t, none, five)}}
	both := disruptkit.Decide(in, "")
	for _, c := range []struct {
		first int
		want  []string
	}{{0, []string{"a2"}}, {1, nil}} {
		started := both
		started.Allowed = both.Allowed[c.first : c.first+1]
		var got []string
		for _, next := range disruptkit.Decide(in.Apply(started), "").Allowed {
			got = append(got, next.Node)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || len(both.Allowed) != 2 {
			t.Errorf("once %s of %v has started: %s", started.Allowed[0].Node, both.Allowed, diff)
		}
	}
}

func TestDecisions(t *testing.T) {
	freeze := budget.Budget{Nodes: "0", Schedule: "0 9 * * mon-fri", Duration: "8h"}
	for _, c := range []struct {
		name   string
		in     func(t *testing.T) disruptkit.Input
		reason candidate.Reason
		want   string
	}{
		{"an empty input decides nothing", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{}
		}, candidate.Drifted, `
next change: never
`},
		{"the oldest go first, as many as the budget allows", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "20%"})}, Nodes: fixture.Fleet(7, 3)}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 0 disrupting, 2 allowed by [0] for good, 2 remain
+ a-1 Drifted for good
+ a-2 Drifted for good
- a-3 Drifted budget/exhausted: 2 of 10 nodes may be disrupted at once, 2 allowed now: budgets[0] is 20%
next change: never
`},
		{"what is in flight or not Ready uses up the budget", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(7, 3)
			nodes[9].Phase, nodes[8].Leaving = candidate.NotReady, candidate.Draining
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "3"})}, Nodes: nodes}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 2 disrupting, 3 allowed by [0] for good, 1 remain
+ a-1 Drifted for good
- a-2 Drifted budget/exhausted: 3 of 10 nodes may be disrupted at once, 2 in flight or not Ready, 1 allowed now: budgets[0] is 3
- a-3 Drifted budget/exhausted: 3 of 10 nodes may be disrupted at once, 2 in flight or not Ready, 1 allowed now: budgets[0] is 3
next change: never
`},
		{"a freeze tells when it ends", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, freeze, budget.Budget{Nodes: "1"})}, Nodes: fixture.Fleet(8, 2)}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 0 disrupting, 0 allowed by [0] until Fri 17:00, 0 remain
- a-1 Drifted budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a-2 Drifted budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-20T17:00:00Z)
next change: Fri 17:00
`},
		{"a candidate that may go knows when the freeze comes", func(t *testing.T) disruptkit.Input {
			night := budget.Budget{Nodes: "1", Schedule: "30 12 * * *", Duration: "1h"}
			evening := budget.Budget{Nodes: "0", Schedule: "0 18 * * *", Duration: "1h"}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, night, evening)}, Nodes: fixture.Fleet(1, 2)}
		}, candidate.Drifted, `
default Drifted: 3 nodes, 0 disrupting, any allowed by [] until Fri 12:30, any remain
+ a-1 Drifted until Fri 12:30
+ a-2 Drifted until Fri 12:30
next change: Fri 12:30
`},
		{"each candidate is judged at its own reason", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(7, 3)
			nodes[0].Conditions[0].Reason = "Drifted/AMIDrift"
			nodes[1].Conditions[0].Reason = "Drifted/SubnetDrift"
			ami := budget.Budget{Nodes: "0", Reasons: []candidate.Reason{"Drifted/AMIDrift"}}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, ami, budget.Budget{Nodes: "5"})}, Nodes: nodes}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 0 disrupting, 5 allowed by [1] for good, 5 remain
default Drifted/AMIDrift: 10 nodes, 0 disrupting, 0 allowed by [0] for good, 0 remain
default Drifted/SubnetDrift: 10 nodes, 0 disrupting, 5 allowed by [1] for good, 5 remain
+ a-2 Drifted/SubnetDrift for good
+ a-3 Drifted for good
- a-1 Drifted/AMIDrift budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[0] is 0 (Drifted/AMIDrift)
next change: never
`},
		{"children of a reason wait in one line", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(6, 4)
			nodes[1].Conditions[0].Reason = "Drifted/AMIDrift"
			nodes[2].Conditions[0].Reason = "Drifted/SubnetDrift"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, freeze, budget.Budget{Nodes: "2"})}, Nodes: nodes}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 0 disrupting, 0 allowed by [0] until Fri 17:00, 0 remain
default Drifted/AMIDrift: 10 nodes, 0 disrupting, 0 allowed by [0] until Fri 17:00, 0 remain
default Drifted/SubnetDrift: 10 nodes, 0 disrupting, 0 allowed by [0] until Fri 17:00, 0 remain
- a-1 Drifted budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a-2 Drifted/AMIDrift budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a-3 Drifted/SubnetDrift budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-20T17:00:00Z)
- a-4 Drifted budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-20T17:00:00Z)
next change: Fri 17:00
`},
		{"an older candidate that waits for a budget of its own is blocked when a younger one uses up what they share", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(8, 2)
			nodes[0].Conditions[0].Reason = "Drifted/AMIDrift"
			own := freeze
			own.Reasons = []candidate.Reason{"Drifted/AMIDrift"}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, own, budget.Budget{Nodes: "1"})}, Nodes: nodes}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 0 disrupting, 1 allowed by [1] for good, 1 remain
default Drifted/AMIDrift: 10 nodes, 0 disrupting, 0 allowed by [0] until Fri 17:00, 0 remain
+ a-2 Drifted for good
- a-1 Drifted/AMIDrift budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[0] is 0 (Drifted/AMIDrift; 0 9 * * mon-fri for 8h, UTC)
next change: Fri 17:00
`},
		{"a child can be asked for", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(7, 2)
			nodes[0].Conditions[0].Reason = "Drifted/AMIDrift"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "5"})}, Nodes: nodes}
		}, "Drifted/AMIDrift", `
default Drifted/AMIDrift: 9 nodes, 0 disrupting, 5 allowed by [0] for good, 5 remain
+ a-1 Drifted/AMIDrift for good
next change: never
`},
		{"no gate hides what the next one says", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(9, 1)
			nodes[0].DoNotDisrupt, nodes[0].NominatedUntil = true, fixture.Noon.Add(time.Minute)
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, freeze)}, Nodes: nodes}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 0 disrupting, 0 allowed by [0] until Fri 17:00, 0 remain
- a-1 Drifted node/nominated: a pending pod is expected on the node (until 2026-11-20T12:01:00Z)
- a-1 Drifted node/do-not-disrupt: the node is annotated karpenter.sh/do-not-disrupt: "true"
- a-1 Drifted budget/allows-none: 0 of 10 nodes may be disrupted now: budgets[0] is 0 (0 9 * * mon-fri for 8h, UTC) (until 2026-11-20T17:00:00Z)
next change: Fri 12:01
`},
		{"a node goes once, for the reason that has held for longest", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(9, 1)
			nodes[0].Conditions = append(nodes[0].Conditions, candidate.Condition{Reason: "Empty", Since: fixture.Noon})
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{})}, Nodes: nodes}
		}, "", `
default : 10 nodes, 0 disrupting, 1 allowed by [0] for good, 1 remain
default Drifted: 10 nodes, 0 disrupting, 1 allowed by [0] for good, 1 remain
default Empty: 10 nodes, 0 disrupting, 1 allowed by [0] for good, 1 remain
+ a-1 Drifted for good
- a-1 Empty node/already-allowed: the node is already disrupted for another of its reasons
- a-1 Empty budget/exhausted: 1 of 10 nodes may be disrupted at once, 1 allowed now: budgets[0] is 10%
next change: never
`},
		{"an invalid budget blocks the reasons that it names, and is reported", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(8, 2)
			nodes[1].Conditions[0].Reason = "Empty"
			broken := budget.Budget{Nodes: "50%", Reasons: []candidate.Reason{"Drifted"}, Schedule: "@daily"}
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, broken)}, Nodes: nodes}
		}, "", `
default : 10 nodes, 0 disrupting, 0 allowed by [0] for good, 0 remain
default Drifted: 10 nodes, 0 disrupting, 0 allowed by [0] for good, 0 remain
default Empty: 10 nodes, 0 disrupting, any allowed by [] for good, any remain
+ a-2 Empty for good
- a-1 Drifted budget/invalid-budget: no node may be disrupted: budgets[0].duration: schedule "@daily" has no duration: write how long the budget stays active after each hit, such as 8h
! invalid-budget: NodePool/default: budgets[0].duration: schedule "@daily" has no duration: write how long the budget stays active after each hit, such as 8h
next change: never
`},
		{"a list of more than fifty budgets allows nothing", func(t *testing.T) disruptkit.Input {
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, slices.Repeat([]budget.Budget{{Nodes: "1"}}, 51)...)}, Nodes: fixture.Fleet(9, 1)}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 0 disrupting, 0 allowed by [] for good, 0 remain
- a-1 Drifted budget/invalid-budget: no node may be disrupted: budgets: 51 budgets are too many: write at most 50
! invalid-budget: NodePool/default: budgets: 51 budgets are too many: write at most 50
next change: never
`},
		{"a reason that is none allows nothing", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(9, 1)
			nodes[0].Conditions[0].Reason = "drifted"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "5"})}, Nodes: nodes}
		}, "drifted", `
default drifted: 10 nodes, 0 disrupting, 0 allowed by [] for good, 0 remain
- a-1 drifted budget/unknown-reason: no node may be disrupted: reason "drifted" is unknown: write Drifted
! unknown-reason: NodePool/default: reason "drifted" is unknown: write Drifted
next change: never
`},
		{"nodes of no pool, or of one that nobody knows, stay", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(0, 2)
			nodes[0].Pool, nodes[1].Pool = "", "gone"
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{})}, Nodes: nodes}
		}, candidate.Drifted, `
default Drifted: 0 nodes, 0 disrupting, 0 allowed by [0] for good, 0 remain
- a-1 Drifted node/unmanaged: the node belongs to no pool
- a-2 Drifted node/unknown-pool: the node's pool "gone" is not in the input
next change: never
`},
		{"nodes of the same name stay, and no percentage is of them", func(t *testing.T) disruptkit.Input {
			nodes := fixture.Fleet(0, 3)
			nodes[1].Name, nodes[1].Phase = "a-1", candidate.NotReady
			return disruptkit.Input{Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "100%"})}, Nodes: nodes}
		}, candidate.Drifted, `
default Drifted: 1 nodes, 1 disrupting, 1 allowed by [0] for good, 0 remain
- a-1 Drifted node/duplicate-node: another node has this name
- a-1 Drifted budget/exhausted: 1 of 1 node may be disrupted at once, 1 in flight or not Ready: budgets[0] is 100%
- a-1 Drifted node/duplicate-node: another node has this name
- a-1 Drifted budget/exhausted: 1 of 1 node may be disrupted at once, 1 in flight or not Ready: budgets[0] is 100%
- a-3 Drifted budget/exhausted: 1 of 1 node may be disrupted at once, 1 in flight or not Ready: budgets[0] is 100%
! duplicate-node: Node/a-1: name: several nodes are called "a-1", and none of them is disrupted: write each node once
next change: never
`},
		{"what the caller has against a pool holds back all of its nodes", func(t *testing.T) disruptkit.Input {
			p := fixture.Pool(t, budget.Budget{})
			p.Blockers = []candidate.Blocker{{Gate: candidate.GateBudget, Code: "unreadable", Message: "the NodePool cannot be read"}}
			return disruptkit.Input{Pools: []disruptkit.Pool{p}, Nodes: fixture.Fleet(9, 1)}
		}, candidate.Drifted, `
default Drifted: 10 nodes, 0 disrupting, 1 allowed by [0] for good, 1 remain
- a-1 Drifted budget/unreadable: the NodePool cannot be read
next change: never
`},
		{"pools of the same name disrupt nothing", func(t *testing.T) disruptkit.Input {
			p := fixture.Pool(t, []budget.Budget{}...)
			return disruptkit.Input{Pools: []disruptkit.Pool{p, p, p}, Nodes: fixture.Fleet(1, 1)}
		}, candidate.Drifted, `
default Drifted: 2 nodes, 0 disrupting, 0 allowed by [] for good, 0 remain
- a-1 Drifted node/unknown-pool: another pool has the name of the node's pool
! unknown-pool: NodePool/default: name: several pools are called "default", and it is unclear whose budgets apply: write each pool once
next change: never
`},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := c.in(t)
			in.Now = fixture.Noon
			if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), fixture.Story(disruptkit.Decide(in, c.reason))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheZeroPoolIsKarpentersDefault(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{{Name: "default"}}, Nodes: fixture.Fleet(10, 10)}
	if d := disruptkit.Decide(in, candidate.Drifted); len(d.Allowed) != 2 || d.Pools[0].Nodes != 20 {
		t.Error(fixture.Story(d))
	}
}

func TestTheExtremesOfTime(t *testing.T) {
	weekly := budget.Budget{Nodes: "1", Schedule: "0 9 * * mon", Duration: "8h", TimeZone: "America/New_York"}
	for _, now := range []time.Time{{}, time.Unix(1<<62, 0), time.Unix(-1<<62, 0), time.Unix(1<<63-1, 999_999_999), time.Unix(-1<<63, 0)} {
		in := disruptkit.Input{Now: now, Pools: []disruptkit.Pool{fixture.Pool(t, weekly)}, Nodes: fixture.Fleet(1, 1)}
		if d := disruptkit.Decide(in, candidate.Drifted); len(d.Allowed)+len(d.Blocked) != 1 {
			t.Errorf("%v: %s", now, fixture.Story(d))
		}
	}
}

func TestAPoolWithoutCandidatesWakesItsCaller(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"})}}
	if d := disruptkit.Decide(in, "Drifted"); !d.NextChange.Equal(fixture.Noon.Add(5 * time.Hour)) {
		t.Error(fixture.Story(d))
	}
}

func TestChildrenAreListedByName(t *testing.T) {
	nodes := fixture.Fleet(0, 2)
	nodes[0].Conditions[0].Reason, nodes[1].Conditions[0].Reason = "Drifted/Z", "Drifted/A"
	d := disruptkit.Decide(disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t)}, Nodes: nodes}, "Drifted")
	var got []candidate.Reason
	for _, p := range d.Pools {
		got = append(got, p.Reason)
	}
	if !slices.Equal(got, []candidate.Reason{"Drifted", "Drifted/A", "Drifted/Z"}) {
		t.Error(got)
	}
}

func TestOfPoolsOfTheSameNameNeitherShows(t *testing.T) {
	a := fixture.Pool(t, budget.Budget{Nodes: "0", Schedule: "0 9 * * *", Duration: "8h"})
	b := fixture.Pool(t, budget.Budget{Nodes: "x"})
	for _, pools := range [][]disruptkit.Pool{{a, b}, {b, a}} {
		d := disruptkit.Decide(disruptkit.Input{Now: fixture.Noon, Pools: pools, Nodes: fixture.Fleet(0, 1)}, "Drifted")
		if !d.Pools[0].Until.IsZero() || !d.NextChange.IsZero() || len(d.Warnings) != 1 {
			t.Error(fixture.Story(d))
		}
	}
}

func TestABlockerIsOneLine(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 1), Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "x", Sequential: true})}}
	if got := disruptkit.Decide(in, "Drifted").Blocked[0].Blockers[0].Message; strings.Contains(got, "\n") {
		t.Error(got)
	}
}

func TestNodesOfTheSameNameHaveAnOrder(t *testing.T) {
	nodes := fixture.Fleet(0, 2)
	nodes[1].Name, nodes[1].Conditions = nodes[0].Name, nodes[0].Conditions
	nodes[1].DoNotDisrupt = true
	in := disruptkit.Input{Now: fixture.Noon, Nodes: nodes, Pools: []disruptkit.Pool{fixture.Pool(t)}}
	d := disruptkit.Decide(in, "Drifted")
	slices.Reverse(in.Nodes)
	if diff := cmp.Diff(d, disruptkit.Decide(in, "Drifted")); diff != "" {
		t.Error(diff)
	}
}

func TestWarningsOfDuplicateNodesAreSorted(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Nodes: append(fixture.Fleet(0, 9), fixture.Fleet(0, 9)...)}
	w := disruptkit.Decide(in, "Drifted").Warnings
	if len(w) != 9 || !slices.IsSortedFunc(w, func(a, b candidate.Warning) int { return strings.Compare(a.Value, b.Value) }) {
		t.Error(w)
	}
}

func TestWhatTheCallerHasAgainstAPoolOfAnAmbiguousNameIsNotSaid(t *testing.T) {
	a, b := fixture.Pool(t), fixture.Pool(t)
	a.Blockers = []candidate.Blocker{{Gate: "mine", Code: "x", Message: "x"}}
	in := disruptkit.Input{Now: fixture.Noon, Nodes: fixture.Fleet(0, 1), Pools: []disruptkit.Pool{a, b}}
	d := disruptkit.Decide(in, "Drifted")
	slices.Reverse(in.Pools)
	if diff := cmp.Diff(d, disruptkit.Decide(in, "Drifted")); diff != "" {
		t.Error(diff)
	}
}
