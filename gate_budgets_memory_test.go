package disruptkit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/disruptkit/disruptkit"
	"github.com/disruptkit/disruptkit/budget"
	"github.com/disruptkit/disruptkit/candidate"
	"github.com/disruptkit/disruptkit/dialect"
	"github.com/disruptkit/disruptkit/internal/testkit/fixture"
)

// started returns a start for drift at a time of day.
func started(node, at string) budget.Start {
	return budget.Start{Node: node, Reason: candidate.Drifted, At: fixture.Clock(at)}
}

// startsOf returns "11:30 a-1, 12:00 a-2 seen": the starts that a decision remembers of a pool.
func startsOf(d disruptkit.Decision, pool string) string {
	var texts []string
	for _, s := range d.Memory[pool].Starts {
		text := s.At.Format("15:04 ") + s.Node
		if s.Seen {
			text += " seen"
		}
		if s.Over {
			text += " over"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

// TestStartsThatAreRemembered at noon, of a pool with a pace of two per hour.
func TestStartsThatAreRemembered(t *testing.T) {
	for _, c := range []struct {
		name   string
		nodes  string // a-1, a-2 …: "+" is in flight, "*" has drifted
		starts []budget.Start
		change func(in *disruptkit.Input)
		want   string
	}{
		{"those of a pool, though another one after it has no pace", "+", []budget.Start{started("gone", "11:30"), started("old", "10:59")}, func(in *disruptkit.Input) {
			in.Pools = append(in.Pools, disruptkit.Pool{Name: "other"})
		}, "11:30 gone, 12:00 a-1 seen"},
		{"one of two nodes of one name that are in flight", "++", nil, func(in *disruptkit.Input) { in.Nodes[1].Name = "a-1" }, "12:00 a-1 seen"},
		{"of two nodes of one name, that of the one that is in flight", "+.", []budget.Start{started("a-1", "11:30")},
			func(in *disruptkit.Input) { in.Nodes[1].Name = "a-1" }, "11:30 a-1 seen"},
		{"whichever of them comes first", ".+", []budget.Start{started("a-1", "11:30")},
			func(in *disruptkit.Input) { in.Nodes[1].Name = "a-1" }, "11:30 a-1 seen"},
		{"none of a node that is still there, though nobody knows when it started", "*", []budget.Start{started("a-1", "")}, nil, ""},
		{"none of a node of another pool with the name", "+", nil, func(in *disruptkit.Input) { in.Nodes[0].Pool = "other" }, ""},
		{"none of a node without a pool", "+", nil, func(in *disruptkit.Input) { in.Nodes[0].Pool = "" }, ""},
		{"none of a pool without paces, beside one that has them", "+", nil, func(in *disruptkit.Input) {
			paced := in.Pools[0]
			paced.Name = "other"
			in.Pools = []disruptkit.Pool{{Name: "default"}, paced}
		}, ""},
		{"none of a time that nobody knows", "+", nil, func(in *disruptkit.Input) { in.Now = fixture.Clock("") }, ""},
		{"in Karpenter's dialect, as long as a pace that was there", "", []budget.Start{started("old", "10:59"), started("gone", "11:30")},
			func(in *disruptkit.Input) {
				in.Dialect = dialect.Karpenter
				in.Memory["default"] = disruptkit.Memory{Starts: in.Memory["default"].Starts, Paces: []budget.Pace{{Per: "1h"}}}
			}, "11:30 gone"},
		{"in Karpenter's dialect, all if nobody knows for how long", "", []budget.Start{started("old", "10:59"), started("gone", "11:30")},
			func(in *disruptkit.Input) { in.Dialect = dialect.Karpenter }, "10:59 old, 11:30 gone"},
		{"all if two pools have one name, and no more", "+", []budget.Start{started("old", "10:59"), started("gone", "11:30")},
			func(in *disruptkit.Input) {
				in.Pools = append(in.Pools, in.Pools[0])
				in.Memory["default"] = disruptkit.Memory{Starts: in.Memory["default"].Starts, Paces: []budget.Pace{{Per: "1h"}}}
			}, "10:59 old, 11:30 gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2", Per: "1h"})},
				Nodes: fixture.Fleet(len(c.nodes), 0), Memory: map[string]disruptkit.Memory{"default": {Starts: c.starts}}}
			for i, what := range c.nodes {
				switch what {
				case '+':
					in.Nodes[i].Leaving = candidate.Draining
				case '*':
					in.Nodes[i] = fixture.Wanted(in.Nodes[i].Name, fixture.Noon, "Empty")
				}
			}
			if c.change != nil {
				c.change(&in)
			}
			if diff := cmp.Diff(c.want, startsOf(disruptkit.Decide(in, candidate.Drifted), "default")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A node that never joined needs no budget for its repair, so its start counts for no pace.
func TestTheRepairOfANodeThatNoBudgetCountsIsNoStart(t *testing.T) {
	for _, joined := range []bool{false, true} {
		n := fixture.Wanted("a-1", fixture.Noon, candidate.Unhealthy)
		if n.Phase = candidate.Registered; joined {
			n.Phase = candidate.NotReady
		}
		in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "2", Per: "1h"})}, Nodes: []candidate.Node{n}}
		d := disruptkit.Decide(in, candidate.Unhealthy)
		want := ""
		if joined {
			want = "12:00 a-1"
		}
		if got := startsOf(d, "default"); len(d.Allowed) != 1 || got != want {
			t.Errorf("joined %t: %v goes, remembered %q, want %q", joined, fixture.Allowed(d), got, want)
		}
	}
}

func TestTheBlockerOfAPace(t *testing.T) {
	in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1", Per: "1h"})},
		Nodes: fixture.Fleet(0, 2), Memory: map[string]disruptkit.Memory{"default": {Starts: []budget.Start{started("gone", "11:30")}}}}
	var got []string
	for _, memory := range []map[string]disruptkit.Memory{in.Memory, nil} {
		in.Memory = memory
		for _, c := range disruptkit.Decide(in, candidate.Drifted).Blocked {
			got = append(got, c.Node+": "+c.Blockers[0].Message)
		}
	}
	want := []string{
		"a-1: start limit reached: budgets[0] is 1 per 1h", "a-2: start limit reached: budgets[0] is 1 per 1h",
		"a-2: start limit reached, with 1 allowed now: budgets[0] is 1 per 1h",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Which paces there are is known where the pool is known and the dialect has paces. Elsewhere, what is remembered stays.
func TestPacesThatAreRemembered(t *testing.T) {
	was := []budget.Pace{{Per: "24h"}}
	for _, c := range []struct {
		name   string
		change func(in *disruptkit.Input)
		want   []budget.Pace
	}{
		{"the pool's, and one that it had", func(*disruptkit.Input) {}, []budget.Pace{{Per: "24h", Gone: fixture.Noon}, {Per: "1h"}}},
		{"in Karpenter's dialect", func(in *disruptkit.Input) { in.Dialect = dialect.Karpenter }, was},
		{"of two pools of one name", func(in *disruptkit.Input) { in.Pools = append(in.Pools, in.Pools[0]) }, was},
		{"without a time", func(in *disruptkit.Input) { in.Now = fixture.Clock("") }, was},
		{"of a pool that is gone", func(in *disruptkit.Input) { in.Pools = nil }, was},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := disruptkit.Input{Now: fixture.Noon, Pools: []disruptkit.Pool{fixture.Pool(t, budget.Budget{Nodes: "1", Per: "1h"})},
				Memory: map[string]disruptkit.Memory{"default": {Paces: was}}}
			c.change(&in)
			if diff := cmp.Diff(c.want, disruptkit.Decide(in, candidate.Drifted).Memory["default"].Paces); diff != "" {
				t.Error(diff)
			}
		})
	}
}
